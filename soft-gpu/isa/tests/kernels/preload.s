// A kernel whose arguments must arrive in SGPRs: four dwords from the third one on. Firmware that preloads starts 256
// bytes behind the entry, so the code at the entry is a trap. The descriptor enables a dispatch pointer too, which
// stands before the preloaded ones: s[0:1] dispatch pointer, s[2:3] kernarg pointer, s[4:7] preloaded, s8 work-group.
// (gfx90a counts the private segment buffer before all of them; it is not enabled here.)

        .text
        .globl  preload
        .p2align 8
        .type   preload,@function
preload:
        s_trap  2
        .p2align 8
body:
        s_load_dwordx2 s[10:11], s[2:3], 0x0    // out
        v_mov_b32_e32 v0, s4
        v_mov_b32_e32 v1, s5
        v_mov_b32_e32 v2, s6
        v_mov_b32_e32 v3, s7
        v_mov_b32_e32 v4, s8
        v_mov_b32_e32 v5, 0
        s_mul_i32 s12, s8, 20                   // five dwords for each work-group
        s_waitcnt lgkmcnt(0)
        s_add_u32 s10, s10, s12
        s_addc_u32 s11, s11, 0
        global_store_dwordx4 v5, v[0:3], s[10:11]
        global_store_dword v5, v4, s[10:11] offset:16
        s_endpgm
        .size   preload, .-preload

        .rodata
        .p2align 6
        .amdhsa_kernel preload
          .amdhsa_kernarg_size 24
          .amdhsa_user_sgpr_dispatch_ptr 1
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_user_sgpr_kernarg_preload_length 4
          .amdhsa_user_sgpr_kernarg_preload_offset 2
          .amdhsa_system_sgpr_workgroup_id_x 1
          .amdhsa_next_free_vgpr 8
          .amdhsa_next_free_sgpr 16
          .amdhsa_accum_offset 8
        .end_amdhsa_kernel
