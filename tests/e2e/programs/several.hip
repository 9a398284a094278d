/* Accesses of one basic block at distances that are known at run time only, which one probe may tell, among those that look
 * alike and lie elsewhere in some lanes: the numbers of each must be those of its own instructions. 64 work-items in a
 * work-group but where another size is said. */
#include <hip/hip_runtime.h>

typedef unsigned long long u64;

/* 1: arrays side by side. */
__global__ void arrays(const float *a, const float *b, float *c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

/* 2: rows of a picture, of which edges are left out. */
__global__ void rows(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        out[y * nx + x] = in[y * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] +
                          in[(y + 1) * nx + x];
}

/* 3: more than one probe tells. */
__global__ void many(const int *a, int *out, int n)
{
    int i = threadIdx.x;
    out[i] = a[i] + a[i + n] + a[i + 2 * n] + a[i + 3 * n] + a[i + 5 * n] + a[i + 7 * n];
}

/* 4: indices of 16 bits that wrap in the upper lanes: these lie 64 KiB from where the others are. */
__global__ void wraps(const char *p, int *out, unsigned short n)
{
    unsigned short i = (unsigned short)(threadIdx.x * 4), k = (unsigned short)(i + n);
    out[threadIdx.x] = *(const int *)(p + i) + *(const int *)(p + k);
}

/* 5: lanes' own widths of a step: other strides, so the distances differ. */
__global__ void strides(const int *p, int *out, int n)
{
    int i = threadIdx.x;
    out[i] = p[i * n] + p[i];
}

/* 6: one after the other: an address that was read comes between. */
__global__ void gathers(const int *index, const int *p, int *out, int n)
{
    int i = threadIdx.x, k = index[i];
    out[i] = p[k] + p[k + n] + index[i + n];
}

/* 7: lanes gone, one lane alone, two that no line can be told of. */
__global__ void some(const int *a, int *out, int n)
{
    int i = threadIdx.x;
    if (i % 3 == 1)
        out[i] = a[i] + a[i + n];
    if (i == 17)
        out[i] = a[i] - a[i + n];
    if (i == 3 || i == 36)
        out[i] = a[i] * a[i + n];
    if (i < 2)
        out[i + 64] = a[i] ^ a[i + n] ^ a[i + 2 * n] ^ a[i + 3 * n];
}

/* 8: widths, and stores in front of loads. */
__global__ void widths(char *p, const short *q, u64 *out, int n)
{
    int i = threadIdx.x;
    *(volatile short *)(p + 2 * i) = 5;
    short s = *(volatile const short *)(q + i);
    *(volatile short *)(p + 2 * (i + n)) = s;
    *(volatile u64 *)(out + i) = s;
    u64 u = *(volatile u64 *)(out + i + n);
    *(volatile u64 *)(out + i) = u;
}

/* 9: what keeps accesses apart: a barrier, an atomic, a call. */
__global__ void apart(int *p, int *q, int n)
{
    int i = threadIdx.x;
    p[i] = 1;
    __syncthreads();
    p[i + n] = 2;
    atomicAdd(&q[i], 1);
    q[i + n] = p[i + 2 * n];
}

/* 10: in a loop of an unknown number of turns; chunks of messages end among them. */
__global__ void turns(const int *length, const int *a, const int *b, int *out, int n)
{
    int i = threadIdx.x;
    for (int k = 0; k < length[i & 3]; k++)
        out[i + k * n] += a[i + k] * b[i + k] + a[i + k + n];
}

/* 11: rows that are none in the upper half, at one distance all the same. */
__global__ void bent(const int *a, const int *b, int *out, int n)
{
    int i = threadIdx.x, at = i < 32 ? i : i * 3 - (i & 5);
    out[i] = a[at] + b[at] + a[at + n];
}

/* 12: quarters of a work-group's tile, 16 x 16. */
__global__ void tile(const float *a, float *out, int pitch)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * pitch + x] = a[y * pitch + x] + a[(y + 16) * pitch + x] + a[y * pitch + x + pitch / 2];
}

/* 13: a stride of its own for each: lines, one of them falling, one of 0. */
__global__ void own(const int *a, const short *b, const u64 *c, int *out)
{
    int i = threadIdx.x;
    out[3 * i] = a[i] + b[63 - i] + (int)c[2 * i] + a[200 + (i & 0)];
}

/* 14: as other numbers of 16 bits wrap in the upper lanes: one of two lines breaks there. */
__global__ void breaks(const int *p, char *out, unsigned short n)
{
    unsigned short k = (unsigned short)(threadIdx.x * 8 + n);
    *(int *)(out + k) = p[threadIdx.x];
}

/* 15: through a tile in LDS and out of it; with and without padding, in rows and on a line. */
template <int WIDTH> __global__ void turned(const int *in, int *out, int n)
{
    __shared__ int tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * n + x];
    __syncthreads();
    out[y * n + x] = tile[x][y];
    out[x * n + y] = in[y * n + x + 7];
}

/* 17: rows that are longer in one than in the other; three dimensions. */
__global__ void box(const int *in, int *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * 8 + y) * 8 + x] = in[(z * n + y) * 8 + x] + in[(z * 8 + y) * n + x];
}

/* 18: rows that are none in the lower half, in the second access alone and in the last two work-groups. */
__global__ void torn(const int *in, int *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y, half = blockIdx.x < gridDim.x - 2 ? 4 : n;
    out[((y & 3) + (y >> 2) * half) * 64 + x] = in[y * 96 + x];
}

/* 19: strides and pitches that no key of summary mode has. */
__global__ void far(const char *in, int *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * 8 + x] = in[x * n + y * 4] + in[(y * n + x) * 16];
}

/* 20: lanes gone. */
__global__ void edges(const int *in, int *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y;
    __shared__ int tile[16][17];
    if (x < n && y < n)
        tile[y][x] = in[y * n + x];
    __syncthreads();
    if (x > 1 && y > n / 2)
        out[x * n + y] = tile[x][y];
}

/* 21: as 13, over and over: chunks of messages end among them. */
__global__ void again(const int *length, const int *a, const u64 *b, short *out, int n)
{
    int i = threadIdx.x;
    for (int k = 0; k < length[i & 3]; k++)
        out[2 * i + k * n] = (short)(a[i + k * n] + (int)b[3 * i + (k & 7)]);
}

/* 22: the second access is on a line, as the first one, but for the last two work-groups. */
__global__ void pitches(const int *in, int *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y, pitch = blockIdx.x < gridDim.x - 2 ? 16 : n;
    out[y * pitch + x] = in[y * 16 + x];
}

/* 23: clamped indices: other distances at the edges. */
__global__ void clamped(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int l = max(x - 1, 0), r = min(x + 1, nx - 1), u = max(y - 1, 0), d = min(y + 1, ny - 1);
    out[y * nx + x] = in[y * nx + x] + in[y * nx + l] + in[y * nx + r] + in[u * nx + x] + in[d * nx + x];
}

/* 24: five and six, with lanes gone, with fewer lanes than accesses, and in the last work-group one of them elsewhere. */
__global__ void most(const int *a, int *out, int n)
{
    int i = threadIdx.x, m = blockIdx.x < gridDim.x - 1 ? n : n + (i >> 4);
    out[i] = a[i] + a[i + n] + a[i + 2 * n] + a[i + m + 2 * n];
    if (i % 5 > 1)
        out[i + 64] = a[i] + a[i + n] + a[i + 2 * n] + a[i + 3 * n] + a[i + m + 3 * n];
    if (i > 59)
        out[i + 128] = a[i] + a[i + n] + a[i + 2 * n] + a[i + 3 * n] + a[i + 4 * n];
    for (int k = 0; k < a[i & 1]; k += 1 << 22)
        out[i + 192] ^= a[i] + a[i + n] + a[i + 2 * n] + a[i + 3 * n] + a[i + m];
}

/* 25, 26: nothing outside of a picture, in blocks that lanes at its edges leave out. */
template <int> __global__ void outside(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float c = in[y * nx + x], l = x > 0 ? in[y * nx + x - 1] : 0, r = x < nx - 1 ? in[y * nx + x + 1] : 0,
          u = y > 0 ? in[(y - 1) * nx + x] : 0, d = y < ny - 1 ? in[(y + 1) * nx + x] : 0;
    out[y * nx + x] = c + l + r + u + d;
}

/* 27: tiles of matrices, of which edges stick out. */
__global__ void bounds(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        t[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

/* 28: conditions that hold in few lanes or none, in each wavefront others; one that was read; a condition in the other. */
__global__ void conditions(const int *p, int *out, int n, int m)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int a = p[i], b = i < n ? p[i + 77] : 0, c = i + m > 100 ? p[i + n] : 3, d = (a & 255) > 2 ? p[i + 2 * n] : 5,
        e = i < n && i > m ? p[i + 5 * n] : 0;
    if (i + n < 1000) {
        out[i] = a + b;
        if (i + m < 90)
            out[i + 2048] = c + p[i + m];
    }
    out[i + 4096] = d + e;
}

int main()
{
    enum { BYTES = 1 << 22 };
    char *a, *b, *c;
    int *index;
    if (hipMalloc(&a, BYTES) || hipMalloc(&b, BYTES) || hipMalloc(&c, BYTES) || hipMalloc(&index, 1024))
        return 1;
    int host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i * 37 % 64;
    (void)hipMemset(a, 3, BYTES);
    (void)hipMemset(b, 1, BYTES);
    (void)hipMemset(c, 0, BYTES);
    (void)hipMemcpy(index, host, sizeof host, hipMemcpyHostToDevice);
    int *p = (int *)a, *q = (int *)b, *r = (int *)c;
    arrays<<<3, 64>>>((float *)a, (float *)b, (float *)c);
    rows<<<dim3(2, 8), dim3(32, 8)>>>((float *)a, (float *)c, 64, 62);
    many<<<1, 64>>>(p, r, 100);
    wraps<<<1, 64>>>(a, r, 65536 - 128); /* from lane 32 on */
    strides<<<1, 64>>>(p, r, 3);
    gathers<<<1, 64>>>(index, p, r, 64);
    some<<<1, 64>>>(p, r, 77);
    widths<<<1, 64>>>(c, (short *)b, (u64 *)a, 128);
    apart<<<2, 64>>>(p, q, 64);
    turns<<<2, 64>>>(index, p, q, r, 64);
    bent<<<1, 64>>>(p, q, r, 9);
    tile<<<2, dim3(16, 16)>>>((float *)a, (float *)c, 40);
    own<<<2, 64>>>(p, (short *)b, (u64 *)b, r);
    breaks<<<1, 64>>>(p, c, 65536 - 256); /* from lane 32 on */
    turned<32><<<1, dim3(32, 32)>>>(p, r, 128);
    turned<33><<<1, dim3(32, 32)>>>(p, r, 100);
    box<<<1, dim3(8, 8, 4)>>>(p, r, 40);
    torn<<<8, dim3(8, 8)>>>(p, r, 1);
    far<<<1, dim3(8, 8)>>>(a, r, 33000);
    edges<<<1, dim3(16, 16)>>>(p, r, 15);
    again<<<2, 64>>>(index, p, (u64 *)b, (short *)c, 64);
    pitches<<<8, dim3(16, 4)>>>(p, r, 40);
    clamped<<<dim3(4, 3), dim3(32, 8)>>>((float *)a, (float *)c, 120, 23);
    most<<<3, 64>>>(p, r, 77);
    outside<32><<<dim3(4, 3), dim3(32, 8)>>>((float *)a, (float *)c, 128, 24);
    outside<64><<<dim3(2, 6), dim3(64, 4)>>>((float *)a, (float *)c, 128, 24);
    bounds<<<dim3(3, 3), dim3(16, 16)>>>((float *)a, (float *)b, (float *)c, 39);
    conditions<<<8, 64>>>(p, r, 300, 40);
    return hipDeviceSynchronize();
}
