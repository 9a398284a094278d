; Functions inside of others, and functions that call each other.

.macro kernel name
  .protected \name
  .globl \name
  .type \name,@function
  .p2align 8
\name:
.endm

.macro describe name
  .size \name, .-\name
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 32
    .amdhsa_accum_offset 4
  .end_amdhsa_kernel
  .text
.endm

; The call that LLVM writes.
.macro call name
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, \name@rel32@lo+4
  s_addc_u32 s5, s5, \name@rel32@hi+12
  s_swappc_b64 s[30:31], s[4:5]
.endm

; Calls what a register says: all functions may run.
kernel through_pointer
  global_load_dword v1, v[2:3], off
  s_swappc_b64 s[30:31], s[6:7]
  s_endpgm
describe through_pointer

; Calls the inner one of two functions.
kernel calls_inner
  call inner
  s_endpgm
describe calls_inner

; Calls the last of a row, which calls the one before it, and so on.
kernel calls_row
  call row_1000
  s_endpgm
describe calls_row

  .type outer,@function
outer:
  global_store_dword v[2:3], v1, off
  .type inner,@function
inner:
  global_load_dword v1, v[2:3], off
  s_setpc_b64 s[30:31]
  .size inner, .-inner
  global_atomic_add v[2:3], v1, off
  s_setpc_b64 s[30:31]
  .size outer, .-outer

; Each of these reaches to the end of all.
.altmacro
.macro nested n
  .type nested_\n,@function
nested_\n:
  global_load_dword v1, v[2:3], off
  .size nested_\n, nested_end-nested_\n
.endm
.set i, 0
.rept 4000
  nested %i
  .set i, i + 1
.endr
  s_setpc_b64 s[30:31]
nested_end:

.macro row n before
  .type row_\n,@function
row_\n:
  .if \n
    s_mov_b64 s[10:11], s[30:31]
    call row_\before
    s_mov_b64 s[30:31], s[10:11]
  .endif
  global_load_dword v1, v[2:3], off
  s_setpc_b64 s[30:31]
  .size row_\n, .-row_\n
.endm
.set i, 0
.rept 1001
  row %i, %(i - 1)
  .set i, i + 1
.endr
