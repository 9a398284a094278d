/*
 * realtime.h - the counter that times of wavefronts come from: its rate, and on the GPU the instruction that reads it.
 */
#ifndef LANESCOPE_REALTIME_H
#define LANESCOPE_REALTIME_H

enum { LS_REALTIME_MHZ = 100, LS_REALTIME_NS = 1000 / LS_REALTIME_MHZ };

#ifdef __AMDGCN__
/* The counter: s_memrealtime until gfx10, message 0x83 (RTN_GET_REALTIME) from gfx11 on (LLVM AMDGPUUsage and "RDNA3
 * Instruction Set Architecture", S_SENDMSG_RTN). Code for no particular processor says by LS_GFX which it is. */
#if (defined(LS_GFX) && LS_GFX == 11) || defined(__GFX11__) || defined(__GFX12__)
unsigned long long ls_sendmsg_rtn(unsigned) __asm("llvm.amdgcn.s.sendmsg.rtn.i64");
static inline unsigned long long ls_realtime(void)
{
    return ls_sendmsg_rtn(0x83);
}
#else
unsigned long long ls_memrealtime(void) __asm("llvm.amdgcn.s.memrealtime");
static inline unsigned long long ls_realtime(void)
{
    return ls_memrealtime();
}
#endif
#endif

#endif
