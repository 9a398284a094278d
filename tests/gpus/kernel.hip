extern "C" __attribute__((global)) void one(int *p)
{
    *p = 1;
}
