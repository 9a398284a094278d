/*
 * compile.c - see compile.h. Our attempt writes into a set of its own. Only when it succeeds does the program
 * get what is in it; else comgr does what was asked for, as if we were not there.
 *
 * Sources become bitcode with line tables, and bitcode becomes code with the plugin. HIP's own kernels, which
 * copy and fill, go by unobserved.
 */
#include "compile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/names.h"
#include "hsa-plugin/log.h"
#include "outside.h"
#include "prepare.h"
#include "source.h"

enum { OPTIONS_MOST = 4 };

/* Says so the first time. */
static void complain(atomic_flag *said, const char *what, const char *detail)
{
    if (!atomic_flag_test_and_set(said))
        ls_log(LS_LOG_WARNING, "%s%s", what, detail);
}

/* What becomes of a kernel whose `step` was done without us: its code may still be generated with the plugin. */
static const char *loses(enum comgr_step step)
{
    return step == STEP_SOURCE_TO_BITCODE ? "have no lines" : "are not observed";
}

static bool holds(const struct comgr *c, comgr_object in, int kind, const char *text)
{
    size_t n = 0;
    bool found = false;
    if (c->data_count(in, kind, &n))
        return false;
    for (size_t i = 0; !found && i < n; i++) {
        comgr_object data;
        size_t size;
        if (c->data_at(in, kind, i, &data))
            continue;
        char *bytes = comgr_bytes(c, data, &size);
        found = bytes && memmem(bytes, size, text, strlen(text));
        free(bytes);
        c->release_data(data);
    }
    return found;
}

/* Kernels that HIP and OpenCL bring along, and the device library's own. */
static bool is_runtime_own(const struct comgr *c, comgr_object in)
{
    static const char *const names[] = {LS_RUNTIME_KERNEL, "__ockl_dm_init_v1("};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (holds(c, in, COMGR_SOURCE, names[i]) || (!i && holds(c, in, COMGR_BITCODE, names[i])))
            return true;
    return false;
}

/* Line tables are the least; who asks for more keeps it. */
static bool has_debug(const struct comgr_options *o)
{
    bool has = false;
    for (size_t i = 0; i < o->n; i++)
        if (!strncmp(o->v[i], "-g", 2))
            has = strcmp(o->v[i], "-g0") != 0;
    return has;
}

/* What `step` needs beyond the program's own options; returns how many. Free those that are not NULL. */
static size_t more_options(const struct rtc *r, enum comgr_step step, const struct comgr_options *o,
                           char *more[OPTIONS_MOST])
{
    size_t n = 0;
    if (step != STEP_GENERATE) {
        if (!has_debug(o))
            more[n++] = strdup("-gline-tables-only");
        /* __FILE__ stays free of our folder. */
        if (asprintf(&more[n], "-fmacro-prefix-map=%s/=", r->directory) > 0)
            n++;
    }
    if (step == STEP_SOURCE_TO_CODE && r->clang) { /* bitcode for it that no pass has seen */
        more[n++] = strdup("-Xclang");
        more[n++] = strdup("-disable-llvm-passes");
    } else if (step != STEP_SOURCE_TO_BITCODE && asprintf(&more[n], "-fpass-plugin=%s", r->plugin) > 0) {
        n++;
    }
    return n;
}

/* The action with our options, into `result`. False: it failed, or could not be tried. */
static bool with_options(const struct rtc *r, enum comgr_step step, int action, comgr_object info,
                         comgr_object in, comgr_object result)
{
    const struct comgr *c = &r->comgr;
    struct comgr_options o;
    char *more[OPTIONS_MOST] = {0};
    if (!comgr_options_get(c, info, &o))
        return false;
    size_t n = more_options(r, step, &o, more);
    bool ok =
        comgr_options_set(c, info, &o, (const char *const *)more, n) && !c->action(action, info, in, result);
    ok = comgr_options_set(c, info, &o, NULL, 0) && ok;
    for (size_t i = 0; i < OPTIONS_MOST; i++)
        free(more[i]);
    comgr_options_free(&o);
    return ok;
}

/* One action that makes code of sources, by a clang outside. */
static bool code_outside(const struct rtc *r, int action, comgr_object info, comgr_object in,
                         comgr_object kept, comgr_object result)
{
    comgr_object bitcode;
    if (r->comgr.create_data_set(&bitcode))
        return false;
    bool ok = with_options(r, STEP_SOURCE_TO_CODE, COMGR3_SOURCE_TO_BITCODE, info, kept, bitcode) &&
              rtc_finish_outside(r, action, info, in, bitcode, result) &&
              comgr_move(&r->comgr, COMGR_LOG, bitcode, result);
    r->comgr.destroy_data_set(bitcode);
    return ok;
}

static void complain_of_text(enum comgr_step step, const char *why)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char what[128];
    snprintf(what, sizeof what,
             "the text of kernels compiled at run time is not kept, and they %s: ", loses(step));
    complain(&said, what, why);
}

/* The same on kept sources, whose lines have lasting names. Sets *told when it has said why it cannot be done. */
static bool attempt(const struct rtc *r, enum comgr_step step, int action, comgr_object info, comgr_object in,
                    comgr_object result, bool *told)
{
    const struct comgr *c = &r->comgr;
    comgr_object kept;
    if (step == STEP_GENERATE && r->clang)
        return rtc_generate_outside(r, action, info, in, result);
    if (step == STEP_GENERATE)
        return with_options(r, step, action, info, in, result);
    if (c->create_data_set(&kept))
        return false;
    errno = 0;
    bool ok = rtc_keep_sources(c, r->directory, in, kept);
    *told = !ok;
    if (ok)
        ok = step == STEP_SOURCE_TO_CODE && r->clang ? code_outside(r, action, info, in, kept, result)
                                                     : with_options(r, step, action, info, kept, result);
    else
        complain_of_text(step, errno ? strerror(errno) : "comgr refuses copies of its data");
    c->destroy_data_set(kept);
    return ok;
}

/* What comgr says without us: messages name the program's files, not ours. It compiles once more for that,
 * so only when there are any. */
static bool take_log(const struct comgr *c, int action, comgr_object info, comgr_object in,
                     comgr_object result, comgr_object out)
{
    comgr_object plain;
    if (!holds(c, result, COMGR_LOG, ":"))
        return comgr_move(c, COMGR_LOG, result, out);
    if (c->create_data_set(&plain))
        return false;
    bool ok = !c->action(action, info, in, plain) && comgr_move(c, COMGR_LOG, plain, out);
    c->destroy_data_set(plain);
    return ok;
}

static bool give(const struct comgr *c, comgr_object result, comgr_object out)
{
    bool ok = true;
    for (int kind = 1; ok && kind <= COMGR_LAST_KIND; kind++)
        ok = kind == COMGR_LOG || comgr_move(c, kind, result, out);
    return ok;
}

static bool observed(const struct rtc *r, enum comgr_step step, int action, comgr_object info,
                     comgr_object in, comgr_object out, bool *told)
{
    const struct comgr *c = &r->comgr;
    comgr_object result;
    if (c->create_data_set(&result))
        return false;
    bool ok = attempt(r, step, action, info, in, result, told) &&
              (step == STEP_GENERATE ? comgr_move(c, COMGR_LOG, result, out)
                                     : take_log(c, action, info, in, result, out)) &&
              give(c, result, out);
    c->destroy_data_set(result);
    return ok;
}

static void complain_of_comgr(atomic_flag *said, enum comgr_step step)
{
    char what[128];
    snprintf(what, sizeof what, "kernels compiled at run time %s: comgr refuses to compile them with %s",
             loses(step), step == STEP_SOURCE_TO_BITCODE ? "line tables" : "the plugin");
    complain(said, what, "");
}

int rtc_action(struct rtc *r, int action, comgr_object info, comgr_object in, comgr_object out)
{
    static atomic_flag said[STEP_SOURCE_TO_CODE + 1] = {ATOMIC_FLAG_INIT}, said_why = ATOMIC_FLAG_INIT;
    const struct comgr *c = &r->comgr;
    enum comgr_step step = r->known ? comgr_step(c, action) : STEP_OTHER;
    if (step == STEP_OTHER || is_runtime_own(c, in))
        return c->action(action, info, in, out);
    rtc_prepare(r);
    if (!r->plugin) {
        if (r->why)
            complain(&said_why, "kernels compiled at run time are not observed: ", r->why);
        return c->action(action, info, in, out);
    }
    bool told = false;
    if (observed(r, step, action, info, in, out, &told))
        return COMGR_SUCCESS;
    int status = c->action(action, info, in, out);
    if (!status && !told) /* else the program's own source is wrong, which is the program's affair */
        complain_of_comgr(&said[step], step);
    return status;
}
