// textures_rdna.hip - what textures and surfaces have on RDNA beyond textures.hip: levels and gradients, gathers, layers of lines,
// integers and half precision, copies between arrays, surfaces of one and three dimensions, sizes from some texels to many blocks.
//
// All texels' values follow from their places, so the host knows them without the texture.
#include "check.h"
#include <vector>

enum { ITEMS = 64 };

__host__ __device__ static int number(int x, int y, int z)
{
    return x * 7 + y * 1009 + z * 60013;
}

template <typename T> struct Texel;
template <> struct Texel<float> {
    __host__ __device__ static float make(int n)
    {
        return n * 0.5f;
    }
};
template <> struct Texel<float4> {
    __host__ __device__ static float4 make(int n)
    {
        return {n * 0.5f, -1.f * n, n + 0.25f, 3.f};
    }
};
template <> struct Texel<int4> {
    __host__ __device__ static int4 make(int n)
    {
        return {n, -n, (int)((unsigned)n * (unsigned)n), ~n}; // wraps
    }
};
template <> struct Texel<uchar> {
    __host__ __device__ static uchar make(int n)
    {
        return (uchar)(n * 37);
    }
};
template <> struct Texel<ushort2> {
    __host__ __device__ static ushort2 make(int n)
    {
        return {(ushort)n, (ushort)(n * 3)};
    }
};

template <typename T>
static hipArray *filled(int w, int h, int d, unsigned flags, hipChannelFormatDesc format)
{
    std::vector<T> raw;
    hipArray *array;
    for (int z = 0; z < (d ? d : 1); z++)
        for (int y = 0; y < (h ? h : 1); y++)
            for (int x = 0; x < w; x++)
                raw.push_back(Texel<T>::make(number(x, y, z)));
    HIP(hipMalloc3DArray(&array, &format, make_hipExtent(w, h, d), flags));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(raw.data(), w * sizeof(T), w, h ? h : 1);
    copy.dstArray = array;
    copy.extent = make_hipExtent(w, h ? h : 1, d ? d : 1);
    copy.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&copy));
    return array;
}

static hipResourceDesc of(hipArray *array)
{
    hipResourceDesc r = {};
    r.resType = hipResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static hipTextureObject_t open_texture(hipArray *array, hipTextureFilterMode filter)
{
    hipResourceDesc r = of(array);
    hipTextureDesc d = {};
    hipTextureObject_t t;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = hipAddressModeClamp;
    d.filterMode = filter;
    d.readMode = hipReadModeElementType;
    HIP(hipCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static unsigned *wrong; // how many items found something else

static void none_wrong(const char *what)
{
    unsigned n;
    HIP(hipMemcpy(&n, wrong, sizeof n, hipMemcpyDeviceToHost));
    if (n)
        fprintf(stderr, "%s: %u wrong\n", what, n);
    CHECK(n == 0);
}

template <typename T> __device__ static bool same(const T &a, const T &b)
{
    const unsigned char *x = (const unsigned char *)&a, *y = (const unsigned char *)&b;
    for (unsigned i = 0; i < sizeof(T); i++)
        if (x[i] != y[i])
            return false;
    return true;
}

// ---- Every texel of textures of many sizes ----

template <typename T> __global__ void compare1(hipTextureObject_t t, int w, unsigned *wrong)
{
    for (int x = threadIdx.x; x < w; x += blockDim.x)
        if (!same(tex1D<T>(t, x + 0.5f), Texel<T>::make(number(x, 0, 0))))
            atomicAdd(wrong, 1);
}
template <typename T> __global__ void compare2(hipTextureObject_t t, int w, unsigned *wrong)
{
    int y = blockIdx.x;
    for (int x = threadIdx.x; x < w; x += blockDim.x)
        if (!same(tex2D<T>(t, x + 0.5f, y + 0.5f), Texel<T>::make(number(x, y, 0))))
            atomicAdd(wrong, 1);
}
template <typename T> __global__ void compare3(hipTextureObject_t t, int w, unsigned *wrong)
{
    int y = blockIdx.x, z = blockIdx.y;
    for (int x = threadIdx.x; x < w; x += blockDim.x)
        if (!same(tex3D<T>(t, x + 0.5f, y + 0.5f, z + 0.5f), Texel<T>::make(number(x, y, z))))
            atomicAdd(wrong, 1);
}

template <typename T> static void every_texel(const char *name, hipChannelFormatDesc format)
{
    const int sizes[][3] = {{5, 0, 0},     {300, 0, 0}, {3, 2, 0},    {20, 13, 0}, {100, 60, 0},
                            {300, 200, 0}, {5, 4, 3},   {20, 18, 17}, {70, 40, 36}};
    for (auto &s : sizes) {
        hipArray *array = filled<T>(s[0], s[1], s[2], hipArrayDefault, format);
        hipTextureObject_t t = open_texture(array, hipFilterModePoint);
        if (s[2])
            compare3<T><<<dim3(s[1], s[2]), ITEMS>>>(t, s[0], wrong);
        else if (s[1])
            compare2<T><<<s[1], ITEMS>>>(t, s[0], wrong);
        else
            compare1<T><<<1, ITEMS>>>(t, s[0], wrong);
        none_wrong(name);
        HIP(hipDestroyTextureObject(t));
        HIP(hipFreeArray(array));
    }
}

static void sizes()
{
    every_texel<float>("float", hipCreateChannelDesc<float>());
    every_texel<float4>("float4", hipCreateChannelDesc<float4>());
    every_texel<int4>("int4", hipCreateChannelDesc<int4>());
    every_texel<uchar>("uchar", hipCreateChannelDesc(8, 0, 0, 0, hipChannelFormatKindUnsigned));
    every_texel<ushort2>("ushort2", hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindUnsigned));
}

// ---- Half precision: a float4 texture of 16-bit components ----

__global__ void halves_kernel(hipTextureObject_t t, unsigned *wrong)
{
    float4 v = tex2D<float4>(t, threadIdx.x + 0.5f, 1.5f);
    if (v.x != threadIdx.x || v.y != -2.f || v.z != 0.5f || v.w != 65504.f)
        atomicAdd(wrong, 1);
}

static void halves()
{
    std::vector<ushort4> raw;
    for (int i = 0; i < 2 * ITEMS;
         i++) { // 1024 + x is 0x6400 + x as a half; 0 to 63 are made of it by the host
        _Float16 x = (_Float16)(i % ITEMS);
        ushort bits;
        memcpy(&bits, &x, sizeof bits);
        raw.push_back({bits, 0xc000, 0x3800, 0x7bff});
    }
    hipArray *array;
    hipChannelFormatDesc format = hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindFloat);
    HIP(hipMallocArray(&array, &format, ITEMS, 2, hipArrayDefault));
    HIP(hipMemcpy2DToArray(array, 0, 0, raw.data(), ITEMS * 8, ITEMS * 8, 2, hipMemcpyHostToDevice));
    hipTextureObject_t t = open_texture(array, hipFilterModePoint);
    halves_kernel<<<1, ITEMS>>>(t, wrong);
    none_wrong("halves");
    HIP(hipDestroyTextureObject(t));
    HIP(hipFreeArray(array));
}

// ---- Levels and gradients: arrays have one level, so these see what tex2D and tex3D see ----

__global__ void levels_kernel(hipTextureObject_t plane, hipTextureObject_t volume, unsigned *wrong)
{
    float x = 1.25f + threadIdx.x * 0.125f, y = 2.5f, z = 1.75f;
    float2 g2 = {0.1f, 0.2f}, h2 = {x, y};
    float4 g3 = {0.1f, x, 0.3f, 0}, h3 = {y, 0.2f, 0.3f, 0};
    float a = tex2D<float>(plane, x, y), b = tex3D<float>(volume, x, y, z);
    bool good = tex2DLod<float>(plane, x, y, 2.f) == a && tex2DGrad<float>(plane, x, y, g2, h2) == a &&
                tex3DLod<float>(volume, x, y, z, 1.f) == b && tex3DGrad<float>(volume, x, y, z, g3, h3) == b;
    // Linear in x, y and z, and so is what a linear filter makes of it.
    float want = 0.5f * (7 * (x - 0.5f) + 1009 * (y - 0.5f));
    good = good && a == want && b == want + 0.5f * 60013 * (z - 0.5f);
    if (!good)
        atomicAdd(wrong, 1);
}

static void levels()
{
    hipArray *plane = filled<float>(20, 13, 0, hipArrayDefault, hipCreateChannelDesc<float>());
    hipArray *volume = filled<float>(20, 13, 5, hipArrayDefault, hipCreateChannelDesc<float>());
    hipTextureObject_t tp = open_texture(plane, hipFilterModeLinear),
                       tv = open_texture(volume, hipFilterModeLinear);
    levels_kernel<<<1, ITEMS>>>(tp, tv, wrong);
    none_wrong("levels");
    HIP(hipDestroyTextureObject(tp));
    HIP(hipDestroyTextureObject(tv));
    HIP(hipFreeArray(plane));
    HIP(hipFreeArray(volume));
}

// ---- Gathers: HIP 5.2 gathers W where 0 is asked for, and X, Y, Z for 1, 2, 3 ----

__global__ void gathers_kernel(hipTextureObject_t t, unsigned *wrong)
{
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float4 got = tex2Dgather<float4>(t, x + 1.f, y + 1.f, 1);
    float4 want = {Texel<float4>::make(number(x, y + 1, 0)).x, Texel<float4>::make(number(x + 1, y + 1, 0)).x,
                   Texel<float4>::make(number(x + 1, y, 0)).x, Texel<float4>::make(number(x, y, 0)).x};
    if (!same(got, want))
        atomicAdd(wrong, 1);
}

static void gathers()
{
    hipArray *array = filled<float4>(20, 13, 0, hipArrayDefault, hipCreateChannelDesc<float4>());
    hipTextureObject_t t = open_texture(array, hipFilterModePoint);
    gathers_kernel<<<1, ITEMS>>>(t, wrong);
    none_wrong("gathers");
    HIP(hipDestroyTextureObject(t));
    HIP(hipFreeArray(array));
}

// ---- Surfaces ----

__global__ void surfaces_kernel(hipSurfaceObject_t line, hipSurfaceObject_t volume, unsigned *wrong)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    float4 v;
    if (y == 0 && z == 0) {
        surf1Dread(&v, line, x * (int)sizeof v);
        if (!same(v, Texel<float4>::make(number(x, 0, 0))))
            atomicAdd(wrong, 1);
        v.x += 1;
        surf1Dwrite(v, line, x * (int)sizeof v);
    }
    surf3Dread(&v, volume, x * (int)sizeof v, y, z);
    if (!same(v, Texel<float4>::make(number(x, y, z))))
        atomicAdd(wrong, 1);
    v.y += 1;
    surf3Dwrite(v, volume, x * (int)sizeof v, y, z);
}

template <typename T> static void check_back(hipArray *array, int w, int h, int d, T (*want)(int))
{
    std::vector<T> back(w * h * d);
    hipMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_hipPitchedPtr(back.data(), w * sizeof(T), w, h);
    copy.extent = make_hipExtent(w, h, d);
    copy.kind = hipMemcpyDeviceToHost;
    HIP(hipMemcpy3D(&copy));
    for (int i = 0; i < w * h * d; i++) {
        T x = want(number(i % w, i / w % h, i / w / h));
        CHECK(!memcmp(&back[i], &x, sizeof x));
    }
}

static float4 more_x(int n)
{
    float4 v = Texel<float4>::make(n);
    v.x += 1;
    return v;
}
static float4 more_y(int n)
{
    float4 v = Texel<float4>::make(n);
    v.y += 1;
    return v;
}

static void surfaces()
{
    const int d = 6, h = 11;
    hipArray *line = filled<float4>(ITEMS, 0, 0, hipArrayDefault, hipCreateChannelDesc<float4>());
    hipArray *volume = filled<float4>(ITEMS, h, d, hipArrayDefault, hipCreateChannelDesc<float4>());
    hipResourceDesc rl = of(line), rv = of(volume);
    hipSurfaceObject_t sl, sv;
    HIP(hipCreateSurfaceObject(&sl, &rl));
    HIP(hipCreateSurfaceObject(&sv, &rv));
    surfaces_kernel<<<dim3(h, d), ITEMS>>>(sl, sv, wrong);
    none_wrong("surfaces");
    check_back(line, ITEMS, 1, 1, more_x);
    check_back(volume, ITEMS, h, d, more_y);
    HIP(hipDestroySurfaceObject(sl));
    HIP(hipDestroySurfaceObject(sv));
    HIP(hipFreeArray(line));
    HIP(hipFreeArray(volume));
}

// ---- Copies: a part of one array into another, at another place ----

static void copies()
{
    const int w = 100, h = 60, px = 30, py = 20, pw = 50, ph = 30;
    hipArray *from = filled<float>(w, h, 0, hipArrayDefault, hipCreateChannelDesc<float>());
    hipArray *to = filled<float>(w, h, 0, hipArrayDefault, hipCreateChannelDesc<float>());
    hipMemcpy3DParms copy = {};
    copy.srcArray = from;
    copy.srcPos = make_hipPos(px, py, 0);
    copy.dstArray = to;
    copy.dstPos = make_hipPos(1, 2, 0);
    copy.extent = make_hipExtent(pw, ph, 1);
    copy.kind = hipMemcpyDeviceToDevice;
    HIP(hipMemcpy3D(&copy));
    std::vector<float> back(w * h);
    HIP(hipMemcpy2DFromArray(back.data(), w * sizeof(float), to, 0, 0, w * sizeof(float), h,
                             hipMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            bool inside = x >= 1 && x < 1 + pw && y >= 2 && y < 2 + ph;
            CHECK(back[y * w + x] ==
                  Texel<float>::make(inside ? number(x - 1 + px, y - 2 + py, 0) : number(x, y, 0)));
        }
    HIP(hipFreeArray(from));
    HIP(hipFreeArray(to));
}

int main(int argc, char **argv)
{
    HIP(hipMalloc(&wrong, sizeof *wrong));
    HIP(hipMemset(wrong, 0, sizeof *wrong));
    const Test tests[] = {{"sizes", sizes},     {"halves", halves},     {"levels", levels},
                          {"gathers", gathers}, {"surfaces", surfaces}, {"copies", copies}};
    return run_tests(tests, argc, argv);
}
