/* harness_assemble.c - all cases of a target in one llvm-mc run, in the words that its assembler takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness_run.h"

static unsigned lines_of(const char *text)
{
    unsigned n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Marks the case that owns source line `line` as rejected. */
static void reject_line(struct suite *s, const size_t *owner, size_t n_lines, size_t line)
{
    if (line >= 1 && line <= n_lines)
        s->cases[owner[line - 1]].rejected = true;
}

static bool parse_encoding(const char *p, struct tcase *c)
{
    uint8_t byte[20];
    unsigned n = 0;
    while (n < sizeof byte) {
        unsigned v;
        if (sscanf(p, "0x%2x", &v) != 1)
            return false;
        byte[n++] = (uint8_t)v;
        p += 4;
        if (*p != ',')
            break;
        p++;
    }
    for (unsigned i = 0; i + 3 < n; i += 4) {
        if (c->n_words == sizeof c->words / sizeof *c->words)
            return false;
        memcpy(&c->words[c->n_words++], byte + i, 4);
    }
    return true;
}

/* Prints gfx11's name of an instruction, where llvm-mc does not take gfx9's for it: "RDNA3 Instruction Set
 * Architecture", chapter 16. Returns what follows in `text`. */
static const char *print_gfx11_name(FILE *f, const char *text)
{
    static const struct {
        const char *gfx9, *gfx11;
    } names[] = {
        {"v_mul_legacy_f32", "v_mul_dx9_zero_f32"},
        {"v_fma_legacy_f32", "v_fma_dx9_zero_f32"},
        {"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"},
        {"v_cvt_pknorm_", "v_cvt_pk_norm_"},
        {"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
        {"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"},
        {"v_ffbl_b32", "v_ctz_i32_b32"},
        {"v_ffbh_u32", "v_clz_i32_u32"},
        {"v_ffbh_i32", "v_cls_i32"},
        {"v_cmp_tru_", "v_cmp_t_"},
        {"v_cmpx_tru_", "v_cmpx_t_"},
        {"v_dot2c_f32_f16", "v_dot2acc_f32_f16"},
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i].gfx9);
        if (strncmp(text, names[i].gfx9, n))
            continue;
        fputs(names[i].gfx11, f);
        return text + n;
    }
    return text;
}

/* What follows the name: what is written bound_ctrl:0 up to gfx10 is bound_ctrl:1 (LLVM AMDGPUModifierSyntax). `mixed`:
 * of an instruction whose operands may be signed, both are. */
static void print_gfx11_rest(FILE *f, const char *text, bool mixed)
{
    static const char older[] = "bound_ctrl:0";
    for (const char *at; (at = strstr(text, older)); text = at + strlen(older))
        fprintf(f, "%.*sbound_ctrl:1", (int)(at - text), text);
    fprintf(f, "%s%s", text, mixed ? " neg_lo:[1,1,0]" : "");
}

/* Minimum or maximum of floats as up to gfx11. gfx12's assembler takes the name for that of another operation, which treats
 * NaNs otherwise ("RDNA4 Instruction Set Architecture", V_MIN_NUM_F32). */
static bool is_older_minimum(const char *text)
{
    static const char *const names[] = {"v_min_f",  "v_max_f",    "v_min3_f",  "v_max3_f",
                                        "v_med3_f", "v_pk_min_f", "v_pk_max_f"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(text, names[i], strlen(names[i])))
            return true;
    return false;
}

/* The text of a case as the target's assembler takes it. Of gfx9's names that gfx10 has given to other
 * instructions, or changed: "AMD RDNA 2 Instruction Set Architecture", chapter 12. */
static void print_text(FILE *f, const struct suite *s, const char *text)
{
    static const struct {
        const char *gfx9, *gfx10;
    } renamed[] = {
        {"v_add_u32", "v_add_nc_u32"},
        {"v_sub_u32", "v_sub_nc_u32"},
        {"v_subrev_u32", "v_subrev_nc_u32"},
        {"v_add_i32", "v_add_nc_i32"},
        {"v_sub_i32", "v_sub_nc_i32"},
        {"v_add_u16", "v_add_nc_u16"},
        {"v_sub_u16", "v_sub_nc_u16"},
        {"v_add_i16", "v_add_nc_i16"},
        {"v_sub_i16", "v_sub_nc_i16"},
        {"v_addc_co_u32", "v_add_co_ci_u32"},
        {"v_subb_co_u32", "v_sub_co_ci_u32"},
        {"v_subbrev_co_u32", "v_subrev_co_ci_u32"},
        {"v_cmpx_", "v_cmpx_"},
    };
    const bool mixed = !strncmp(text, "v_dot4_i32_i8", 13) || !strncmp(text, "v_dot8_i32_i4", 13);
    if (s->arch->family->encoding == 12 && is_older_minimum(text))
        fputs("not_here_", f); /* is refused */
    if (s->gfx11)
        text = print_gfx11_name(f, text);
    for (unsigned i = 0; s->rdna && i < sizeof renamed / sizeof *renamed; i++) {
        const size_t n = strlen(renamed[i].gfx9);
        if (strncmp(text, renamed[i].gfx9, n))
            continue;
        fputs(renamed[i].gfx10, f);
        text += n;
        /* gfx10's v_cmpx has no destination in the text. */
        const char *operands = strchr(text, ' '), *comma = strchr(text, ',');
        if (!strcmp(renamed[i].gfx9, "v_cmpx_") && operands && comma) {
            fprintf(f, "%.*s", (int)(operands - text), text);
            text = comma + 1;
            fputc(' ', f);
        }
        break;
    }
    if (s->gfx11)
        print_gfx11_rest(f, text, mixed);
    else
        fputs(text, f);
    fputc('\n', f);
}

bool suite_assemble(struct suite *s)
{
    char dir[] = "/tmp/isa-diff-XXXXXX", in[64], out[64], err[64], cmd[512], line[512];
    if (!mkdtemp(dir))
        return false;
    snprintf(in, sizeof in, "%s/in.s", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(err, sizeof err, "%s/err", dir);
    size_t n_lines = 0;
    for (size_t i = 0; i < s->n; i++)
        n_lines += lines_of(s->cases[i].text);
    size_t *owner = malloc((n_lines + 1) * sizeof *owner);
    uint8_t *bad = calloc(n_lines + 1, 1);
    FILE *f = fopen(in, "w");
    if (!owner || !bad || !f)
        harness_die("cannot write the assembler's input");
    size_t at = 0;
    for (size_t i = 0; i < s->n; i++) {
        print_text(f, s, s->cases[i].text);
        for (unsigned k = lines_of(s->cases[i].text); k; k--)
            owner[at++] = i;
    }
    fclose(f);
    snprintf(cmd, sizeof cmd,
             "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s %s --show-encoding %s >%s 2>%s; test $? -lt 126",
             s->arch->name,
             !s->rdna   ? ""
             : s->gfx11 ? "-mattr=+wavefrontsize64,-wavefrontsize32,-real-true16"
                        : "-mattr=+wavefrontsize64,-wavefrontsize32",
             in, out, err);
    bool ok = system(cmd) == 0;
    if (ok && (f = fopen(err, "r"))) {
        while (fgets(line, sizeof line, f)) {
            size_t l;
            if (!strncmp(line, in, strlen(in)) && sscanf(line + strlen(in), ":%zu:", &l) == 1 &&
                strstr(line, ": error:") && l >= 1 && l <= n_lines && !bad[l - 1]) {
                bad[l - 1] = 1;
                reject_line(s, owner, n_lines, l);
            }
        }
        fclose(f);
    }
    size_t next = 0;
    if (ok && (f = fopen(out, "r"))) {
        while (fgets(line, sizeof line, f)) {
            char *p = strstr(line, "; encoding: [");
            if (!p)
                continue;
            while (next < n_lines && bad[next])
                next++;
            if (next == n_lines || !parse_encoding(p + 13, &s->cases[owner[next]]))
                ok = false;
            next++;
        }
        fclose(f);
    }
    while (next < n_lines && bad[next])
        next++;
    if (next != n_lines)
        ok = false;
    if (!ok)
        fprintf(stderr, "isa-diff: llvm-mc-22 is missing or its output for %s was not understood (%s)\n",
                s->arch->name, cmd);
    unlink(in), unlink(out), unlink(err), rmdir(dir);
    free(owner), free(bad);
    return ok;
}
