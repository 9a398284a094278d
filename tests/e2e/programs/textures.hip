// textures.hip - textures over linear, pitched and array memory, and surfaces, against the formulas of the
// HIP programming guide ("Texture fetching") computed on the host.
//
// Coordinates are odd multiples of 1/32 texel: the weights are exact, and no rounding chooses another texel.
// So all results are known but for the last places of a sum of f32 products.
#include "check.h"
#include <cmath>
#include <vector>

enum { W = 20, H = 13, D = 5, STEPS = 64 };

// ---- Host side: texels as four floats, addressed and filtered by the book ----

struct Texels {
    int w, h, d;
    std::vector<float4> at;
    float4 operator()(int x, int y, int z) const
    {
        return at[(z * h + y) * w + x];
    }
};

static int address(int i, int n, hipTextureAddressMode mode)
{
    switch (mode) {
    case hipAddressModeWrap:
        return ((i % n) + n) % n;
    case hipAddressModeMirror: {
        int m = ((i % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    case hipAddressModeClamp:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    default:
        return i < 0 || i >= n ? -1 : i;
    }
}

static float4 texel(const Texels &t, int x, int y, int z, hipTextureAddressMode mode)
{
    x = address(x, t.w, mode), y = address(y, t.h, mode), z = address(z, t.d, mode);
    return x < 0 || y < 0 || z < 0 ? float4{0, 0, 0, 0} : t(x, y, z);
}

// x, y and z in texels.
static float4 lookup(const Texels &t, float x, float y, float z, hipTextureAddressMode mode, bool linear)
{
    if (!linear)
        return texel(t, (int)floorf(x), (int)floorf(y), (int)floorf(z), mode);
    double u[3] = {x - 0.5, y - 0.5, z - 0.5}, sum[4] = {0};
    for (int k = 0; k < 8; k++) {
        double weight = 1;
        int at[3];
        for (int a = 0; a < 3; a++) {
            double low = floor(u[a]);
            weight *= k >> a & 1 ? u[a] - low : 1 - (u[a] - low);
            at[a] = (int)low + (k >> a & 1);
        }
        float4 v = texel(t, at[0], at[1], at[2], mode);
        for (int c = 0; c < 4; c++)
            sum[c] += weight ? weight * (&v.x)[c] : 0;
    }
    return {(float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]};
}

static void expect(float4 got, float4 want, int n)
{
    for (int c = 0; c < n; c++)
        CHECK(fabsf((&got.x)[c] - (&want.x)[c]) <= 1e-5f * (1 + fabsf((&want.x)[c])));
}

// ---- Element types ----

template <typename T> struct Element;
template <typename T> static hipChannelFormatDesc format_of()
{
    return hipCreateChannelDesc<T>();
}
// HIP 5.2 says "signed" for it.
template <> hipChannelFormatDesc format_of<uchar4>()
{
    return hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
}
template <> struct Element<float> {
    enum { n = 1, integer = false };
    static float make(int i)
    {
        return 1000.5f - 7 * i;
    }
    static float4 value(float e)
    {
        return {e, 0, 0, 1};
    }
};
template <> struct Element<float4> {
    enum { n = 4, integer = false };
    static float4 make(int i)
    {
        return {i * 0.25f, -3.f * i, 1.f / (i + 1), (float)(i * i)};
    }
    static float4 value(float4 e)
    {
        return e;
    }
};
template <> struct Element<uchar4> { // read as numbers from 0 to 1
    enum { n = 4, integer = true };
    static uchar4 make(int i)
    {
        return {(unsigned char)i, (unsigned char)(255 - i), (unsigned char)(i * 7), (unsigned char)(i * 31)};
    }
    static float4 value(uchar4 e)
    {
        return {e.x / 255.f, e.y / 255.f, e.z / 255.f, e.w / 255.f};
    }
};
template <> struct Element<short2> { // from -1 to 1
    enum { n = 2, integer = true };
    static short2 make(int i)
    {
        return {(short)(i * 211 - 32768), (short)(32767 - i * 97)};
    }
    static float clamp(int s)
    {
        return fmaxf(s / 32767.f, -1);
    }
    static float4 value(short2 e)
    {
        return {clamp(e.x), clamp(e.y), 0, 1};
    }
};

template <typename T> static Texels fill(std::vector<T> &raw, int w, int h, int d)
{
    Texels t{w, h, d, {}};
    for (int i = 0; i < w * h * d; i++) {
        raw.push_back(Element<T>::make(i));
        t.at.push_back(Element<T>::value(raw.back()));
    }
    return t;
}

// What the fetch of a normalised integer texture returns in HIP.
template <typename T> struct Fetched {
    using type = T;
};
template <> struct Fetched<uchar4> {
    using type = float4;
};
template <> struct Fetched<short2> {
    using type = float2;
};
__device__ static float4 wide(float v)
{
    return {v, 0, 0, 1};
}
__device__ static float4 wide(float2 v)
{
    return {v.x, v.y, 0, 1};
}
__device__ static float4 wide(float4 v)
{
    return v;
}

// ---- Kernels: item i samples at start + i * step ----

struct Walk {
    float3 start, step;
};

template <typename F> __global__ void sample1(hipTextureObject_t t, Walk w, float4 *out)
{
    int i = threadIdx.x;
    out[i] = wide(tex1D<F>(t, w.start.x + i * w.step.x));
}
template <typename F> __global__ void sample2(hipTextureObject_t t, Walk w, float4 *out)
{
    int i = threadIdx.x;
    out[i] = wide(tex2D<F>(t, w.start.x + i * w.step.x, w.start.y + i * w.step.y));
}
template <typename F> __global__ void sample3(hipTextureObject_t t, Walk w, float4 *out)
{
    int i = threadIdx.x;
    out[i] = wide(tex3D<F>(t, w.start.x + i * w.step.x, w.start.y + i * w.step.y, w.start.z + i * w.step.z));
}
template <typename F> __global__ void sample_layer(hipTextureObject_t t, Walk w, float4 *out)
{
    int i = threadIdx.x;
    out[i] = wide(tex2DLayered<F>(t, w.start.x + i * w.step.x, w.start.y + i * w.step.y, (int)w.start.z));
}
__global__ void fetch(hipTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x);
}

static float4 *results;

static std::vector<float4> run(void (*kernel)(hipTextureObject_t, Walk, float4 *), hipTextureObject_t t,
                               Walk w)
{
    std::vector<float4> host(STEPS);
    kernel<<<1, STEPS>>>(t, w, results);
    HIP(hipMemcpy(host.data(), results, STEPS * sizeof(float4), hipMemcpyDeviceToHost));
    return host;
}

// ---- Textures ----

static hipTextureObject_t open_texture(const hipResourceDesc &resource, hipTextureAddressMode mode,
                                       bool linear, bool normalised, bool to_float)
{
    hipTextureDesc d = {};
    hipTextureObject_t t;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
    d.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    d.readMode = to_float ? hipReadModeNormalizedFloat : hipReadModeElementType;
    d.normalizedCoords = normalised;
    HIP(hipCreateTextureObject(&t, &resource, &d, nullptr));
    return t;
}

static hipResourceDesc resource_of(hipArray *array)
{
    hipResourceDesc r = {};
    r.resType = hipResourceTypeArray;
    r.res.array.array = array;
    return r;
}

// An array of w x h x d elements (d layers) with the contents of `raw`.
template <typename T> static hipArray *array_of(std::vector<T> &raw, int w, int h, int d, unsigned flags)
{
    hipArray *array;
    hipChannelFormatDesc format = format_of<T>();
    if (d == 0) {
        HIP(hipMallocArray(&array, &format, w, h, flags));
        HIP(hipMemcpy2DToArray(array, 0, 0, raw.data(), w * sizeof(T), w * sizeof(T), h ? h : 1,
                               hipMemcpyHostToDevice));
        return array;
    }
    HIP(hipMalloc3DArray(&array, &format, make_hipExtent(w, h, d), flags));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(raw.data(), w * sizeof(T), w, h);
    copy.dstArray = array;
    copy.extent = make_hipExtent(w, h, d);
    copy.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&copy));
    return array;
}

// Every 64 places along a line that leaves the texture on both sides. `layer` >= 0: of a layered texture.
static void compare(void (*kernel)(hipTextureObject_t, Walk, float4 *), const Texels &t,
                    const hipResourceDesc &r, hipTextureAddressMode mode, bool linear, bool normalised,
                    bool to_float, int n, int layer)
{
    const int dims = layer >= 0 ? 2 : t.d > 1 ? 3 : t.h > 1 ? 2 : 1;
    const float step[3] = {9 / 16.f, 7 / 16.f, 3 / 16.f},
                start[3] = {-6 + 3 / 32.f, -5 + 1 / 32.f, -2 + 5 / 32.f};
    const int size[3] = {t.w, t.h, t.d};
    float scale[3], at[3];
    for (int a = 0; a < 3; a++)
        scale[a] = normalised ? 1.f / size[a] : 1;
    Walk w = {{start[0] * scale[0], start[1] * scale[1], layer >= 0 ? layer : start[2] * scale[2]},
              {step[0] * scale[0], step[1] * scale[1], step[2] * scale[2]}};
    hipTextureObject_t object = open_texture(r, mode, linear, normalised, to_float);
    std::vector<float4> got = run(kernel, object, w);
    Texels flat = t;
    if (layer >= 0) {
        flat.d = 1;
        flat.at.assign(t.at.begin() + layer * t.w * t.h, t.at.begin() + (layer + 1) * t.w * t.h);
    }
    for (int i = 0; i < STEPS; i++) {
        for (int a = 0; a < 3; a++)
            at[a] = a < dims ? start[a] + i * step[a] : 0.5f;
        expect(got[i], lookup(flat, at[0], at[1], at[2], mode, linear), n);
    }
    HIP(hipDestroyTextureObject(object));
}

template <typename T>
static void all_modes(void (*kernel)(hipTextureObject_t, Walk, float4 *), const Texels &t,
                      const hipResourceDesc &r, int layer = -1)
{
    const hipTextureAddressMode modes[] = {hipAddressModeClamp, hipAddressModeBorder, hipAddressModeWrap,
                                           hipAddressModeMirror};
    for (hipTextureAddressMode mode : modes)
        for (int linear = 0; linear < 2; linear++)
            for (int normalised = 0; normalised < 2; normalised++)
                // the last two are defined for normalised coordinates only
                if (normalised || mode == hipAddressModeClamp || mode == hipAddressModeBorder)
                    compare(kernel, t, r, mode, linear, normalised, Element<T>::integer, Element<T>::n,
                            layer);
}

// ---- Tests ----

template <typename T> static void arrays2()
{
    std::vector<T> raw;
    Texels t = fill(raw, W, H, 1);
    hipArray *array = array_of(raw, W, H, 0, hipArrayDefault);
    all_modes<T>(sample2<typename Fetched<T>::type>, t, resource_of(array));
    std::vector<T> back(W * H);
    HIP(hipMemcpy2DFromArray(back.data(), W * sizeof(T), array, 0, 0, W * sizeof(T), H,
                             hipMemcpyDeviceToHost));
    CHECK(!memcmp(back.data(), raw.data(), raw.size() * sizeof(T)));
    HIP(hipFreeArray(array));
}

static void plane()
{
    arrays2<float>();
    arrays2<float4>();
    arrays2<uchar4>();
    arrays2<short2>();
}

static void line()
{
    std::vector<float> raw;
    Texels t = fill(raw, W, 1, 1);
    hipArray *array = array_of(raw, W, 0, 0, hipArrayDefault);
    all_modes<float>(sample1<float>, t, resource_of(array));
    HIP(hipFreeArray(array));
}

template <typename T> static void volume_of(int w, int h, int d)
{
    std::vector<T> raw;
    Texels t = fill(raw, w, h, d);
    hipArray *array = array_of(raw, w, h, d, hipArrayDefault);
    all_modes<T>(sample3<typename Fetched<T>::type>, t, resource_of(array));
    HIP(hipFreeArray(array));
}

static void volume()
{
    volume_of<float>(W, H, D);
    volume_of<uchar4>(W, H, D);
    volume_of<float4>(70, 40, 36); // more than one block of the swizzled layout in each direction
}

static void layers()
{
    std::vector<float> raw;
    Texels t = fill(raw, W, H, D);
    hipArray *array = array_of(raw, W, H, D, hipArrayLayered);
    for (int layer = 0; layer < D; layer++)
        all_modes<float>(sample_layer<float>, t, resource_of(array), layer);
    HIP(hipFreeArray(array));
}

// A plane in ordinary memory with a pitch.
static void pitched()
{
    std::vector<uchar4> raw;
    Texels t = fill(raw, W, H, 1);
    void *memory;
    size_t pitch;
    HIP(hipMallocPitch(&memory, &pitch, W * sizeof(uchar4), H));
    HIP(hipMemcpy2D(memory, pitch, raw.data(), W * sizeof(uchar4), W * sizeof(uchar4), H,
                    hipMemcpyHostToDevice));
    hipResourceDesc r = {};
    r.resType = hipResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = format_of<uchar4>();
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    all_modes<uchar4>(sample2<float4>, t, r);
    HIP(hipFree(memory));
}

// tex1Dfetch is a formatted buffer load; out of range it gives 0, but for RDNA, where ROCr bounds the index by the number of bytes.
static void fetched()
{
    std::vector<uchar4> raw;
    Texels t = fill(raw, STEPS - 4, 1, 1);
    void *memory;
    int lanes;
    HIP(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0));
    HIP(hipMalloc(&memory, STEPS * sizeof raw[0]));
    HIP(hipMemset(memory, 0xff, STEPS * sizeof raw[0]));
    HIP(hipMemcpy(memory, raw.data(), raw.size() * sizeof raw[0], hipMemcpyHostToDevice));
    hipResourceDesc r = {};
    r.resType = hipResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = format_of<uchar4>();
    r.res.linear.sizeInBytes = raw.size() * sizeof raw[0];
    hipTextureObject_t object = open_texture(r, hipAddressModeClamp, false, false, true);
    std::vector<float4> host(STEPS);
    fetch<<<1, STEPS>>>(object, results);
    HIP(hipMemcpy(host.data(), results, STEPS * sizeof(float4), hipMemcpyDeviceToHost));
    for (int i = 0; i < (lanes == 64 ? STEPS : STEPS - 4); i++)
        expect(host[i], i < STEPS - 4 ? t(i, 0, 0) : float4{0, 0, 0, 0}, 4);
    HIP(hipDestroyTextureObject(object));
    HIP(hipFree(memory));
}

// Each item adds 1 to what it reads at the place that is its own mirrored, and writes it to its own.
__global__ void mirror(hipSurfaceObject_t from, hipSurfaceObject_t to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; // some are outside: such writes do nothing
    float4 v;
    surf2Dread(&v, from, (W - 1 - x) * (int)sizeof v, H - 1 - y);
    v.x += 1;
    surf2Dwrite(v, to, x * (int)sizeof v, y);
}

static void surface()
{
    std::vector<float4> raw, back(W * H);
    fill(raw, W, H, 1);
    hipArray *from = array_of(raw, W, H, 0, hipArrayDefault), *to = array_of(raw, W, H, 0, hipArrayDefault);
    hipResourceDesc rf = resource_of(from), rt = resource_of(to);
    hipSurfaceObject_t sf, st;
    HIP(hipCreateSurfaceObject(&sf, &rf));
    HIP(hipCreateSurfaceObject(&st, &rt));
    mirror<<<dim3(1, H), 32>>>(sf, st);
    HIP(hipMemcpy2DFromArray(back.data(), W * sizeof back[0], to, 0, 0, W * sizeof back[0], H,
                             hipMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++) {
        float4 want = raw[W * H - 1 - i];
        want.x += 1;
        CHECK(!memcmp(&back[i], &want, sizeof want));
    }
    HIP(hipDestroySurfaceObject(sf));
    HIP(hipDestroySurfaceObject(st));
    HIP(hipFreeArray(from));
    HIP(hipFreeArray(to));
}

int main(int argc, char **argv)
{
    int support = 0;
    HIP(hipDeviceGetAttribute(&support, hipDeviceAttributeImageSupport, 0));
    if (argc > 1 && !strcmp(argv[1], "support")) {
        hipArray *array;
        hipChannelFormatDesc format = hipCreateChannelDesc<float>();
        printf("image support %d, hipMallocArray: %s\n", support,
               hipGetErrorName(hipMallocArray(&array, &format, W, H, hipArrayDefault)));
        return 0;
    }
    HIP(hipMalloc(&results, STEPS * sizeof(float4)));
    const Test tests[] = {{"fetched", fetched}, {"pitched", pitched}, {"line", line},      {"plane", plane},
                          {"volume", volume},   {"layers", layers},   {"surface", surface}};
    return run_tests(tests, argc, argv);
}
