"""What a file must be for AMD's rocpd importer and converters (ROCm 7.0, schema 3): table by table as its rocpd_tables.sql has
them, and the rules that its views and converters do not tell when they leave rows out. Used by the tests of `convert --to rocpd`."""
import json
import sqlite3

# table: columns after id and guid. n: NOT NULL, J: JSONB DEFAULT "{}" NOT NULL, >table: reference
TABLES = """
metadata: tag TEXT n, value TEXT n
string: string TEXT n
info_node: hash BIGINT n, machine_id TEXT n, system_name TEXT, hostname TEXT, release TEXT, version TEXT, hardware_name TEXT, domain_name TEXT
info_process: nid INTEGER n >info_node, ppid INTEGER, pid INTEGER n, init BIGINT, fini BIGINT, start BIGINT, end BIGINT, command TEXT, environment J, extdata J
info_thread: nid INTEGER n >info_node, ppid INTEGER, pid INTEGER n >info_process, tid INTEGER n, name TEXT, start BIGINT, end BIGINT, extdata J
info_agent: nid INTEGER n >info_node, pid INTEGER n >info_process, type TEXT, absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, model_name TEXT, vendor_name TEXT, product_name TEXT, user_name TEXT, extdata J
info_queue: nid INTEGER n >info_node, pid INTEGER n >info_process, name TEXT, extdata J
info_stream: nid INTEGER n >info_node, pid INTEGER n >info_process, name TEXT, extdata J
info_pmc: nid INTEGER n >info_node, pid INTEGER n >info_process, agent_id INTEGER >info_agent, target_arch TEXT, event_code INT, instance_id INTEGER, name TEXT n, symbol TEXT n, description TEXT, long_description TEXT, component TEXT, units TEXT, value_type TEXT, block TEXT, expression TEXT, is_constant INTEGER, is_derived INTEGER, extdata J
info_code_object: nid INTEGER n >info_node, pid INTEGER n >info_process, agent_id INTEGER >info_agent, uri TEXT, load_base BIGINT, load_size BIGINT, load_delta BIGINT, storage_type TEXT, extdata J
info_kernel_symbol: nid INTEGER n >info_node, pid INTEGER n >info_process, code_object_id INTEGER n >info_code_object, kernel_name TEXT, display_name TEXT, kernel_object INTEGER, kernarg_segment_size INTEGER, kernarg_segment_alignment INTEGER, group_segment_size INTEGER, private_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, extdata J
track: nid INTEGER n >info_node, pid INTEGER >info_process, tid INTEGER >info_thread, name_id INTEGER >string, extdata J
event: category_id INTEGER >string, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, call_stack J, line_info J, extdata J
arg: event_id INTEGER n >event, position INTEGER n, type TEXT n, name TEXT n, value TEXT, extdata J
pmc_event: event_id INTEGER >event, pmc_id INTEGER n >info_pmc, value REAL, extdata JSONB
region: nid INTEGER n >info_node, pid INTEGER n >info_process, tid INTEGER n >info_thread, start BIGINT n, end BIGINT n, name_id INTEGER n >string, event_id INTEGER >event, extdata J
sample: track_id INTEGER n >track, timestamp BIGINT n, event_id INTEGER >event, extdata J
kernel_dispatch: nid INTEGER n >info_node, pid INTEGER n >info_process, tid INTEGER >info_thread, agent_id INTEGER n >info_agent, kernel_id INTEGER n >info_kernel_symbol, dispatch_id INTEGER n, queue_id INTEGER n >info_queue, stream_id INTEGER n >info_stream, start BIGINT n, end BIGINT n, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER n, workgroup_size_y INTEGER n, workgroup_size_z INTEGER n, grid_size_x INTEGER n, grid_size_y INTEGER n, grid_size_z INTEGER n, region_name_id INTEGER >string, event_id INTEGER >event, extdata J
memory_copy: nid INTEGER n >info_node, pid INTEGER n >info_process, tid INTEGER >info_thread, start BIGINT n, end BIGINT n, name_id INTEGER n >string, dst_agent_id INTEGER >info_agent, dst_address INTEGER, src_agent_id INTEGER >info_agent, src_address INTEGER, size INTEGER n, queue_id INTEGER >info_queue, stream_id INTEGER >info_stream, region_name_id INTEGER >string, event_id INTEGER >event, extdata J
memory_allocate: nid INTEGER n >info_node, pid INTEGER n >info_process, tid INTEGER >info_thread, agent_id INTEGER >info_agent, type TEXT, level TEXT, start BIGINT n, end BIGINT n, address INTEGER, size INTEGER n, queue_id INTEGER >info_queue, stream_id INTEGER >info_stream, event_id INTEGER >event, extdata J
"""
# view: the table that it has a row of, for each of its rows
VIEWS = {"processes": "info_process", "threads": "info_thread", "code_objects": "info_code_object",
         "kernel_symbols": "info_kernel_symbol", "regions": "region", "samples": "sample", "kernels": "kernel_dispatch",
         "pmc_info": "info_pmc", "pmc_events": "pmc_event", "memory_copies": "memory_copy", "counters_collection": "pmc_event"}
# The columns that AMD's views join by without LEFT: a row in which one leads nowhere is not in the view.
JOINED = {"kernel_dispatch": "tid>info_thread agent_id>info_agent event_id>event region_name_id>string kernel_id>info_kernel_symbol"
                             " queue_id>info_queue pid>info_process",
          "memory_copy": "tid>info_thread dst_agent_id>info_agent src_agent_id>info_agent event_id>event name_id>string"
                         " pid>info_process",
          "region": "event_id>event name_id>string tid>info_thread pid>info_process",
          "sample": "event_id>event track_id>track", "track": "tid>info_thread pid>info_process name_id>string",
          "pmc_event": "event_id>event pmc_id>info_pmc", "info_pmc": "agent_id>info_agent pid>info_process",
          "info_code_object": "agent_id>info_agent pid>info_process", "info_kernel_symbol": "pid>info_process",
          "info_thread": "pid>info_process nid>info_node", "info_process": "nid>info_node"}
# Columns of the view that `SELECT * FROM kernels` and rocprof-compute (counters_collection) read.
COLUMNS = {
    "kernels": "id guid tid category region name nid pid agent_abs_index agent_log_index agent_type_index agent_type code_object_id"
               " kernel_id dispatch_id stream_id queue_id queue stream start end duration grid_x grid_y grid_z workgroup_x workgroup_y"
               " workgroup_z lds_size scratch_size vgpr_count accum_vgpr_count sgpr_count static_lds_size static_scratch_size stack_id"
               " parent_stack_id corr_id",
    "counters_collection": "id guid dispatch_id kernel_id event_id correlation_id stack_id parent_stack_id pid tid agent_id"
                           " agent_abs_index agent_log_index agent_type_index agent_type queue_id grid_size_x grid_size_y grid_size_z"
                           " grid_size kernel_name kernel_region workgroup_size_x workgroup_size_y workgroup_size_z workgroup_size"
                           " lds_block_size scratch_size vgpr_count accum_vgpr_count sgpr_count counter_name counter_symbol component"
                           " description block expression value_type counter_id value start end is_constant is_derived duration"
                           " category nid extdata code_object_id"}


def tables():
    for line in TABLES.strip().splitlines():
        name, columns = line.split(": ")
        yield name, [c.split() for c in columns.split(", ")]


def check_schema(db, uuid):
    found = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")}
    assert found == {f"rocpd_{name}{uuid}" for name, _ in tables()}, found
    assert not db.execute("SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'view')"
                          " AND name NOT LIKE 'sqlite_autoindex%'").fetchall()
    for name, columns in tables():
        table = f"rocpd_{name}{uuid}"
        info = [(n, kind, bool(notnull), default) for _, n, kind, notnull, default, *_ in db.execute(f'PRAGMA table_info("{table}")')]
        guid = db.execute('SELECT value FROM rocpd_metadata WHERE tag = "guid"').fetchone()[0]
        expected = [("id", "INTEGER", True, None)] + ([("guid", "TEXT", True, f'"{guid}"')] if name != "metadata" else [])
        for column, kind, *rest in columns:
            default = {"long_description": '""', "units": '""'}.get(column)
            if name == "pmc_event":
                default = {"value": "0.0", "extdata": '"{}"'}.get(column)
            expected.append((column, "JSONB", True, '"{}"') if kind == "J" else (column, kind, "n" in rest, default))
        assert info == expected, (name, info, expected)
        references = {(column, f"rocpd_{w[1:]}{uuid}", "id", "CASCADE") for column, *words in columns for w in words if w[0] == ">"}
        assert {(r[3], r[2], r[4], r[5]) for r in db.execute(f'PRAGMA foreign_key_list("{table}")')} == references, name


def check_file(path):
    """One file by itself; returns its guid."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    meta = dict(db.execute("SELECT tag, value FROM rocpd_metadata"))
    assert meta["schema_version"] == "3" and meta["uuid"] == "_" + meta["guid"].replace("-", "_")
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    check_schema(db, meta["uuid"])
    for name, columns in tables():
        assert db.execute(f"SELECT count(*) FROM rocpd_{name} WHERE {'guid' if name != 'metadata' else 0} NOT IN (?, 0)",
                          (meta["guid"],)).fetchone() == (0,)
        for column in [c for c, kind, *_ in columns if kind in ("J", "JSONB")]:
            for text, in db.execute(f"SELECT {column} FROM rocpd_{name}"):
                json.loads(text)
    assert db.execute("SELECT count(*) FROM rocpd_info_process WHERE command = '' OR command IS NULL").fetchone() == (0,)
    assert db.execute("SELECT DISTINCT extdata FROM rocpd_info_agent").fetchall() == [("{}",)]
    assert {t for t, in db.execute("SELECT DISTINCT type FROM rocpd_info_agent")} >= {"CPU"}
    for table in ("region", "sample"):
        for text, in db.execute(f"SELECT e.extdata FROM rocpd_{table} r JOIN rocpd_event e ON e.id = r.event_id"):
            assert isinstance(json.loads(text)["message"], str)
    assert db.execute("SELECT string FROM rocpd_string WHERE id = 1").fetchone() == ("",)
    return meta["guid"]


def imported(*paths):
    """A connection that has the files as AMD's importer takes them: each attached, a temporary view over all of them for every
    table of theirs, and the views for people over these. No row of a table may be missing in its view."""
    db = sqlite3.connect(":memory:")
    union = {}
    for i, path in enumerate(paths):
        db.execute(f"ATTACH ? AS db{i}", (path,))
        [uuid] = [value for tag, value in db.execute(f"SELECT tag, value FROM db{i}.rocpd_metadata") if tag == "uuid"]
        for name, in db.execute(f"SELECT name FROM db{i}.sqlite_master WHERE type = 'table' AND name LIKE 'rocpd_%'").fetchall():
            if name.endswith(uuid):
                base = name[:-len(uuid)]
                union.setdefault(base, []).append(f"SELECT * FROM db{i}.{base}")
    for base, selects in union.items():
        db.execute(f"CREATE TEMP VIEW {base} AS {' UNION ALL '.join(selects)}")
    for name, sql in db.execute("SELECT name, sql FROM db0.sqlite_master WHERE type = 'view' AND name NOT LIKE 'rocpd_%'"
                                " ORDER BY rowid").fetchall():
        db.execute(sql.replace("CREATE VIEW", "CREATE TEMP VIEW", 1))
    for table, joins in JOINED.items():
        for column, other in (j.split(">") for j in joins.split()):
            lost = db.execute(f"SELECT count(*) FROM rocpd_{table} r WHERE NOT EXISTS (SELECT 1 FROM rocpd_{other} o"
                              f" WHERE o.id = r.{column} AND o.guid = r.guid)").fetchone()[0]
            assert not lost, (table, column, lost)
    for view, table in VIEWS.items():
        counts = [db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in (view, "rocpd_" + table)]
        assert counts[0] == counts[1], (view, counts)
    for view, columns in COLUMNS.items():
        assert [c[0] for c in db.execute(f"SELECT * FROM {view}").description] == columns.split(), view
    return db
