/*
 * gen_control.c - short sequences for branches, program counter, MODE, relative register access, and the
 * instructions that change nothing a test can see.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"

struct ccase {
    void (*run)(struct expect *e);
};

static void run_reference(const struct tcase *tc, struct expect *e)
{
    ((const struct ccase *)tc->data)->run(e);
}
static void nothing(struct expect *e)
{
    (void)e;
}
static void any_scalar(struct expect *e, unsigned index, unsigned dwords)
{
    struct note *n = expect_note(e);
    n->scalar = n->any = true;
    n->row = (uint16_t)index;
    n->dwords = (uint8_t)dwords;
}

/* Each branch jumps over "s_mov_b32 s20, 55". */
static void fall(struct expect *e, bool taken)
{
    if (!taken)
        e->w->s[20] = 55;
}
static void branch(struct expect *e)
{
    fall(e, true);
}
static void scc0(struct expect *e)
{
    fall(e, !e->w->scc);
}
static void scc1(struct expect *e)
{
    fall(e, e->w->scc);
}
static void vccz(struct expect *e)
{
    fall(e, img_s64(e->w, 106) == 0);
}
static void vccnz(struct expect *e)
{
    fall(e, img_s64(e->w, 106) != 0);
}
static void execz(struct expect *e)
{
    fall(e, img_s64(e->w, 126) == 0);
}
static void execnz(struct expect *e)
{
    fall(e, img_s64(e->w, 126) != 0);
}
static void loop(struct expect *e)
{
    e->w->s[20] = 9;
    e->w->scc = 0;
}
static void getpc(struct expect *e)
{
    e->w->s[20] = 4; /* two s_getpc_b64 in a row are 4 bytes apart */
    e->w->scc = 0;
    any_scalar(e, 21, 1);
    any_scalar(e, 22, 2);
}
static void call(struct expect *e)
{
    any_scalar(e, 22, 2);
}
/* s_getpc (value: offset 4), target = offset 16: s_swappc there; what it jumps over is not executed. */
static void swappc(struct expect *e)
{
    any_scalar(e, 20, 4);
    e->w->scc = 0;
}
static void setpc(struct expect *e)
{
    any_scalar(e, 20, 2);
    e->w->scc = 0;
}
static void getreg(struct expect *e)
{
    e->w->s[20] = e->w->mode & 0xff;
}
static void setreg(struct expect *e)
{
    e->w->mode = (e->w->mode & ~0xfu) | 5;
}
static void setreg_s(struct expect *e)
{
    e->w->mode = (e->w->mode & ~0xf0u) | (e->w->s[20] & 15) << 4;
}
static void time_pair(struct expect *e)
{
    any_scalar(e, 20, 2);
}
static void movrels(struct expect *e)
{
    e->w->s[124] = 3;
    e->w->s[20] = e->w->s[33];
}
static void movrels64(struct expect *e)
{
    e->w->s[124] = 4;
    img_set_s64(e->w, 20, img_s64(e->w, 34));
}
static void movreld(struct expect *e)
{
    e->w->s[124] = 3;
    e->w->s[33] = e->w->s[20];
}
static void movreld64(struct expect *e)
{
    e->w->s[124] = 4;
    img_set_s64(e->w, 34, img_s64(e->w, 20));
}
static void index_move(struct expect *e, unsigned from, unsigned to, unsigned enables)
{
    for (unsigned l = 0; l < 64; l++)
        if (img_s64(e->w, 126) >> l & 1)
            e->w->v[to][l] = e->w->v[from][l];
    e->w->s[20] = 7;
    e->w->s[124] = (e->w->s[124] & ~0xf0ffu) | 7 | enables << 12;
}
/* s20 = 7 is the index; v_mov_b32 v1, v10. */
static void index_src0(struct expect *e)
{
    index_move(e, 17, 1, 1);
}
static void index_dst(struct expect *e)
{
    index_move(e, 10, 8, 8);
}
static void index_both(struct expect *e)
{
    index_move(e, 17, 8, 9);
}

/* The index changes from 7 to 3 between "on" and the move. */
static void index_changed(struct expect *e)
{
    index_move(e, 13, 1, 1);
    e->w->s[21] = 3;
    e->w->s[124] = (e->w->s[124] & ~0xffu) | 3;
}
static void idx_alone(struct expect *e)
{
    e->w->s[124] = (e->w->s[124] & ~0xffu) | (e->w->s[20] & 0xff);
}
static void not_taken(struct expect *e)
{
    fall(e, false);
}

/* ---- Fork and join. Paths: v1 = 1 where the condition s[62:63] fails, 2 where it holds; behind the join v2
 * = 3 with the EXEC of the path that came last. The stack's entry is s[4 * csp ...]: mask, address. ---- */

static void set_lanes(struct expect *e, unsigned row, uint64_t lanes, uint32_t value)
{
    for (unsigned l = 0; l < 64; l++)
        if (lanes >> l & 1)
            e->w->v[row][l] = value;
}
static void fork_join(struct expect *e, uint64_t condition, unsigned csp)
{
    const uint64_t exec = img_s64(e->w, 126), pass = exec & condition, fail = exec & ~condition;
    img_set_s64(e->w, 62, condition);
    e->w->s[64] = csp;
    set_lanes(e, 1, fail, 1);
    set_lanes(e, 1, pass, 2);
    uint64_t last = exec;
    if (pass != exec && fail != exec) { /* fewer lanes go first; as many: those for which it holds */
        last = __builtin_popcountll(fail) < __builtin_popcountll(pass) ? pass : fail;
        img_set_s64(e->w, 4 * csp, last);
        any_scalar(e, 4 * csp + 2, 2);
        img_set_s64(e->w, 126, last);
    }
    set_lanes(e, 2, last, 3);
}
static void i_fork(struct expect *e)
{
    fork_join(e, img_s64(e->w, 62), 0);
}
static void i_fork_all(struct expect *e)
{
    fork_join(e, img_s64(e->w, 126), 0);
}
static void i_fork_none(struct expect *e)
{
    fork_join(e, 0, 0);
}
static void i_fork_deep(struct expect *e)
{
    fork_join(e, img_s64(e->w, 62), 2);
    e->w->mode |= 2u << 29;
}
static void g_fork(struct expect *e)
{
    any_scalar(e, 60, 2);
    e->w->scc = 0;
    fork_join(e, img_s64(e->w, 62), 0);
}
#define FORK_I                                                                                               \
    "s_cbranch_i_fork s[62:63], 2\nv_mov_b32_e32 v1, 1\ns_branch 1\nv_mov_b32_e32 v1, 2\n"                   \
    "s_cbranch_join s64\nv_mov_b32_e32 v2, 3"

/* ---- Skipping of vector instructions ---- */

static void vskip(struct expect *e)
{
    const uint64_t exec = img_s64(e->w, 126);
    if (!(e->w->s[62] >> (e->w->s[63] & 31) & 1)) {
        set_lanes(e, 1, exec, 1);
        e->w->s[70] = e->w->v[3][exec ? __builtin_ctzll(exec) : 0];
    }
    e->w->s[71] = 5;
    set_lanes(e, 2, exec, 2);
}
static void vskip_stays(struct expect *e)
{
    e->w->s[20] = 1;
    e->w->mode |= 1u << 28;
}

#define INDEXED(mode)                                                                                        \
    "s_mov_b32 s20, 7\ns_set_gpr_idx_on s20, gpr_idx(" mode ")\nv_mov_b32_e32 v1, v10\ns_set_gpr_idx_off"
static const struct {
    const char *name, *text;
    void (*run)(struct expect *e);
} cases[] = {
    {"s_branch", "s_branch 1\ns_mov_b32 s20, 55", branch},
    {"s_cbranch_scc0", "s_cbranch_scc0 1\ns_mov_b32 s20, 55", scc0},
    {"s_cbranch_scc1", "s_cbranch_scc1 1\ns_mov_b32 s20, 55", scc1},
    {"s_cbranch_vccz", "s_cbranch_vccz 1\ns_mov_b32 s20, 55", vccz},
    {"s_cbranch_vccz", "s_mov_b64 vcc, 0\ns_cbranch_vccz 1\ns_mov_b32 s20, 55\ns_mov_b64 vcc, exec", NULL},
    {"s_cbranch_vccnz", "s_cbranch_vccnz 1\ns_mov_b32 s20, 55", vccnz},
    {"s_cbranch_execz", "s_cbranch_execz 1\ns_mov_b32 s20, 55", execz},
    {"s_cbranch_execnz", "s_cbranch_execnz 1\ns_mov_b32 s20, 55", execnz},
    {"s_cbranch_scc1", "s_mov_b32 s20, 0\ns_add_u32 s20, s20, 1\ns_cmp_lt_u32 s20, 9\ns_cbranch_scc1 0xfffd",
     loop},
    {"s_getpc_b64", "s_getpc_b64 s[20:21]\ns_getpc_b64 s[22:23]\ns_sub_u32 s20, s22, s20", getpc},
    {"s_call_b64", "s_call_b64 s[22:23], 1\ns_mov_b32 s20, 55", call},
    {"s_swappc_b64",
     "s_getpc_b64 s[20:21]\ns_add_u32 s20, s20, 16\ns_addc_u32 s21, s21, 0\ns_swappc_b64 s[22:23], s[20:21]\n"
     "s_mov_b32 s30, 55",
     swappc},
    {"s_setpc_b64",
     "s_getpc_b64 s[20:21]\ns_add_u32 s20, s20, 16\ns_addc_u32 s21, s21, 0\ns_setpc_b64 s[20:21]\n"
     "s_mov_b32 s30, 55",
     setpc},
    {"s_getreg_b32", "s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)", getreg},
    {"s_setreg_imm32_b32", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5", setreg},
    {"s_setreg_b32", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s20", setreg_s},
    {"s_memtime", "s_memtime s[20:21]", time_pair},
    {"s_memrealtime", "s_memrealtime s[20:21]", time_pair},
    {"s_movrels_b32", "s_mov_b32 m0, 3\ns_movrels_b32 s20, s30", movrels},
    {"s_movrels_b64", "s_mov_b32 m0, 4\ns_movrels_b64 s[20:21], s[30:31]", movrels64},
    {"s_movreld_b32", "s_mov_b32 m0, 3\ns_movreld_b32 s30, s20", movreld},
    {"s_movreld_b64", "s_mov_b32 m0, 4\ns_movreld_b64 s[30:31], s[20:21]", movreld64},
    {"s_set_gpr_idx_on", INDEXED("SRC0"), index_src0},
    {"s_set_gpr_idx_on", INDEXED("DST"), index_dst},
    {"s_set_gpr_idx_on", INDEXED("SRC0,DST"), index_both},
    {"s_set_gpr_idx_off", INDEXED("SRC0"), index_src0},
    {"s_set_gpr_idx_idx",
     "s_mov_b32 s20, 7\ns_mov_b32 s21, 3\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\ns_set_gpr_idx_idx s21\n"
     "v_mov_b32_e32 v1, v10\ns_set_gpr_idx_off",
     index_changed},
    {"s_set_gpr_idx_idx", "s_set_gpr_idx_idx s20", idx_alone},
    {"s_set_gpr_idx_mode",
     "s_mov_b32 s20, 7\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\ns_set_gpr_idx_mode gpr_idx(DST)\n"
     "v_mov_b32_e32 v1, v10\ns_set_gpr_idx_off",
     index_dst},
    {"s_cbranch_i_fork", "s_mov_b32 s64, 0\n" FORK_I, i_fork},
    {"s_cbranch_i_fork", "s_mov_b32 s64, 0\ns_mov_b64 s[62:63], exec\n" FORK_I, i_fork_all},
    {"s_cbranch_i_fork", "s_mov_b32 s64, 0\ns_mov_b64 s[62:63], 0\n" FORK_I, i_fork_none},
    {"s_cbranch_join", "s_mov_b32 s64, 2\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 29, 3), 2\n" FORK_I,
     i_fork_deep},
    {"s_cbranch_g_fork",
     "s_mov_b32 s64, 0\ns_getpc_b64 s[60:61]\ns_add_u32 s60, s60, 20\ns_addc_u32 s61, s61, 0\n"
     "s_cbranch_g_fork s[62:63], s[60:61]\nv_mov_b32_e32 v1, 1\ns_branch 1\nv_mov_b32_e32 v1, 2\n"
     "s_cbranch_join s64\nv_mov_b32_e32 v2, 3",
     g_fork},
    {"s_setvskip",
     "s_setvskip s62, s63\nv_mov_b32_e32 v1, 1\nv_readfirstlane_b32 s70, v3\ns_mov_b32 s71, 5\n"
     "s_setvskip 0, 0\nv_mov_b32_e32 v2, 2",
     vskip},
    {"s_setvskip",
     "s_setvskip -1, 0\ns_branch 1\ns_mov_b32 s20, 0\nv_mov_b32_e32 v1, 1\n"
     "s_getreg_b32 s20, hwreg(HW_REG_MODE, 28, 1)",
     vskip_stays},
    {"s_setkill", "s_setkill 1\ns_mov_b32 s20, 55", nothing},
    {"s_setkill", "s_setkill 0\ns_mov_b32 s20, 55", not_taken},
    {"s_endpgm_saved", "s_endpgm_saved\ns_mov_b32 s20, 55", nothing},
    {"s_trap", "s_trap 3", nothing}, /* llvm.debugtrap without a debugger */
    {"s_sendmsg", "s_sendmsg sendmsg(MSG_INTERRUPT)", nothing},
    {"s_incperflevel", "s_incperflevel 1", nothing},
    {"s_decperflevel", "s_decperflevel 1", nothing},
    /* No debugger is attached. */
    {"s_cbranch_cdbgsys", "s_cbranch_cdbgsys 1\ns_mov_b32 s20, 55", not_taken},
    {"s_cbranch_cdbguser", "s_cbranch_cdbguser 1\ns_mov_b32 s20, 55", not_taken},
    {"s_cbranch_cdbgsys_or_user", "s_cbranch_cdbgsys_or_user 1\ns_mov_b32 s20, 55", not_taken},
    {"s_cbranch_cdbgsys_and_user", "s_cbranch_cdbgsys_and_user 1\ns_mov_b32 s20, 55", not_taken},
    {"s_endpgm", "s_endpgm\ns_mov_b32 s20, 55", nothing},
    {"s_nop", "s_nop 3", nothing},
    {"s_waitcnt", "s_waitcnt vmcnt(0) lgkmcnt(0)", nothing},
    {"s_barrier", "s_barrier", nothing},
    {"s_sleep", "s_sleep 1", nothing},
    {"s_setprio", "s_setprio 2", nothing},
    {"s_sethalt", "s_sethalt 0", nothing},
    {"s_icache_inv", "s_icache_inv", nothing},
    {"s_dcache_inv", "s_dcache_inv", nothing},
    {"s_dcache_wb", "s_dcache_wb", nothing},
    {"s_dcache_inv_vol", "s_dcache_inv_vol", nothing},
    {"s_wakeup", "s_wakeup", nothing},
    {"s_ttracedata", "s_ttracedata", nothing},
    {"v_clrexcp", "v_clrexcp", nothing},
    {"buffer_wbl2", "buffer_wbl2", nothing},
};
static const struct {
    const char *name, *text;
    enum sg_fault_kind fault;
} stops[] = {
    {"s_trap", "s_trap 2", SG_FAULT_TRAP},
    {"s_sethalt", "s_sethalt 1", SG_FAULT_DEADLOCK},
    {"s_sendmsghalt", "s_sendmsghalt sendmsg(MSG_INTERRUPT)", SG_FAULT_DEADLOCK},
    {"s_rfe_b64", "s_rfe_b64 s[4:5]", SG_FAULT_ILLEGAL}, /* a kernel has no privilege */
    {"s_rfe_restore_b64", "s_rfe_restore_b64 s[4:5], s6", SG_FAULT_ILLEGAL},
    {"s_setreg_imm32_b32", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1", SG_FAULT_UNIMPLEMENTED},
};
static const struct {
    const char *name, *text;
    uint8_t arch;
} no_effect[] = {{"buffer_wbinvl1", "buffer_wbinvl1", A_90A},
                 {"buffer_wbinvl1_vol", "buffer_wbinvl1_vol", A_90A},
                 {"buffer_invl2", "buffer_invl2", A_90A},
                 {"buffer_inv", "buffer_inv sc1", A_942 | A_950}};

static void vcc_is_zero(struct expect *e)
{
    img_set_s64(e->w, 106, img_s64(e->w, 126));
}

static struct tcase *add(struct suite *s, const char *name, const char *text, void (*run)(struct expect *))
{
    if (!suite_wants(s, name))
        return NULL;
    struct tcase *tc = suite_add(s, name, sizeof(struct ccase));
    struct ccase *c = tc->data;
    c->run = run ? run : vcc_is_zero;
    tc->ref = run_reference;
    tc->rounds = 6;
    text_add(tc, "%s", text);
    return tc;
}

void gen_control(struct suite *s)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        add(s, cases[i].name, cases[i].text, cases[i].run);
    for (unsigned i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct tcase *tc = add(s, stops[i].name, stops[i].text, nothing);
        if (tc)
            tc->fault = (uint8_t)stops[i].fault;
    }
    for (unsigned i = 0; i < sizeof no_effect / sizeof *no_effect; i++)
        if (no_effect[i].arch & s->bit)
            add(s, no_effect[i].name, no_effect[i].text, nothing);
}
