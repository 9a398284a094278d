/* rocpd_schema.c - see rocpd_schema.h. */
#include "rocpd_schema.h"

#define N(a) (sizeof(a) / sizeof(*(a)))

/* ---- tables ---- */

#define ID "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"
/* The defaults are texts in double quotes, as AMD's are: who compares schemas compares these, too. */
#define GUID ", guid TEXT DEFAULT \"{{guid}}\" NOT NULL"
#define JSON(column) ", " column " JSONB DEFAULT \"{}\" NOT NULL"
#define EXTDATA JSON("extdata")
#define REF(column, table)                                                                                   \
    ", FOREIGN KEY (" column ") REFERENCES `rocpd_" table "{{uuid}}` (id) ON UPDATE CASCADE"
#define NODE REF("nid", "info_node")
#define PROCESS REF("pid", "info_process")
#define THREAD REF("tid", "info_thread")
#define AGENT REF("agent_id", "info_agent")
#define QUEUE REF("queue_id", "info_queue")
#define STREAM REF("stream_id", "info_stream")
#define REGION REF("region_name_id", "string")
#define EVENT REF("event_id", "event")
#define OF_PROCESS ", nid INTEGER NOT NULL, pid INTEGER NOT NULL"
#define TIMES ", start BIGINT NOT NULL, \"end\" BIGINT NOT NULL"

const struct rocpd_table rocpd_tables[] = {
    {"metadata", ID ", tag TEXT NOT NULL, value TEXT NOT NULL"},
    {"string", ID GUID ", string TEXT NOT NULL UNIQUE ON CONFLICT ABORT"},
    {"info_node", ID GUID ", hash BIGINT NOT NULL UNIQUE, machine_id TEXT NOT NULL UNIQUE, system_name TEXT,"
                          " hostname TEXT, release TEXT, version TEXT, hardware_name TEXT, domain_name TEXT"},
    {"info_process",
     ID GUID ", nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, init BIGINT,"
             " fini BIGINT, start BIGINT, \"end\" BIGINT, command TEXT" JSON("environment") EXTDATA NODE},
    {"info_thread",
     ID GUID ", nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, tid INTEGER NOT NULL,"
             " name TEXT, start BIGINT, \"end\" BIGINT" EXTDATA NODE PROCESS},
    {"info_agent", ID GUID OF_PROCESS
     ", type TEXT CHECK (type IN ('CPU', 'GPU')), absolute_index INTEGER,"
     " logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT,"
     " model_name TEXT, vendor_name TEXT, product_name TEXT, user_name TEXT" EXTDATA NODE PROCESS},
    {"info_queue", ID GUID OF_PROCESS ", name TEXT" EXTDATA NODE PROCESS},
    {"info_stream", ID GUID OF_PROCESS ", name TEXT" EXTDATA NODE PROCESS},
    {"info_pmc", ID GUID OF_PROCESS
     ", agent_id INTEGER, target_arch TEXT CHECK (target_arch IN ('CPU', 'GPU')),"
     " event_code INT, instance_id INTEGER, name TEXT NOT NULL, symbol TEXT NOT NULL,"
     " description TEXT, long_description TEXT DEFAULT \"\", component TEXT,"
     " units TEXT DEFAULT \"\","
     " value_type TEXT CHECK (value_type IN ('ABS', 'ACCUM', 'RELATIVE')), block TEXT,"
     " expression TEXT, is_constant INTEGER, is_derived INTEGER" EXTDATA NODE PROCESS AGENT},
    {"info_code_object", ID GUID OF_PROCESS
     ", agent_id INTEGER, uri TEXT, load_base BIGINT, load_size BIGINT, load_delta BIGINT,"
     " storage_type TEXT CHECK (storage_type IN ('FILE', 'MEMORY'))" EXTDATA NODE PROCESS AGENT},
    {"info_kernel_symbol", ID GUID OF_PROCESS
     ", code_object_id INTEGER NOT NULL, kernel_name TEXT, display_name TEXT,"
     " kernel_object INTEGER, kernarg_segment_size INTEGER,"
     " kernarg_segment_alignment INTEGER, group_segment_size INTEGER,"
     " private_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER,"
     " accum_vgpr_count INTEGER" EXTDATA NODE PROCESS REF("code_object_id", "info_code_object")},
    {"track", ID GUID ", nid INTEGER NOT NULL, pid INTEGER, tid INTEGER, name_id INTEGER" EXTDATA NODE PROCESS
                  THREAD REF("name_id", "string")},
    {"event", ID GUID ", category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,"
                      " correlation_id INTEGER" JSON("call_stack") JSON("line_info")
                          EXTDATA REF("category_id", "string")},
    {"arg", ID GUID ", event_id INTEGER NOT NULL, position INTEGER NOT NULL, type TEXT NOT NULL,"
                    " name TEXT NOT NULL, value TEXT" EXTDATA EVENT},
    {"pmc_event", ID GUID ", event_id INTEGER, pmc_id INTEGER NOT NULL, value REAL DEFAULT 0.0,"
                          " extdata JSONB DEFAULT \"{}\"" REF("pmc_id", "info_pmc") EVENT},
    {"region", ID GUID OF_PROCESS
     ", tid INTEGER NOT NULL" TIMES
     ", name_id INTEGER NOT NULL, event_id INTEGER" EXTDATA NODE PROCESS THREAD REF("name_id", "string")
         EVENT},
    {"sample", ID GUID ", track_id INTEGER NOT NULL, timestamp BIGINT NOT NULL, event_id INTEGER" EXTDATA REF(
                   "track_id", "track") EVENT},
    {"kernel_dispatch", ID GUID OF_PROCESS
     ", tid INTEGER, agent_id INTEGER NOT NULL, kernel_id INTEGER NOT NULL,"
     " dispatch_id INTEGER NOT NULL, queue_id INTEGER NOT NULL,"
     " stream_id INTEGER NOT NULL" TIMES ", private_segment_size INTEGER, group_segment_size INTEGER,"
     " workgroup_size_x INTEGER NOT NULL, workgroup_size_y INTEGER NOT NULL,"
     " workgroup_size_z INTEGER NOT NULL, grid_size_x INTEGER NOT NULL,"
     " grid_size_y INTEGER NOT NULL, grid_size_z INTEGER NOT NULL,"
     " region_name_id INTEGER, event_id INTEGER" EXTDATA NODE PROCESS THREAD AGENT REF(
         "kernel_id", "info_kernel_symbol") QUEUE STREAM REGION EVENT},
    {"memory_copy", ID GUID OF_PROCESS
     ", tid INTEGER" TIMES ", name_id INTEGER NOT NULL, dst_agent_id INTEGER, dst_address INTEGER,"
     " src_agent_id INTEGER, src_address INTEGER, size INTEGER NOT NULL, queue_id INTEGER,"
     " stream_id INTEGER, region_name_id INTEGER, event_id INTEGER" EXTDATA NODE PROCESS THREAD REF("name_id",
                                                                                                    "string")
         REF("dst_agent_id", "info_agent") REF("src_agent_id", "info_agent") STREAM QUEUE REGION EVENT},
    {"memory_allocate",
     ID GUID OF_PROCESS ", tid INTEGER, agent_id INTEGER,"
                        " type TEXT CHECK (type IN ('ALLOC', 'FREE', 'REALLOC', 'RECLAIM')),"
                        " level TEXT CHECK (level IN ('REAL', 'VIRTUAL', 'SCRATCH'))" TIMES
                        ", address INTEGER, size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER,"
                        " event_id INTEGER" EXTDATA NODE PROCESS THREAD AGENT STREAM QUEUE EVENT},
};
const size_t n_rocpd_tables = N(rocpd_tables);

/* ---- views ---- */

/* A row and the one it refers to are of one recording: ids repeat in others. */
#define SAME(a, id, b) "(" a ".id, " a ".guid) = (" b "." id ", " b ".guid)"
#define JOIN(table, a, id, b) " JOIN rocpd_" table " " a " ON " SAME(a, id, b)
#define MAY_JOIN(table, a, id, b) " LEFT" JOIN(table, a, id, b)
#define TEXT_OF(id, b) "(SELECT x.string FROM rocpd_string x WHERE " SAME("x", id, b) ")"
#define CATEGORY TEXT_OF("category_id", "e") " AS category"
#define SPAN(a) a ".start, " a ".\"end\", " a ".\"end\" - " a ".start AS duration"
#define STACK "e.stack_id, e.parent_stack_id, e.correlation_id AS corr_id"
#define EVENT_JSON "e.extdata, e.call_stack, e.line_info"
#define SAMPLE_FROM                                                                                          \
    " FROM rocpd_sample m" JOIN("track", "k", "track_id", "m") JOIN("event", "e", "event_id", "m")           \
        JOIN("info_process", "p", "pid", "k") JOIN("info_thread", "t", "tid", "k")
#define DEVICE(a, prefix)                                                                                    \
    a ".name AS " prefix "_device, " a ".absolute_index AS " prefix "_agent_abs_index, " a                   \
      ".logical_index AS " prefix "_agent_log_index, " a ".type_index AS " prefix "_agent_type_index, " a    \
      ".type AS " prefix "_agent_type"
#define AGENT_COLUMNS                                                                                        \
    "a.absolute_index AS agent_abs_index, a.logical_index AS agent_log_index,"                               \
    " a.type_index AS agent_type_index, a.type AS agent_type"

const struct rocpd_view rocpd_views[] = {
    {"processes", "SELECT n.id AS nid, n.machine_id, n.system_name, n.hostname, n.release AS system_release,"
                  " n.version AS system_version, p.guid, p.ppid, p.pid, p.init, p.start, p.\"end\", p.fini,"
                  " p.command FROM rocpd_info_process p" JOIN("info_node", "n", "nid", "p")},
    {"threads",
     "SELECT n.id AS nid, n.machine_id, n.system_name, n.hostname, n.release AS system_release,"
     " n.version AS system_version, p.guid, p.ppid, p.pid, t.tid, t.start, t.\"end\", t.name"
     " FROM rocpd_info_thread t" JOIN("info_process", "p", "pid", "t") JOIN("info_node", "n", "nid", "t")},
    {"code_objects", "SELECT c.id, c.guid, c.nid, p.pid, a.absolute_index AS agent_abs_index, c.uri, "
                     "c.load_base, c.load_size,"
                     " c.load_delta, c.storage_type AS storage_type_str, json_extract(c.extdata, '$.size') "
                     "AS code_object_size,"
                     " json_extract(c.extdata, '$.storage_type') AS storage_type,"
                     " json_extract(c.extdata, '$.memory_base') AS memory_base,"
                     " json_extract(c.extdata, '$.memory_size') AS memory_size"
                     " FROM rocpd_info_code_object c" JOIN("info_agent", "a", "agent_id", "c")
                         JOIN("info_process", "p", "pid", "c")},
    {"kernel_symbols",
     "SELECT s.id, s.guid, s.nid, p.pid, s.code_object_id, s.kernel_name, s.display_name, s.kernel_object,"
     " s.kernarg_segment_size, s.kernarg_segment_alignment, s.group_segment_size, s.private_segment_size,"
     " s.sgpr_count, s.arch_vgpr_count, s.accum_vgpr_count,"
     " json_extract(s.extdata, '$.size') AS kernel_symbol_size,"
     " json_extract(s.extdata, '$.kernel_id') AS kernel_id,"
     " json_extract(s.extdata, '$.kernel_code_entry_byte_offset') AS kernel_code_entry_byte_offset,"
     " json_extract(s.extdata, '$.formatted_kernel_name') AS formatted_kernel_name,"
     " json_extract(s.extdata, '$.demangled_kernel_name') AS demangled_kernel_name,"
     " json_extract(s.extdata, '$.truncated_kernel_name') AS truncated_kernel_name,"
     " json_extract(s.extdata, '$.kernel_address.handle') AS kernel_address"
     " FROM rocpd_info_kernel_symbol s" JOIN("info_process", "p", "pid", "s")},
    {"regions",
     "SELECT g.id, g.guid, " CATEGORY ", s.string AS name, g.nid, p.pid, t.tid, " SPAN(
         "g") ", g.event_id, " STACK ", " EVENT_JSON
              " FROM rocpd_region g" JOIN("event", "e", "event_id", "g") JOIN("string", "s", "name_id", "g")
                  JOIN("info_process", "p", "pid", "g") JOIN("info_thread", "t", "tid", "g")},
    {"samples", "SELECT m.id, m.guid, " CATEGORY
                ", " TEXT_OF("name_id", "k") " AS name, k.nid, p.pid, t.tid, m.timestamp, m.event_id, " STACK
                                             ", " EVENT_JSON SAMPLE_FROM},
    {"sample_regions", "SELECT m.id, m.guid, " CATEGORY ", " TEXT_OF(
                           "name_id", "k") " AS name, k.nid, p.pid, t.tid, m.timestamp AS start,"
                                           " m.timestamp AS \"end\", 0 AS duration, m.event_id, " STACK
                                           ", " EVENT_JSON SAMPLE_FROM},
    {"regions_and_samples", "SELECT * FROM regions UNION ALL SELECT * FROM sample_regions"},
    {"kernels",
     "SELECT d.id, d.guid, t.tid, " CATEGORY
     ", r.string AS region, s.display_name AS name, d.nid, p.pid, " AGENT_COLUMNS
     ", s.code_object_id, d.kernel_id, d.dispatch_id, d.stream_id, d.queue_id, q.name AS queue,"
     " m.name AS stream, " SPAN(
         "d") ", d.grid_size_x AS grid_x, d.grid_size_y AS grid_y,"
              " d.grid_size_z AS grid_z, d.workgroup_size_x AS workgroup_x, d.workgroup_size_y AS "
              "workgroup_y,"
              " d.workgroup_size_z AS workgroup_z, d.group_segment_size AS lds_size,"
              " d.private_segment_size AS scratch_size, s.arch_vgpr_count AS vgpr_count, s.accum_vgpr_count,"
              " s.sgpr_count, s.group_segment_size AS static_lds_size,"
              " s.private_segment_size AS static_scratch_size, " STACK " FROM rocpd_kernel_dispatch d" JOIN(
                  "info_agent", "a", "agent_id", "d") JOIN("event", "e", "event_id", "d")
                  JOIN("string", "r", "region_name_id", "d") JOIN("info_kernel_symbol", "s", "kernel_id", "d")
                      MAY_JOIN("info_stream", "m", "stream_id", "d")
                          MAY_JOIN("info_queue", "q", "queue_id", "d") JOIN("info_process", "p", "pid", "q")
                              JOIN("info_thread", "t", "tid", "d")},
    {"top_kernels", "SELECT name, count(*) AS total_calls, sum(duration) / 1000.0 AS total_duration,"
                    " sum(duration) / count(*) / 1000.0 AS average,"
                    " sum(duration) * 100.0 / (SELECT sum(duration) FROM kernels) AS percentage"
                    " FROM kernels GROUP BY name ORDER BY total_duration DESC"},
    {"pmc_info",
     "SELECT i.id, i.guid, i.nid, p.pid, a.absolute_index AS agent_abs_index, i.is_constant, i.is_derived,"
     " i.name, i.description, i.block, i.expression"
     " FROM rocpd_info_pmc i" JOIN("info_agent", "a", "agent_id", "i") JOIN("info_process", "p", "pid", "i")},
    {"pmc_events", "SELECT v.id, v.guid, v.pmc_id, e.id AS event_id, " CATEGORY ", (SELECT s.display_name"
                   " FROM rocpd_info_kernel_symbol s WHERE " SAME(
                       "s", "kernel_id",
                       "d") ") AS name, d.nid, p.pid,"
                            " d.dispatch_id, " SPAN(
                                "d") ", i.name AS counter_name, v.value AS counter_value"
                                     " FROM rocpd_pmc_event v" JOIN("info_pmc", "i", "pmc_id", "v") JOIN(
                                         "event", "e", "event_id",
                                         "v") " JOIN rocpd_kernel_dispatch d ON (d.event_id, d.guid) = "
                                              "(v.event_id, v.guid)" JOIN("info_process", "p", "pid", "d")},
    {"memory_copies",
     "SELECT c.id, c.guid, " CATEGORY ", c.nid, p.pid, t.tid, " SPAN(
         "c") ", s.string AS name,"
              " r.string AS region_name, c.stream_id, c.queue_id, m.name AS stream_name, q.name AS "
              "queue_name, c.size, " DEVICE("o", "dst") ", c.dst_address, " DEVICE(
                  "i", "src") ", c.src_address, " STACK " FROM rocpd_memory_copy c" JOIN("string", "s",
                                                                                         "name_id", "c")
                  MAY_JOIN("string", "r", "region_name_id", "c") JOIN("info_agent", "o", "dst_agent_id", "c")
                      JOIN("info_agent", "i", "src_agent_id", "c") MAY_JOIN("info_queue", "q", "queue_id",
                                                                            "c")
                          MAY_JOIN("info_stream", "m", "stream_id", "c") JOIN("event", "e", "event_id", "c")
                              JOIN("info_process", "p", "pid", "c") JOIN("info_thread", "t", "tid", "c")},
    {"counters_collection",
     "SELECT min(v.id) AS id, v.guid, d.dispatch_id, d.kernel_id, e.id AS event_id, e.correlation_id,"
     " e.stack_id, e.parent_stack_id, p.pid, t.tid, d.agent_id, " AGENT_COLUMNS ", d.queue_id,"
     " d.grid_size_x, d.grid_size_y, d.grid_size_z,"
     " d.grid_size_x * d.grid_size_y * d.grid_size_z AS grid_size, s.display_name AS kernel_name, " TEXT_OF(
         "region_name_id",
         "d") " AS kernel_region, d.workgroup_size_x, d.workgroup_size_y,"
              " d.workgroup_size_z, d.workgroup_size_x * d.workgroup_size_y * d.workgroup_size_z AS "
              "workgroup_size,"
              " d.group_segment_size AS lds_block_size, d.private_segment_size AS scratch_size,"
              " s.arch_vgpr_count AS vgpr_count, s.accum_vgpr_count, s.sgpr_count, i.name AS counter_name,"
              " i.symbol AS counter_symbol, i.component, i.description, i.block, i.expression, i.value_type,"
              " i.id AS counter_id, sum(v.value) AS value, d.start, d.\"end\", i.is_constant, i.is_derived,"
              " d.\"end\" - d.start AS duration, " CATEGORY ", d.nid, e.extdata, s.code_object_id"
              " FROM rocpd_pmc_event v" JOIN("info_pmc", "i", "pmc_id", "v")
                  JOIN("event", "e", "event_id",
                       "v") " JOIN rocpd_kernel_dispatch d ON (d.event_id, d.guid) = (v.event_id, "
                            "v.guid)" JOIN("info_agent", "a", "agent_id", "d")
                                JOIN("info_kernel_symbol", "s", "kernel_id", "d")
                                    JOIN("info_process", "p", "pid", "d")
                                        JOIN("info_thread", "t", "tid",
                                             "d") " GROUP BY v.guid, d.dispatch_id, i.name, d.agent_id"},
};
const size_t n_rocpd_views = N(rocpd_views);
