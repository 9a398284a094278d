// Many kernels, each with an inlined call and an access behind it: 20 of them, 100 with -DMORE.
static inline __attribute__((always_inline, device)) void put(int *p, int n)
{
    p[n * 3] = n;
}

#define KERNEL(name)                                                                                                   \
    extern "C" __attribute__((global)) void name(int *p, int n)                                                            \
    {                                                                                                                  \
        put(p, n);                                                                                                     \
        p[n + 7] = p[n] + n;                                                                                           \
    }

#define KERNELS(k) KERNEL(k##0) KERNEL(k##1) KERNEL(k##2) KERNEL(k##3) KERNEL(k##4)
#define MORE_KERNELS(k) KERNELS(k##0) KERNELS(k##1) KERNELS(k##2) KERNELS(k##3)

MORE_KERNELS(a)
#ifdef MORE
MORE_KERNELS(b)
MORE_KERNELS(c)
MORE_KERNELS(d)
MORE_KERNELS(e)
#endif
