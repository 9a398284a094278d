// Compiled with -mllvm -amdgpu-kernarg-preload-count=8: registers, half registers and a pair that must be even.
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned short u16;

extern "C" __attribute__((global)) void compiled(u32 *out, u32 a, u64 b, u16 c, u16 d, u32 e)
{
    u32 *o = out + 8 * __builtin_amdgcn_workgroup_id_x();
    o[0] = a;
    o[1] = (u32)b;
    o[2] = (u32)(b >> 32);
    o[3] = c;
    o[4] = d;
    o[5] = e;
    o[6] = __builtin_amdgcn_workgroup_id_x();
}
