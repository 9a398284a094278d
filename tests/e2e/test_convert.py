"""`lanescope convert` on real recordings: every dispatch, copy, marker, wavefront and sum of the database is in each form, with
the database's times; the file is read by rules of its format (cli/tests)."""

import csv
import json
import pathlib
import sys

import pytest

import profiling
from profiling import Profile

sys.path.insert(0, str(profiling.SOURCE.parent.parent / "cli" / "tests"))
import perfetto_trace  # noqa: E402
import rocpd_reader  # noqa: E402
import rocpd_rules  # noqa: E402

WAVES = ("--handlers", "lds_bank_conflicts,memory_coalescing,wave_timeline:rows=100000")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Name: databases. What was observed with and without wavefronts; copies, streams, ROCTx ranges; two ranks of one run."""
    folder = tmp_path_factory.mktemp("recordings")
    copies = profiling.compile_hip(folder / "copies", "--offload-arch=gfx90a", "-O1", "copies.hip",
                                   "-L" + str(fake_roctx(folder)), "-lroctx64", f"-Wl,-rpath,{folder}")
    threads = profiling.compile_hip(folder / "threads", "--offload-arch=gfx90a", "-O1", "threads.hip", "-ldl", "-pthread")
    streams = profiling.compile_hip(folder / "streams", "--offload-arch=gfx90a", "-O1", "streams.hip")
    found = {}
    for name, program, options in (("transpose", profiling.EXAMPLES / "transpose", WAVES), ("copies", copies, ()),
                                   ("threads", threads, WAVES), ("streams", streams, ())):
        found[name] = [record(folder / "runs" / name, program, options).database]
    found["ranks"] = [record(folder / "runs" / f"rank{rank}", threads, WAVES, OMPI_COMM_WORLD_RANK=str(rank)).database for rank in range(2)]
    return found


def fake_roctx(folder):
    done = profiling.call("clang-22", "-shared", "-fPIC", "-Wl,-soname,libroctx64.so", "-o", folder / "libroctx64.so",
                          profiling.SOURCE / "programs" / "fake_roctx.c")
    assert done.returncode == 0, done.stderr
    return folder


def record(folder, program, options, **env):
    p = Profile(folder, program, options=options, env=profiling.clean_environment(**env))
    assert p.done.returncode == 0, p.done.stderr
    return p


NAMES = ["transpose", "copies", "threads", "streams", "ranks"]


class Facts:
    """What the databases hold, read without Lanescope."""

    def __init__(self, databases):
        self.dispatches, self.copies, self.markers, self.sums, self.waves = [], [], [], [], 0
        for path in databases:
            q = lambda sql: list(profiling.sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(sql))  # noqa: E731
            self.dispatches += q("SELECT d.start_ns, d.end_ns, k.name, d.thread FROM dispatch d JOIN kernel k ON k.id = d.kernel")
            self.copies += q("SELECT start_ns, end_ns, bytes, thread FROM copy")
            self.markers += q("SELECT kind, text, start_ns, coalesce(end_ns, (SELECT end_ns FROM process)), thread FROM marker")
            self.sums += q("SELECT d.start_ns, m.handler || '.' || m.name, sum(v.value) FROM (SELECT dispatch, metric, value FROM value"
                           " UNION ALL SELECT * FROM dispatch_value) v JOIN dispatch d ON d.id = v.dispatch"
                           " JOIN metric m ON m.id = v.metric GROUP BY v.dispatch, v.metric")
            self.waves += q("SELECT count(*) FROM handler_row WHERE table_name = 'waves'")[0][0]
        for name in ("dispatches", "copies", "markers", "sums"):
            setattr(self, name, sorted(getattr(self, name)))


def convert(databases, form, out):
    done = profiling.call(profiling.LANESCOPE, "convert", *databases, "--to", form, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "the software GPU's" in done.stderr
    return out


def test_recordings_have_what_is_converted(recordings):
    facts = {name: Facts(databases) for name, databases in recordings.items()}
    assert facts["transpose"].waves and facts["threads"].waves and facts["transpose"].sums
    assert len(facts["copies"].copies) == 8 and {m[0] for m in facts["copies"].markers} == {0, 1, 2}
    assert len(facts["ranks"].dispatches) == 2 * len(facts["threads"].dispatches) and len(facts["streams"].dispatches) > 1


@pytest.mark.parametrize("name", NAMES)
def test_pftrace(recordings, tmp_path, name):
    facts = Facts(recordings[name])
    trace = perfetto_trace.Trace(convert(recordings[name], "pftrace", tmp_path / "out").read_bytes())
    dispatches = trace.of("kernel_dispatch")
    assert sorted((s.start, s.end, s.name) for s in dispatches) == [d[:3] for d in facts.dispatches]
    assert all(s.depth == 0 and s.track[2].startswith("queue ") for s in dispatches)
    assert sorted((s.start, k, v) for s in dispatches for k, v in s.notes.items() if "." in k) == facts.sums
    assert sorted((s.start, s.end, s.notes["bytes"]) for s in trace.of("memory_copy")) == [c[:3] for c in facts.copies]
    assert sorted((s.name, s.start) for s in trace.of("roctx")) == sorted((m[1], m[2]) for m in facts.markers if m[0])
    assert sorted((i.name, i.time) for i in trace.instants if i.category == "roctx") == sorted(
        (m[1], m[2]) for m in facts.markers if not m[0])
    waves = trace.of("wavefront")
    assert len(waves) == facts.waves
    # each within its dispatch, but for the tick of 10 ns by which both ends are cut off
    spans = {(s.track[0], s.notes["dispatch"]): s for s in dispatches}
    for w in waves:
        d = spans[w.track[0], w.notes["dispatch"]]
        assert d.start <= w.start <= w.end <= d.end + 10, (w, d)
    # an arrow from a launch to every dispatch and copy, which is not earlier
    launched = {i.flows[0]: i.time for i in trace.instants if i.category == "launch"}
    assert len(launched) == len(facts.dispatches) + len(facts.copies)
    assert all(launched[s.flows[0]] <= s.start for s in trace.slices if s.flows)


@pytest.mark.parametrize("name", NAMES)
def test_rocpd(recordings, tmp_path, name):
    facts = Facts(recordings[name])
    files = sorted(convert(recordings[name], "rocpd", tmp_path / "out").iterdir())
    assert len(files) == len(recordings[name])
    assert len({rocpd_rules.check_file(f) for f in files}) == len(files)
    db = rocpd_rules.imported(*map(str, files))
    q = lambda sql: sorted(db.execute(sql))  # noqa: E731
    assert q("SELECT start, end, name, tid FROM kernels") == facts.dispatches
    assert q("SELECT start, end, size, tid FROM memory_copies") == facts.copies
    assert q("SELECT CASE WHEN r.category = 'MARKER_CORE_API' THEN 0 ELSE 1 END, json_extract(extdata, '$.message'), start, end, tid"
             " FROM regions_and_samples r") == sorted((min(m[0], 1), *m[1:]) for m in facts.markers)
    assert q("SELECT start, counter_name, value FROM counters_collection") == facts.sums
    if name == "threads":
        assert q("SELECT DISTINCT region FROM kernels WHERE name LIKE 'touch%'") == [("main",), ("worker's inner",)]


@pytest.mark.parametrize("name", NAMES)
def test_rocpd_by_another_reader(recordings, tmp_path, name):
    """Every row with all that it refers to: kernels and their code, GPUs, queues, threads, copies, ranges and marks, counters."""
    files = convert(recordings[name], "rocpd", tmp_path / "out").iterdir()
    pairs = list(zip(sorted(map(rocpd_reader.Rocpd, files), key=lambda r: min(r.tables["info_process"])),
                     sorted(recordings[name], key=lambda d: sql(d, "SELECT pid FROM process"))))
    assert len(pairs) == len(recordings[name])
    for r, path in pairs:
        rocpd_reader.check_numbers(r)
        check_rows(r, path)


def sql(path, text):
    db = profiling.sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = sorted(db.execute(text).fetchall())
    db.close()
    return found


def check_rows(r, path):
    sizes = [f"{what}_{axis}" for what in ("grid", "workgroup") for axis in "xyz"]
    assert sorted((k["dispatch_id"], k["start"], k["end"], k["thread"]["tid"], k["process"]["pid"], k["agent"]["name"],
                   *(k[s.replace("_", "_size_")] for s in sizes), k["group_segment_size"], k["private_segment_size"],
                   k["kernel"]["kernel_name"], k["kernel"]["display_name"], k["kernel"]["arch_vgpr_count"], k["kernel"]["sgpr_count"],
                   k["kernel"]["code_object"]["load_size"]) for k in r.kernels) == sql(
        path, f"SELECT d.number, d.start_ns, d.end_ns, d.thread, p.pid, a.arch, {', '.join(sizes)}, d.lds_bytes, d.scratch_bytes,"
              " k.mangled, k.name, k.vgprs, k.sgprs, c.bytes FROM dispatch d JOIN process p ON p.id = d.process"
              " JOIN agent a ON a.id = d.agent JOIN kernel k ON k.id = d.kernel JOIN code_object c ON c.id = k.code_object")
    assert [(a["name"], a["product_name"]) for a in r.agents if a["type"] == "GPU"] == sql(path, "SELECT arch, name FROM agent ORDER BY id")
    # a recording has the runtime's handles of queues, rocpd numbers from 1
    queues = dict(sql(path, "SELECT number, queue FROM dispatch"))
    pairs = {(queues[k["dispatch_id"]], k["queue"]["id"]) for k in r.kernels}
    assert len(pairs) == len(dict(pairs)) == len({number for _, number in pairs}) == len(set(queues.values()))
    assert {q["id"] for q in r.queues} == {0, *range(1, len(pairs) + 1)}
    side = "CASE WHEN {0} IS NULL THEN 'CPU' ELSE 'GPU' END"
    assert sorted((c["start"], c["end"], c["size"], c["thread"]["tid"], c["src_agent"]["type"], c["dst_agent"]["type"]) for c in r.copies) == sql(
        path, f"SELECT start_ns, end_ns, bytes, thread, {side.format('source')}, {side.format('destination')} FROM copy")
    for c in r.copies:
        host = {"CPU": "HOST", "GPU": "DEVICE"}
        assert c["name"] == f"MEMORY_COPY_{host[c['src_agent']['type']]}_TO_{host[c['dst_agent']['type']]}"
    assert sorted((x["name"], x["event"]["extdata"]["message"], x["start"], x["end"], x["thread"]["tid"]) for x in r.ranges) == sql(
        path, "SELECT text, text, start_ns, coalesce(end_ns, (SELECT end_ns FROM process)), thread FROM marker WHERE kind != 0")
    assert sorted((x["event"]["extdata"]["message"], x["timestamp"], x["track"]["thread"]["tid"]) for x in r.marks) == sql(
        path, "SELECT text, start_ns, thread FROM marker WHERE kind = 0")
    assert sorted((c["kernel"]["dispatch_id"], c["pmc"]["name"], c["pmc"]["units"], c["pmc"]["component"], c["value"])
                  for c in r.counters) == sql(
        path, "SELECT d.number, m.handler || '.' || m.name, m.unit, 'lanescope', sum(v.value) FROM (SELECT dispatch, metric, value FROM value"
              " UNION ALL SELECT * FROM dispatch_value) v JOIN dispatch d ON d.id = v.dispatch JOIN metric m ON m.id = v.metric"
              " GROUP BY v.dispatch, v.metric")


@pytest.mark.parametrize("name", NAMES)
def test_json(recordings, tmp_path, name):
    facts = Facts(recordings[name])
    found = json.loads(convert(recordings[name], "json", tmp_path / "out").read_text())["rocprofiler-sdk-tool"]
    dispatches, copies, markers, sums = [], [], [], []
    for data in found:
        records, counters = data["buffer_records"], {c["id"]["handle"]: c["name"] for c in data["counters"]}
        texts = {m["key"]: m["value"] for m in data["strings"]["marker_api"]}
        dispatches += [(d["start_timestamp"], d["end_timestamp"],
                        data["kernel_symbols"][d["dispatch_info"]["kernel_id"]]["formatted_kernel_name"], d["thread_id"])
                       for d in records["kernel_dispatch"]]
        copies += [(c["start_timestamp"], c["end_timestamp"], c["bytes"], c["thread_id"]) for c in records["memory_copy"]]
        markers += [(texts[m["correlation_id"]["internal"]], m["start_timestamp"], m["end_timestamp"], m["thread_id"])
                    for m in records["marker_api"]]
        sums += [(c["dispatch_data"]["start_timestamp"], counters[r["counter_id"]["handle"]], r["value"])
                 for c in data["callback_records"]["counter_collection"] for r in c["records"]]
        assert data["metadata"]["lanescope"]["times_tell_about_a_gpu"] is False
        if name == "ranks":
            assert data["metadata"]["lanescope"]["rank"] == str(found.index(data))
        # what stands at source lines adds up to what stands at dispatches, but for numbers of whole dispatches
        lines, whole = {}, {}
        for a in data["source_lines"]:
            for r in a["records"]:
                lines[r["counter_id"]["handle"]] = lines.get(r["counter_id"]["handle"], 0) + r["value"]
        for c in data["callback_records"]["counter_collection"]:
            for r in c["records"]:
                whole[r["counter_id"]["handle"]] = whole.get(r["counter_id"]["handle"], 0) + r["value"]
        assert bool(lines) == bool(facts.sums) and all(whole[c] == n for c, n in lines.items())
    assert sorted(dispatches) == facts.dispatches
    assert sorted(copies) == facts.copies
    assert sorted(markers) == sorted(m[1:] for m in facts.markers)
    assert sorted(sums) == facts.sums


@pytest.mark.parametrize("name", NAMES)
def test_csv(recordings, tmp_path, name):
    facts = Facts(recordings[name])
    rows = {}
    for file in convert(recordings[name], "csv", tmp_path / "out").iterdir():
        with open(file, newline="") as f:
            rows.setdefault(file.stem.split("_", 1)[1], []).extend(csv.DictReader(f))
    assert sorted((int(r["Start_Timestamp"]), int(r["End_Timestamp"]), r["Kernel_Name"], int(r["Thread_Id"]))
                  for r in rows["kernel_trace"]) == facts.dispatches
    assert len(rows["memory_copy_trace"]) == len(facts.copies) and len(rows["marker_api_trace"]) == len(facts.markers)
    assert sorted((int(r["Start_Timestamp"]), r["Counter_Name"], int(r["Counter_Value"])) for r in rows["counter_collection"]) == facts.sums


@pytest.mark.parametrize("name", NAMES)
def test_speedscope(recordings, tmp_path, name):
    """A profile's weights are the sums of its metric, over the sites and whole dispatches of all databases."""
    sums = {}
    for _, metric, value in Facts(recordings[name]).sums:
        sums[metric] = sums.get(metric, 0) + value
    done = profiling.call(profiling.LANESCOPE, "convert", *recordings[name], "--to", "speedscope", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    file = json.loads((tmp_path / "out").read_text())
    found = {p["name"].split(" (")[0]: sum(p["weights"]) for p in file["profiles"]}
    assert found == {metric: value for metric, value in sums.items() if value}
    for p in file["profiles"]:
        assert len(p["samples"]) == len(p["weights"]) and p["endValue"] == sum(p["weights"])
    if name == "transpose":
        names = {(f["name"], pathlib.Path(f["file"]).name) for f in file["shared"]["frames"] if "file" in f}
        assert {("transpose_naive", "transpose.hip")} & names, names
