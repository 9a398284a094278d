/* csv_tables.c - see csv_tables.h. Texts are quoted and numbers are bare, as rocprofv3 (ROCm 7) has them. */
#include "csv_tables.h"
#include "cli/output/csv.h"
#include "results/reader/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(*(a)))

static void head(FILE *out, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        csv_quoted(out, names[i], !i);
    csv_end(out);
}

static void numbers(FILE *out, const int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, ",%" PRId64, values[i]);
}

/* rocprofv3 counts processors and GPUs together: 0 is the host, and the GPUs of a process follow. */
static void agent(FILE *out, const struct trace *t, int64_t id)
{
    const struct ls_a_agent *a = ls_activity_agent(&t->a, id);
    fprintf(out, ",\"Agent %" PRIu32 "\"", a ? a->gpu : 0);
}

static int64_t product(const uint32_t size[3])
{
    return ls_multiply(ls_multiply(size[0], size[1], NULL), size[2], NULL);
}

static void kernel_trace(const struct trace_part *p, FILE *out)
{
    static const char *const names[] = {
        "Kind",          "Agent_Id",         "Queue_Id",         "Stream_Id",        "Thread_Id",
        "Dispatch_Id",   "Kernel_Id",        "Kernel_Name",      "Correlation_Id",   "Start_Timestamp",
        "End_Timestamp", "LDS_Block_Size",   "Scratch_Size",     "VGPR_Count",       "Accum_VGPR_Count",
        "SGPR_Count",    "Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z", "Grid_Size_X",
        "Grid_Size_Y",   "Grid_Size_Z"};
    head(out, names, N(names));
    for (size_t i = 0; i < p->n_launches; i++) {
        const struct ls_a_launch *l = p->launches[i];
        const struct ls_r_kernel *k = ls_results_kernel(p->t->r, l->kernel);
        const int64_t ids[] = {l->queue, trace_stream(p, l->stream), l->thread, l->number, l->kernel};
        const int64_t rest[] = {l->number,       l->start,   l->end,     l->lds_bytes,    l->scratch_bytes,
                                k->vgprs,        k->agprs,   k->sgprs,   l->workgroup[0], l->workgroup[1],
                                l->workgroup[2], l->grid[0], l->grid[1], l->grid[2]};
        csv_quoted(out, "KERNEL_DISPATCH", 1);
        agent(out, p->t, l->agent);
        numbers(out, ids, N(ids));
        csv_quoted(out, k->name, 0);
        numbers(out, rest, N(rest));
        csv_end(out);
    }
}

static void memory_copy_trace(const struct trace_part *p, FILE *out)
{
    static const char *const names[] = {
        "Kind",           "Direction",       "Stream_Id",    "Source_Agent_Id", "Destination_Agent_Id",
        "Correlation_Id", "Start_Timestamp", "End_Timestamp"};
    head(out, names, N(names));
    for (size_t i = 0; i < p->n_copies; i++) {
        const struct ls_a_copy *c = &p->copies[i];
        const int64_t rest[] = {trace_copy_id(p, c), c->start, c->end};
        csv_quoted(out, "MEMORY_COPY", 1);
        csv_quoted(out, trace_copy_name(c), 0);
        numbers(out, (const int64_t[]){trace_stream(p, c->stream)}, 1);
        agent(out, p->t, c->source);
        agent(out, p->t, c->destination);
        numbers(out, rest, N(rest));
        csv_end(out);
    }
}

static void marker_api_trace(const struct trace_part *p, FILE *out)
{
    static const char *const names[] = {"Domain",         "Function",        "Process_Id",   "Thread_Id",
                                        "Correlation_Id", "Start_Timestamp", "End_Timestamp"};
    head(out, names, N(names));
    for (size_t i = 0; i < p->n_markers; i++) {
        const struct ls_a_marker *m = &p->markers[i];
        const int64_t rest[] = {p->process->pid, m->thread, trace_marker_id(p, m), m->start,
                                trace_marker_end(p, m)};
        csv_quoted(out, m->kind == LS_A_MARK ? "MARKER_CORE_API" : "MARKER_CORE_RANGE_API", 1);
        csv_quoted(out, m->text, 0);
        numbers(out, rest, N(rest));
        csv_end(out);
    }
}

/* Our metrics stand where rocprofv3 has the hardware's counters; the handler's name goes before theirs. */
static void counter_row(FILE *out, const struct trace_part *p, const struct trace_value *v)
{
    const struct ls_a_launch *l = v->launch;
    const struct ls_r_kernel *k = ls_results_kernel(p->t->r, l->kernel);
    const int64_t ids[] = {l->queue, p->process->pid, l->thread, product(l->grid), l->kernel};
    const int64_t sizes[] = {
        product(l->workgroup), l->lds_bytes, l->scratch_bytes, k->vgprs, k->agprs, k->sgprs};
    const int64_t rest[] = {v->value, l->start, l->end};
    char *name = trace_metric_name(v->metric);
    fprintf(out, "%" PRId64 ",%" PRId64, l->number, l->number);
    agent(out, p->t, l->agent);
    numbers(out, ids, N(ids));
    csv_quoted(out, k->name, 0);
    numbers(out, sizes, N(sizes));
    csv_quoted(out, name, 0);
    numbers(out, rest, N(rest));
    csv_end(out);
    free(name);
}

static void counter_collection(const struct trace_part *p, FILE *out)
{
    static const char *const names[] = {
        "Correlation_Id", "Dispatch_Id",   "Agent_Id",        "Queue_Id",         "Process_Id",
        "Thread_Id",      "Grid_Size",     "Kernel_Id",       "Kernel_Name",      "Workgroup_Size",
        "LDS_Block_Size", "Scratch_Size",  "VGPR_Count",      "Accum_VGPR_Count", "SGPR_Count",
        "Counter_Name",   "Counter_Value", "Start_Timestamp", "End_Timestamp"};
    head(out, names, N(names));
    for (size_t i = 0; i < p->n_values; i++)
        counter_row(out, p, &p->values[i]);
}

/* What is known of an agent stands in its columns; the others stay empty. `a` NULL: the host. */
static void agent_row(FILE *out, const char *const *names, size_t n, const struct ls_a_agent *a)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = names[i];
        if (!strcmp(name, "Node_Id") || !strcmp(name, "Logical_Node_Id"))
            fprintf(out, "%s%" PRIu32, i ? "," : "", a ? a->gpu : 0);
        else if (!strcmp(name, "Agent_Type"))
            csv_quoted(out, a ? "GPU" : "CPU", !i);
        else if (a && !strcmp(name, "Wave_Front_Size"))
            numbers(out, (const int64_t[]){a->lanes}, 1);
        else if (a && !strcmp(name, "Cu_Count"))
            numbers(out, (const int64_t[]){a->compute_units}, 1);
        else if (a && !strcmp(name, "Name"))
            csv_quoted(out, a->arch, !i);
        else if (a && !strcmp(name, "Product_Name"))
            csv_quoted(out, a->name, !i);
        else
            fputc(',', out);
    }
    csv_end(out);
}

static void agent_info(const struct trace_part *p, FILE *out)
{
    static const char *const names[] = {"Node_Id",
                                        "Logical_Node_Id",
                                        "Agent_Type",
                                        "Cpu_Cores_Count",
                                        "Simd_Count",
                                        "Cpu_Core_Id_Base",
                                        "Simd_Id_Base",
                                        "Max_Waves_Per_Simd",
                                        "Lds_Size_In_Kb",
                                        "Gds_Size_In_Kb",
                                        "Num_Gws",
                                        "Wave_Front_Size",
                                        "Num_Xcc",
                                        "Cu_Count",
                                        "Array_Count",
                                        "Num_Shader_Banks",
                                        "Simd_Arrays_Per_Engine",
                                        "Cu_Per_Simd_Array",
                                        "Simd_Per_Cu",
                                        "Max_Slots_Scratch_Cu",
                                        "Gfx_Target_Version",
                                        "Vendor_Id",
                                        "Device_Id",
                                        "Location_Id",
                                        "Domain",
                                        "Drm_Render_Minor",
                                        "Num_Sdma_Engines",
                                        "Num_Sdma_Xgmi_Engines",
                                        "Num_Sdma_Queues_Per_Engine",
                                        "Num_Cp_Queues",
                                        "Max_Engine_Clk_Ccompute",
                                        "Max_Engine_Clk_Fcompute",
                                        "Sdma_Fw_Version",
                                        "Fw_Version",
                                        "Capability",
                                        "Cu_Per_Engine",
                                        "Max_Waves_Per_Cu",
                                        "Family_Id",
                                        "Workgroup_Max_Size",
                                        "Grid_Max_Size",
                                        "Local_Mem_Size",
                                        "Hive_Id",
                                        "Gpu_Id",
                                        "Workgroup_Max_Dim_X",
                                        "Workgroup_Max_Dim_Y",
                                        "Workgroup_Max_Dim_Z",
                                        "Grid_Max_Dim_X",
                                        "Grid_Max_Dim_Y",
                                        "Grid_Max_Dim_Z",
                                        "Name",
                                        "Vendor_Name",
                                        "Product_Name",
                                        "Model_Name"};
    head(out, names, N(names));
    agent_row(out, names, N(names), NULL);
    for (size_t i = 0; i < p->t->a.n_agents; i++)
        if (p->t->a.agents[i].process == p->process->id)
            agent_row(out, names, N(names), &p->t->a.agents[i]);
}

const struct csv_table csv_tables[] = {
    {"kernel_trace", kernel_trace},
    {"memory_copy_trace", memory_copy_trace},
    {"marker_api_trace", marker_api_trace},
    {"counter_collection", counter_collection},
    {"agent_info", agent_info},
};
const size_t n_csv_tables = N(csv_tables);
