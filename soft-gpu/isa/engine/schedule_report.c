/*
 * schedule_report.c - what the check found in a dispatch, with the text of the instructions.
 */
#include "gcn/gcn.h"
#include "schedule_group.h"

struct report_target {
    struct sg_engine *engine;
    struct sg_job *job;
    struct sg_check_report report;
};

static void instruction_text(const struct report_target *t, uint64_t pc, char *out, size_t size)
{
    uint32_t words[GCN_WORDS];
    out[0] = '\0';
    if (!pc)
        return;
    unsigned n = sg_code_words(t->job->code, pc, words);
    gcn_disassemble(gcn_target_of(t->engine->config.arch), words, n, pc, out, size);
}

static void report_finding(void *user, const struct sg_finding *finding)
{
    struct report_target *t = user;
    struct sg_check_report *r = &t->report;
    r->finding = finding;
    instruction_text(t, finding->a.pc, r->instruction[0], sizeof r->instruction[0]);
    instruction_text(t, finding->b.pc, r->instruction[1], sizeof r->instruction[1]);
    t->engine->config.ops->found(t->engine->config.user, r);
}

void sg_report_findings(struct sg_engine *e, struct sg_job *j)
{
    struct report_target t = {e, j, {j->dispatch.kernel_object, j->number, NULL, 0, {1, 1}, {"", ""}}};
    const bool wanted = e->config.ops && e->config.ops->found;
    t.report.groups[0] = j->shape.groups[0];
    t.report.groups[1] = j->shape.groups[1];
    sg_check_job_end(j->check, wanted ? report_finding : NULL, &t, &t.report.lost);
    j->check = NULL;
    if (wanted) {
        t.report.finding = NULL;
        e->config.ops->found(e->config.user, &t.report);
    }
}
