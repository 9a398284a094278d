// Kernels of the end-to-end tests. No library, no implicit arguments.

kernel void fill(global uint *out, uint value)
{
    out[__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()] = value;
}

// Work-item 5 of every group stores far away.
kernel void stray(global uint *out, ulong distance)
{
    uint i = __builtin_amdgcn_workitem_id_x();
    out[i == 5 ? distance : i] = i;
}

kernel void abort_it(global uint *out)
{
    out[__builtin_amdgcn_workitem_id_x()] = 1;
    __builtin_trap();
}

kernel void illegal(global uint *out)
{
    out[__builtin_amdgcn_workitem_id_x()] = 1;
    __asm volatile(".long 0xffffffff");
}

// Until the host stores something.
kernel void spin(global volatile uint *flag)
{
    while (*flag == 0)
        ;
}

// More private memory than registers: the scratch handshake.
kernel void private_array(global uint *out, uint k)
{
    volatile uint a[200];
    uint t = __builtin_amdgcn_workitem_id_x();
    for (uint i = 0; i < 200; i++)
        a[i] = i * k + t;
    uint sum = 0;
    for (uint i = 0; i < 200; i++)
        sum += a[(i * 7 + t) % 200];
    out[__builtin_amdgcn_workgroup_id_x() * 64 + t] = sum;
}

// Same place, same size, other code: loaded one after the other from two code objects.
#ifndef VERSION
#define VERSION 1
#endif
kernel void version(global uint *out)
{
    out[__builtin_amdgcn_workitem_id_x()] = VERSION;
}

// Jumps to an address that is no code. "j" alone is also what C++'s mangled names call unsigned int.
kernel void j(global uint *out, ulong address)
{
    out[__builtin_amdgcn_workitem_id_x()] = 1;
    uint low = __builtin_amdgcn_readfirstlane((uint)address), high = __builtin_amdgcn_readfirstlane((uint)(address >> 32));
    __asm volatile("s_mov_b32 s20, %0\n s_mov_b32 s21, %1\n s_setpc_b64 s[20:21]" ::"s"(low), "s"(high) : "s20", "s21");
}
