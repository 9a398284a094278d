/* The SQL text of the results database. */
#include "schema.h"

#include <stddef.h>

/* Strict foreign keys everywhere: a number without its site or its dispatch would be a wrong report. Values
 * of a dispatch are clustered by (dispatch, site, metric), the order in which they are written, so that
 * inserting appends; every report reads that table once from front to back and needs no index beside it. */
const char ls_schema_sql[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;"

    "CREATE TABLE process(id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, ppid INTEGER NOT NULL,"
    " hostname TEXT NOT NULL, cwd TEXT NOT NULL, argv TEXT NOT NULL, gpu TEXT NOT NULL,"
    " runtime TEXT NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER, options TEXT NOT NULL,"
    " guid TEXT NOT NULL UNIQUE, rank TEXT);"

    /* Of databases that `lanescope merge` made: what the meta table of each recording said. */
    "CREATE TABLE merged(process INTEGER PRIMARY KEY REFERENCES process(id), file TEXT NOT NULL,"
    " run_id TEXT NOT NULL, created TEXT NOT NULL, lanescope_version TEXT NOT NULL, state TEXT NOT NULL);"

    "CREATE TABLE agent(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " handle INTEGER NOT NULL, arch TEXT NOT NULL, name TEXT NOT NULL, compute_units INTEGER NOT NULL,"
    " lanes INTEGER NOT NULL);"

    "CREATE TABLE code_object(id INTEGER PRIMARY KEY, agent INTEGER NOT NULL REFERENCES agent(id),"
    " uri TEXT, bytes INTEGER NOT NULL, load_base INTEGER NOT NULL, instrumented INTEGER NOT NULL,"
    " compiler TEXT);"

    "CREATE TABLE module(id INTEGER PRIMARY KEY, code_object INTEGER NOT NULL REFERENCES code_object(id),"
    " hash TEXT NOT NULL, llvm_major INTEGER NOT NULL, target TEXT NOT NULL);"

    "CREATE TABLE source_file(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, text TEXT,"
    " modified_ns INTEGER, problem TEXT, md5 TEXT, origin INTEGER NOT NULL DEFAULT 0);"

    "CREATE TABLE kernel(id INTEGER PRIMARY KEY,"
    " code_object INTEGER NOT NULL REFERENCES code_object(id), module INTEGER REFERENCES module(id),"
    " mangled TEXT NOT NULL, name TEXT NOT NULL, file INTEGER REFERENCES source_file(id),"
    " line INTEGER NOT NULL, lds_bytes INTEGER NOT NULL, scratch_bytes INTEGER NOT NULL,"
    " sgprs INTEGER NOT NULL, vgprs INTEGER NOT NULL, agprs INTEGER NOT NULL,"
    " clone_scratch_bytes INTEGER NOT NULL, clone_sgprs INTEGER NOT NULL, clone_vgprs INTEGER NOT NULL,"
    " clone_agprs INTEGER NOT NULL, not_instrumented TEXT, lanes INTEGER);"

    "CREATE TABLE frame(id INTEGER PRIMARY KEY, file INTEGER REFERENCES source_file(id),"
    " line INTEGER NOT NULL, \"column\" INTEGER NOT NULL, function TEXT NOT NULL,"
    " parent INTEGER REFERENCES frame(id));"

    "CREATE TABLE site(id INTEGER PRIMARY KEY, module INTEGER NOT NULL REFERENCES module(id),"
    " number INTEGER NOT NULL, kernel INTEGER REFERENCES kernel(id), kind INTEGER NOT NULL,"
    " space INTEGER NOT NULL, bytes INTEGER NOT NULL, align INTEGER NOT NULL, flags INTEGER NOT NULL,"
    " reason INTEGER NOT NULL, instruction TEXT NOT NULL, function TEXT NOT NULL,"
    " frame INTEGER REFERENCES frame(id), isa TEXT, isa_merged INTEGER NOT NULL,"
    " isa_join INTEGER NOT NULL DEFAULT 0, estimate TEXT, counted_at INTEGER REFERENCES site(id),"
    " code_offset INTEGER, UNIQUE(module, number));"

    /* Of an access that the compiler made of several: where others of these stand, in their order. */
    "CREATE TABLE site_part(site INTEGER NOT NULL REFERENCES site(id), number INTEGER NOT NULL,"
    " frame INTEGER NOT NULL REFERENCES frame(id), PRIMARY KEY(site, number)) WITHOUT ROWID;"

    "CREATE TABLE instruction(id INTEGER PRIMARY KEY, kernel INTEGER REFERENCES kernel(id),"
    " offset INTEGER NOT NULL, text TEXT NOT NULL, file INTEGER REFERENCES source_file(id),"
    " line INTEGER NOT NULL, \"column\" INTEGER NOT NULL, site INTEGER REFERENCES site(id),"
    " function TEXT, module INTEGER REFERENCES module(id));"
    "CREATE INDEX instruction_kernel ON instruction(kernel, offset);"

    /* Those that access LDS, global or flat memory. */
    "CREATE TABLE vector_instruction(instruction INTEGER PRIMARY KEY REFERENCES instruction(id),"
    " together INTEGER NOT NULL, tells INTEGER NOT NULL DEFAULT 0);"

    "CREATE TABLE metric(id INTEGER PRIMARY KEY, handler TEXT NOT NULL, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, description TEXT NOT NULL, is_ratio INTEGER NOT NULL, scale REAL NOT NULL,"
    " a INTEGER REFERENCES metric(id), b INTEGER REFERENCES metric(id), c INTEGER REFERENCES metric(id),"
    " d INTEGER REFERENCES metric(id), title TEXT, direction INTEGER, show INTEGER, excess INTEGER,"
    " cost INTEGER, position INTEGER, role INTEGER, UNIQUE(handler, name));"

    "CREATE TABLE handler(name TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, clean TEXT) WITHOUT ROWID;"

    /* HIP streams of which something is recorded; kind: enum ls_stream_kind of common/stream.h. */
    "CREATE TABLE stream(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " number INTEGER NOT NULL, kind INTEGER NOT NULL, thread INTEGER, UNIQUE(process, number));"

    "CREATE TABLE dispatch(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " number INTEGER NOT NULL, kernel INTEGER NOT NULL REFERENCES kernel(id),"
    " agent INTEGER NOT NULL REFERENCES agent(id), queue INTEGER NOT NULL, grid_x INTEGER NOT NULL,"
    " grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL, workgroup_x INTEGER NOT NULL,"
    " workgroup_y INTEGER NOT NULL, workgroup_z INTEGER NOT NULL, lds_bytes INTEGER NOT NULL,"
    " scratch_bytes INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,"
    " observed INTEGER NOT NULL, not_observed TEXT, chunks INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " messages INTEGER NOT NULL, bad INTEGER NOT NULL, dropped INTEGER NOT NULL,"
    " by_instructions INTEGER NOT NULL DEFAULT 0, unlisted INTEGER NOT NULL DEFAULT 0,"
    " submit_ns INTEGER, thread INTEGER, stream INTEGER REFERENCES stream(id),"
    " same_as INTEGER REFERENCES dispatch(id), UNIQUE(process, number));"

    "CREATE TABLE value(dispatch INTEGER NOT NULL REFERENCES dispatch(id),"
    " site INTEGER NOT NULL REFERENCES site(id), metric INTEGER NOT NULL REFERENCES metric(id),"
    " value INTEGER NOT NULL, PRIMARY KEY(dispatch, site, metric)) WITHOUT ROWID;"
    "CREATE TABLE dispatch_value(dispatch INTEGER NOT NULL REFERENCES dispatch(id),"
    " metric INTEGER NOT NULL REFERENCES metric(id), value INTEGER NOT NULL,"
    " PRIMARY KEY(dispatch, metric)) WITHOUT ROWID;"
    "CREATE TABLE handler_row(id INTEGER PRIMARY KEY,"
    " dispatch INTEGER NOT NULL REFERENCES dispatch(id), site INTEGER REFERENCES site(id),"
    " handler TEXT NOT NULL, table_name TEXT NOT NULL, json TEXT NOT NULL);"
    "CREATE INDEX handler_row_table ON handler_row(handler, table_name);"

    /* Calls through pointers that led to functions without probes. */
    "CREATE TABLE unprobed_call(dispatch INTEGER NOT NULL REFERENCES dispatch(id),"
    " site INTEGER NOT NULL REFERENCES site(id), executions INTEGER NOT NULL, lanes INTEGER NOT NULL,"
    " PRIMARY KEY(dispatch, site)) WITHOUT ROWID;"

    "CREATE TABLE copy(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " number INTEGER NOT NULL, source INTEGER REFERENCES agent(id),"
    " destination INTEGER REFERENCES agent(id), bytes INTEGER NOT NULL, start_ns INTEGER NOT NULL,"
    " end_ns INTEGER NOT NULL, submit_ns INTEGER, thread INTEGER, stream INTEGER REFERENCES stream(id),"
    " UNIQUE(process, number));"
    "CREATE TABLE marker(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " thread INTEGER NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL, start_ns INTEGER NOT NULL,"
    " end_ns INTEGER);"

    "CREATE TABLE note(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " level INTEGER NOT NULL, text TEXT NOT NULL);"

    /* What the check for races found. */
    "CREATE TABLE finding(id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id),"
    " kind TEXT NOT NULL, severity TEXT NOT NULL, space TEXT NOT NULL, kernel TEXT NOT NULL,"
    " count INTEGER NOT NULL, gpu INTEGER NOT NULL, dispatch INTEGER NOT NULL,"
    " workgroup_x INTEGER NOT NULL, workgroup_y INTEGER NOT NULL, workgroup_z INTEGER NOT NULL,"
    " address INTEGER NOT NULL);"
    "CREATE TABLE finding_access(finding INTEGER NOT NULL REFERENCES finding(id),"
    " side INTEGER NOT NULL, access TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL,"
    " \"column\" INTEGER NOT NULL, inlined TEXT NOT NULL, instruction TEXT NOT NULL,"
    " wave INTEGER NOT NULL, lane INTEGER NOT NULL, PRIMARY KEY(finding, side)) WITHOUT ROWID;"

    /* Names of the numbers of lanescope/sites.h, so that the file explains itself to any SQL user. */
    "CREATE TABLE site_kind(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE address_space(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE site_reason(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"

    "CREATE VIEW site_view AS SELECT s.id AS site, s.module AS module, s.number AS number,"
    " s.kernel AS kernel, k.name AS kernel_name, f.path AS file, fr.line AS line,"
    " fr.\"column\" AS \"column\", fr.function AS function, sk.name AS kind, a.name AS space,"
    " s.bytes AS bytes, s.instruction AS instruction, s.isa AS isa, s.isa_merged AS isa_merged,"
    " s.flags & 1 AS observed, CASE WHEN s.flags & 1 THEN NULL ELSE sr.name END AS not_observed,"
    " s.isa_join AS isa_join"
    " FROM site s LEFT JOIN kernel k ON k.id = s.kernel LEFT JOIN frame fr ON fr.id = s.frame"
    " LEFT JOIN source_file f ON f.id = fr.file LEFT JOIN site_kind sk ON sk.id = s.kind"
    " LEFT JOIN address_space a ON a.id = s.space LEFT JOIN site_reason sr ON sr.id = s.reason;"

    "CREATE VIEW dispatch_view AS SELECT d.id AS dispatch, d.number AS number, k.name AS kernel,"
    " g.arch AS arch, d.grid_x, d.grid_y, d.grid_z, d.workgroup_x, d.workgroup_y, d.workgroup_z,"
    " d.start_ns AS start_ns, d.end_ns - d.start_ns AS duration_ns, d.observed AS observed,"
    " d.not_observed AS not_observed, d.messages AS messages, d.dropped AS dropped FROM dispatch d"
    " JOIN kernel k ON k.id = d.kernel JOIN agent g ON g.id = d.agent;"

    "CREATE VIEW line_view AS SELECT k.name AS kernel, s.file AS file, s.line AS line,"
    " s.\"column\" AS \"column\", s.kind AS kind, s.space AS space, m.handler AS handler,"
    " m.name AS metric, m.unit AS unit, sum(v.value) AS value FROM value v"
    " JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel"
    " JOIN site_view s ON s.site = v.site JOIN metric m ON m.id = v.metric"
    " GROUP BY d.kernel, v.site, v.metric;"

    "INSERT INTO site_kind VALUES(1,'load'),(2,'store'),(3,'atomic'),(4,'compare and swap'),"
    "(5,'copy read'),(6,'copy write'),(7,'LDS DMA read'),(8,'LDS DMA write'),(9,'block'),(10,'time'),"
    "(11,'image'),(12,'other'),(13,'call');"
    "INSERT INTO address_space VALUES(0,'flat'),(1,'global'),(3,'LDS'),(4,'constant'),(5,'scratch'),"
    "(7,'buffer'),(8,'buffer');"
    "INSERT INTO site_reason VALUES(0,''),(1,'scratch accesses'),(2,'image accesses'),(3,'inline assembly'),"
    "(4,'unknown intrinsics'),(5,'excluded by a compile-time filter'),"
    "(6,'accesses in library code without debug information'),(7,'kernel argument reads'),"
    "(8,'uniform loads through the scalar cache'),(9,'calls through pointers'),"
    "(10,'calls into other modules');";

/* CROSS JOIN: by dispatch, as the tables' keys have them, whatever the query around it asks for. Renaming leaves the views'
 * text as it is, by which readers know them. */
const char ls_schema_share_sql[] =
    "PRAGMA legacy_alter_table = ON;"
    "ALTER TABLE value RENAME TO own_value;"
    "ALTER TABLE dispatch_value RENAME TO own_dispatch_value;"
    "CREATE VIEW value AS SELECT d.id AS dispatch, v.site AS site, v.metric AS metric, v.value AS value"
    " FROM dispatch d CROSS JOIN own_value v ON v.dispatch = coalesce(d.same_as, d.id);"
    "CREATE VIEW dispatch_value AS SELECT d.id AS dispatch, v.metric AS metric, v.value AS value"
    " FROM dispatch d CROSS JOIN own_dispatch_value v ON v.dispatch = coalesce(d.same_as, d.id);"
    "PRAGMA user_version = 2;"
    "UPDATE meta SET value = '2' WHERE key = 'schema_version';";

const char *const ls_schema_earlier_views[] = {NULL};
