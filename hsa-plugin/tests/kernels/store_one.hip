/* One access, for test_code_versions.c. Compiled without any HIP header. */
extern "C" __attribute__((global)) void store_one(int *p)
{
    p[__builtin_amdgcn_workitem_id_x()] = 1;
}
