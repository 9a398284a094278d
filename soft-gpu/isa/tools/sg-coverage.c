/*
 * sg-coverage.c - which instructions of a target the engine executes.
 *
 *   sg-coverage [--all] [GPU ...]
 *
 * Tries every opcode number of every encoding: what decodes is executed once as a single wavefront with EXEC
 * = 0; an instruction counts as implemented unless the engine answers SG_FAULT_UNIMPLEMENTED (page faults
 * and traps are answers of an implementation). Prints counts per encoding and the names that are missing;
 * with --all also those that are there. The exit code is 0 whatever the counts are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gcn/gcn.h"
#include "soft-gpu/isa/engine.h"

/* One encoding: opcode field and, for the operand fields, words in which the registers differ. Field
 * positions: CDNA3 ISA document, chapter "Microcode formats". */
struct encoding {
    const char *name;
    unsigned format; /* enum gcn_format that must come out, so that sub-encodings are not counted twice */
    unsigned opcodes, shift;
    uint32_t base;
    uint32_t low[6];    /* other bits of the first dword: candidates, tried in turn */
    uint32_t second[8]; /* second dword: candidates */
    unsigned n_low, n_second;
};

/* Vector registers 16 (destination), 32, 48, 64 (sources); scalar registers 16, 32, 48. */
#define VSRC (256u + 32)
#define VOP3_LO (VSRC | (256u + 48) << 9)
static const struct encoding encodings[] = {
    {"SOP2", GCN_FMT_SOP2, 96, 23, 0x80000000, {48 << 8 | 16 << 16 | 32}, {0}, 1, 0},
    {"SOPK", GCN_FMT_SOPK, 32, 23, 0xb0000000, {16 << 16, 16 << 16 | 0xf801}, {1}, 2, 0},
    {"SOP1", GCN_FMT_SOP1, 64, 8, 0xbe800000, {16 << 16 | 32}, {0}, 1, 0},
    {"SOPC", GCN_FMT_SOPC, 64, 16, 0xbf000000, {48 << 8 | 32}, {0}, 1, 0},
    {"SOPP", GCN_FMT_SOPP, 64, 16, 0xbf800000, {0, 1}, {0}, 2, 0},
    {"SMEM", GCN_FMT_SMEM, 256, 18, 0xc0020000, {16 << 6 | 8, 0}, {0x10}, 2, 1},
    {"VOP2", GCN_FMT_VOP2, 62, 25, 0, {VSRC | 48 << 9 | 16 << 17}, {0}, 1, 0},
    {"VOP1", GCN_FMT_VOP1, 256, 9, 0x7e000000, {VSRC | 16 << 17, 0, 16 << 17 | (256 + 33)}, {0}, 3, 0},
    {"VOPC", GCN_FMT_VOPC, 256, 17, 0x7c000000, {VSRC | 48 << 9}, {0}, 1, 0},
    {"VOP3",
     GCN_FMT_VOP3,
     1024,
     16,
     0xd0000000,
     {16, 16 | 20 << 8},
     {VOP3_LO | (256u + 64) << 18, VOP3_LO, VSRC, VSRC | 48 << 9, 32 | 48 << 9, 0, VOP3_LO | 20 << 18,
      VSRC | (256u + 48) << 9},
     2,
     8},
    {"VOP3P",
     GCN_FMT_VOP3P,
     128,
     16,
     0xd3800000,
     {16 | 1 << 14, 16},
     {3 << 27 | VOP3_LO | (256u + 64) << 18, 3 << 27 | VOP3_LO, VOP3_LO, VSRC},
     2,
     4},
    {"MAI",
     GCN_FMT_MAI,
     128,
     16,
     0xd3800000,
     {16, 16 | 1 << 14},
     {VOP3_LO | (256u + 64) << 18, VSRC | (256u + 48) << 9, VSRC, 1 << 27 | VSRC},
     2,
     4},
    {"DS",
     GCN_FMT_DS,
     256,
     17,
     0xd8000000,
     {16, 16 | 1 << 16},
     {16 << 24 | 64 << 16 | 48 << 8 | 32, 16 << 24 | 48 << 8 | 32, 16 << 24 | 32, 64 << 16 | 48 << 8 | 32,
      48 << 8 | 32, 32, 16 << 24, 48 << 8},
     2,
     8},
    {"FLAT",
     GCN_FMT_FLAT,
     128,
     18,
     0xdc000000,
     {16, 16 | 1 << 16},
     {16u << 24 | 48 << 8 | 32, 16u << 24 | 32},
     2,
     2},
    {"GLOBAL",
     GCN_FMT_GLOBAL,
     128,
     18,
     0xdc008000,
     {16, 16 | 1 << 16},
     {16u << 24 | 0x7f << 16 | 48 << 8 | 32, 0x7f << 16 | 32},
     2,
     2},
    {"SCRATCH",
     GCN_FMT_SCRATCH,
     128,
     18,
     0xdc004000,
     {16, 16 | 1 << 13},
     {16u << 24 | 0x7f << 16 | 48 << 8 | 32, 0x7f << 16, 16u << 24 | 0x7f << 16 | 32},
     2,
     3},
    {"MUBUF",
     GCN_FMT_MUBUF,
     128,
     18,
     0xe0000000,
     {1 << 12 | 16, 1 << 12 | 16 | 1 << 16, 0, 1 << 16},
     {128u << 24 | 8 << 16 | 16 << 8 | 32, 128u << 24 | 8 << 16, 0},
     4,
     3},
    {"MTBUF",
     GCN_FMT_MTBUF,
     16,
     15,
     0xe8000000 | 1 << 23 | 4 << 19,
     {1 << 12 | 16},
     {128u << 24 | 8 << 16 | 16 << 8 | 32},
     1,
     1},
    {"MIMG",
     GCN_FMT_MIMG,
     128,
     18,
     0xf0000000,
     {0xf << 8 | 1 << 12, 0xf << 8},
     {8 << 16 | 16 << 8 | 32, 4 << 21 | 8 << 16 | 16 << 8 | 32},
     2,
     2},
};

static bool implemented(const struct ls_gpu *arch, const uint32_t *words, unsigned dwords)
{
    static struct sg_wave_image w;
    static uint8_t lds[1024];
    struct sg_fault fault = {0};
    memset(&w, 0, sizeof w);
    for (unsigned i = 0; i < 126; i++) /* a jump through a register leaves the code: a fault, not a loop */
        w.s[i] = 0x7f00;
    w.mode = 0x3f0;
    w.lds = lds;
    w.lds_bytes = sizeof lds;
    sg_engine_exec_raw(arch, NULL, words, dwords, &w, &fault);
    return fault.kind != SG_FAULT_UNIMPLEMENTED;
}

enum slot { SLOT_NONE, SLOT_MISSING, SLOT_IMPLEMENTED };

/* Tries all candidates: an opcode counts if one form of it executes (v_readlane_b32 wants a scalar register
 * where v_fma_f32 wants a vector one). */
static enum slot try_slot(const struct ls_gpu *arch, const struct encoding *e, unsigned opcode, unsigned *op)
{
    enum slot best = SLOT_NONE;
    for (unsigned i = 0; i < e->n_low; i++)
        for (unsigned k = 0; k < (e->n_second ? e->n_second : 1); k++) {
            struct gcn_inst in;
            /* Without a second dword: the literal of fmamk, fmaak, setreg_imm. */
            uint32_t words[3] = {e->base | opcode << e->shift | e->low[i],
                                 e->n_second ? e->second[k] : 0x300};
            if (!gcn_decode(gcn_target_of(arch), words, 3, 0x1000, &in) || in.format != e->format)
                continue;
            *op = in.op;
            if (implemented(arch, words, in.bytes / 4))
                return SLOT_IMPLEMENTED;
            best = SLOT_MISSING;
        }
    return best;
}

static void cover(const struct ls_gpu *arch, bool all)
{
    unsigned total = 0, done = 0;
    for (unsigned f = 0; f < sizeof encodings / sizeof *encodings; f++) {
        const struct encoding *e = &encodings[f];
        unsigned slots = 0, have = 0;
        char missing[16384] = "", there[32768] = "";
        for (unsigned op = 0; op < e->opcodes; op++) {
            unsigned name = 0;
            enum slot slot = try_slot(arch, e, op, &name);
            if (slot == SLOT_NONE)
                continue;
            slots++;
            bool ok = slot == SLOT_IMPLEMENTED;
            have += ok;
            char *list = ok ? there : missing;
            size_t used = strlen(list), size = ok ? sizeof there : sizeof missing;
            snprintf(list + used, size - used, " %s", gcn_op_name(name));
        }
        printf("%s %-8s %4u opcodes, %4u implemented, %3u not%s%s\n", arch->name, e->name, slots, have,
               slots - have, slots > have ? ":" : "", missing);
        if (all)
            printf("%s %-8s implemented:%s\n", arch->name, e->name, there);
        total += slots;
        done += have;
    }
    printf("%s total    %4u opcodes, %4u implemented, %u not\n", arch->name, total, done, total - done);
}

int main(int argc, char **argv)
{
    char gpus[128];
    bool all = false, any = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            printf("Usage: sg-coverage [--all] [%s ...]\n\n"
                   "Prints, per encoding, how many instructions of a target the software GPU executes and "
                   "which it\n"
                   "does not; with --all also those that it does. Without a target: all of them.\n",
                   ls_gpu_names(gpus, sizeof gpus, "", "|", "|"));
            return 0;
        }
        if (!strcmp(argv[i], "--all")) {
            all = true;
            continue;
        }
        const struct ls_gpu *arch = ls_gpu_find_emulated(argv[i]);
        if (!arch || arch->family->encoding != 9) {
            char names[256];
            fprintf(stderr, "sg-coverage: unknown target %s: %s is expected\n", argv[i],
                    ls_gpu_names(names, sizeof names, "", ", ", " or "));
            return 2;
        }
        cover(arch, all);
        any = true;
    }
    const struct ls_gpu *gpu;
    for (size_t i = 0; !any && (gpu = ls_gpu_emulated_at(i)); i++)
        if (gpu->family->encoding == 9) /* the encodings above */
            cover(gpu, all);
    return 0;
}
