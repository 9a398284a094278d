/* aos_soa - moves particles, stored as an array of structures and as a structure of arrays. */
#include "../common/example.h"

struct Particle {
    float x, y, z, mass;
    float vx, vy, vz, charge;
};

struct Particles {
    float *x, *y, *z, *vx, *vy, *vz;
};

__global__ void move_aos(Particle *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
}

__global__ void move_soa(Particles p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p.x[i] += p.vx[i] * dt;
    p.y[i] += p.vy[i] * dt;
    p.z[i] += p.vz[i] * dt;
}

int main()
{
    const int n = 4096;
    const float dt = 0.25f; /* powers of two and small integers: exact, fused or not */
    std::vector<Particle> aos(n);
    std::vector<float> expected(3 * n), soa(6 * n);
    for (int i = 0; i < n; i++) {
        aos[i] = {(float)i, (float)(2 * i), (float)(3 * i), 1, (float)(i % 16), (float)(i % 8), (float)(i % 4), 0};
        const float position[3] = {aos[i].x, aos[i].y, aos[i].z}, velocity[3] = {aos[i].vx, aos[i].vy, aos[i].vz};
        for (int k = 0; k < 3; k++) {
            soa[k * n + i] = position[k];
            soa[(3 + k) * n + i] = velocity[k];
            expected[k * n + i] = position[k] + velocity[k] * dt;
        }
    }
    DeviceArray<Particle> daos(aos);
    move_aos<<<n / 256, 256>>>(daos.get(), n, dt);
    finish_launch();
    std::vector<float> got(3 * n);
    std::vector<Particle> moved = daos.read();
    for (int i = 0; i < n; i++) {
        got[i] = moved[i].x;
        got[n + i] = moved[i].y;
        got[2 * n + i] = moved[i].z;
    }
    int failed = verdict("move_aos", got, expected);

    DeviceArray<float> dsoa(soa);
    float *base = dsoa.get();
    move_soa<<<n / 256, 256>>>({base, base + n, base + 2 * n, base + 3 * n, base + 4 * n, base + 5 * n}, n, dt);
    finish_launch();
    got = dsoa.read();
    got.resize(3 * n);
    return failed | verdict("move_soa", got, expected);
}
