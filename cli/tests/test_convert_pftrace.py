"""`lanescope convert --to pftrace`: what a reader of the published schema finds. Times as in test_times.py; sums as in
convert_case.py. Copies 1 and 2 overlap (1000500 to 1002500, 1001000 to 1003000 ns), so one of them is on a second track."""
import importlib.util
import json
import os
import stat
import subprocess
import sys
import unittest

import test_times
from convert_case import ConvertCase
from perfetto_trace import Trace

GPU = "GPU 1: gfx90a (software GPU: times tell nothing about a GPU)"
PROCESS = "./app --size 'a b' (process 11 on node1)"
SOFTWARE = "software GPU, which tells nothing about a GPU"


def wave(workgroup, number, unit, start, ns, **more):
    return json.dumps({"workgroup": workgroup, "wave": number, "xcc": 0, "engine": 1, "array": 0, "unit": unit, "simd": 2,
                       "slot": 0, "start_ns": start, "duration_ns": ns, **more})


class Pftrace(ConvertCase):
    def convert(self, *databases, more=(), out="out.pftrace"):
        done = self.expect(0, "convert", *databases, "--to", "pftrace", "-o", out, *more)
        with open(self.path(out), "rb") as f:
            return Trace(f.read()), done.stderr

    def add_waves(self, path, dispatch, *rows):
        for row in rows:
            self.change(path, ("INSERT INTO handler_row(dispatch, handler, table_name, json) SELECT id, 'wave_timeline', 'waves', ?"
                               " FROM dispatch WHERE number = ?", (row, dispatch)))

    def test_dispatches(self):
        trace, _ = self.convert(self.recording())
        found = trace.of("kernel_dispatch")
        self.assertEqual([(s.track, s.name, s.start, s.end, s.depth) for s in found],
                         [((PROCESS, GPU, "queue 1"), test_times.TRANSPOSE, 1000000, 1001500, 0),
                          ((PROCESS, GPU, "queue 1"), test_times.TRANSPOSE, 2000000, 2002500, 0),
                          ((PROCESS, GPU, "queue 1"), test_times.TRANSPOSE, 3000000, 3000500, 0),
                          ((PROCESS, GPU, "queue 2"), "Cijk_gemm", 4000000, 4001500, 0)])
        notes = found[1].notes
        self.assertEqual({k: v for k, v in notes.items() if "." not in k},
                         {"dispatch": 2, "grid": "1024, 1, 1", "workgroup": "256, 1, 1", "lds_bytes": 4096, "scratch_bytes": 0,
                          "vgprs": 8, "agprs": 0, "sgprs": 16, "roctx_range": "step", "time_source": SOFTWARE})
        self.assertEqual({k: v for k, v in notes.items() if k.startswith("lds_bank")},
                         {"lds_bank_conflicts.Executions": 48, "lds_bank_conflicts.Active Lanes": 2560,
                          "lds_bank_conflicts.Index Accesses": 644, "lds_bank_conflicts.Bank Conflict": 540,
                          "lds_bank_conflicts.Addr Conflict": 0})
        self.assertEqual(len([k for k in notes if k.startswith("memory_coalescing.")]), 7)
        self.assertFalse([k for k in found[3].notes if "." in k])
        # "late" was started, not pushed: it is no range of what thread 7 does
        self.assertEqual([s.notes.get("roctx_range") for s in found], ["step", "step", "step", None])

    def test_copies_overlap(self):
        trace, told = self.convert(self.recording())
        self.assertEqual([(s.track, s.start, s.end, s.depth, s.notes["bytes"]) for s in trace.of("memory_copy")],
                         [((PROCESS, GPU, "copies HOST_TO_DEVICE"), 1000500, 1002500, 0, 4096),
                          ((PROCESS, GPU, "copies HOST_TO_DEVICE"), 1001000, 1003000, 0, 1000),
                          ((PROCESS, GPU, "copies DEVICE_TO_HOST"), 2001000, 2001500, 0, 8)])
        self.assertEqual(list(trace.tracks.values()).count((PROCESS, GPU, "copies HOST_TO_DEVICE")), 2)
        self.assertIn("copies and ROCTx ranges without a place in the trace, as they have no times or end before they start: 1\n", told)  # copy 4
        [about] = [i for i in trace.instants if i.category == "lanescope"]
        self.assertEqual((about.track, about.notes["without_times"], about.notes["time_source"]), ((PROCESS,), 1, SOFTWARE))

    def test_many_at_once(self):
        """n dispatches of one queue, each 10 ns after the one before and 25 ns long: three tracks are needed."""
        path = self.recording()
        self.change(path, "INSERT INTO dispatch SELECT NULL, process, 100 + value, kernel, agent, 1, grid_x, grid_y, grid_z,"
                          " workgroup_x, workgroup_y, workgroup_z, lds_bytes, scratch_bytes, 5000000 + 10 * value,"
                          " 5000025 + 10 * value, observed, not_observed, chunks, bytes, messages, bad, dropped, by_instructions,"
                          " unlisted, NULL, NULL, NULL, NULL FROM dispatch, (WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL"
                          " SELECT value + 1 FROM n WHERE value < 49) SELECT value FROM n) WHERE number = 4")
        trace, _ = self.convert(path)
        found = [s for s in trace.of("kernel_dispatch") if s.start >= 5000000]
        self.assertEqual([(s.start, s.end, s.depth) for s in found], [(5000000 + 10 * i, 5000025 + 10 * i, 0) for i in range(50)])
        self.assertEqual(list(trace.tracks.values()).count((PROCESS, GPU, "queue 1")), 3)

    def test_markers(self):
        path = self.recording()
        for marker in ((7, 1, "outer", 900000, 2600000), (7, 1, "inner", 999100, 999200)):
            self.change(path, ("INSERT INTO marker VALUES(NULL, 1, ?, ?, ?, ?, ?)", marker))
        trace, _ = self.convert(path)
        self.assertEqual([(s.track[1], s.name, s.start, s.end, s.depth) for s in trace.of("roctx")],
                         [("thread 7", "outer", 900000, 2600000, 0), ("thread 7", "step", 999000, 2500000, 1),
                          ("thread 7", "inner", 999100, 999200, 2), ("thread 8", "step", 2900000, 3000000, 0),
                          ("ranges started by thread 7", "late", 3900000, None, 0)])
        self.assertEqual(sorted(trace.threads.values()), [(11, 7), (11, 8)])
        self.assertEqual([(i.track[1], i.name, i.time) for i in trace.instants if i.category == "roctx"],
                         [("thread 7", "here", 950000)])

    def test_ranges_that_cross(self):
        """Two pushed ranges of one thread of which neither holds the other, as only a damaged recording has: both stay."""
        path = self.recording("a.db", "DELETE FROM marker")
        for marker in ((7, 1, "a", 100, 200), (7, 1, "b", 150, 250)):
            self.change(path, ("INSERT INTO marker VALUES(NULL, 1, ?, ?, ?, ?, ?)", marker))
        trace, _ = self.convert(path)
        self.assertEqual([(s.name, s.start, s.end, s.depth) for s in trace.of("roctx")], [("a", 100, 200, 0), ("b", 150, 250, 0)])

    def test_arrows(self):
        """Each dispatch and each copy has an arrow from where its thread launched it."""
        trace, _ = self.convert(self.recording())
        launches = {i.flows[0]: (i.track[1], i.name, i.time) for i in trace.instants if i.category == "launch"}
        ends = {s.flows[0]: s.start for s in trace.slices if s.flows}
        self.assertEqual(sorted((time, ends.get(flow), thread) for flow, (thread, _, time) in launches.items()),
                         [(999900, 1000000, "thread 7"), (1000400, 1000500, "thread 7"), (1000450, 1001000, "thread 7"),
                          (1999900, 2000000, "thread 7"), (2000900, 2001000, "thread 8"), (2999900, 3000000, "thread 8"),
                          (3999900, 4000000, "thread 7")])

    def test_wavefronts(self):
        path = self.recording()
        self.add_waves(path, 2, wave("0,0,0", 0, 3, 0, 500), wave("0,0,0", 1, 3, 10, 300), wave("1,0,0", 0, 12, 20, 400))
        self.add_waves(path, 1, wave("0,0,0", 0, 3, 5, 7), "[]", "no JSON", wave("0,0,0", 0, 3, -1, 7), wave("0,0,0", "a", 3, 0, 7))
        trace, told = self.convert(path)
        top = (PROCESS, GPU, "wavefronts by compute unit")
        self.assertEqual([(s.track, s.name, s.start, s.end, s.depth, s.notes["dispatch"]) for s in trace.of("wavefront")],
                         [((*top, "die 00 engine 01 array 0 unit 03"), "work-group 0,0,0 wave 0", 1000005, 1000012, 0, 1),
                          ((*top, "die 00 engine 01 array 0 unit 03"), "work-group 0,0,0 wave 0", 2000000, 2000500, 0, 2),
                          ((*top, "die 00 engine 01 array 0 unit 03"), "work-group 0,0,0 wave 1", 2000010, 2000310, 0, 2),
                          ((*top, "die 00 engine 01 array 0 unit 12"), "work-group 1,0,0 wave 0", 2000020, 2000420, 0, 2)])
        self.assertIn("4 rows of wave_timeline are no wavefronts", told)

    def test_work_group_processors(self):
        """What RDNA's register tells is a work-group processor, of two compute units."""
        path = self.recording()
        self.change(path, ("UPDATE agent SET arch = 'gfx1030'", ()))
        self.add_waves(path, 2, wave("0,0,0", 0, 3, 0, 500))
        trace, _ = self.convert(path)
        top = (PROCESS, GPU.replace("gfx90a", "gfx1030"), "wavefronts by work-group processor")
        self.assertEqual([s.track for s in trace.of("wavefront")], [(*top, "die 00 engine 01 array 0 WGP 03")])

    def test_counter(self):
        """Queue 1 runs dispatches 1 and 2, with 540 cycles each, one after the other."""
        trace, _ = self.convert(self.recording(), more=("--metric", "Bank Conflict"))
        track = (PROCESS, GPU, "queue 1: lds_bank_conflicts.Bank Conflict")
        self.assertEqual(trace.counts, [(track, 1000000, 540), (track, 1001500, 0), (track, 2000000, 540), (track, 2002500, 0)])
        self.assertIn("is a ratio", self.expect(2, "convert", "a.db", "--to", "pftrace", "-o", "b", "--metric", "Coalescing").stderr)
        self.assertFalse(os.path.exists(self.path("b")))

    def test_processes_of_one_number(self):
        """Of two processes with one number (two hosts) one is Perfetto's process 11; the other's tracks only say so."""
        a, b = self.recording(), self.recording("b.db")
        self.expect(0, "merge", a, b, "-o", "all.db")
        for databases in ((a, b), (self.path("all.db"),)):
            trace, _ = self.convert(*databases, out=f"out{len(databases)}")
            self.assertEqual(list(trace.processes.values()), [11])
            self.assertEqual(sorted(trace.threads.values()), [(11, 7), (11, 8)])
            self.assertEqual(len(trace.of("kernel_dispatch")), 8)
            self.assertEqual(len([i for i in trace.instants if i.category == "lanescope"]), 2)
            flows = [s.flows[0] for s in trace.slices if s.flows]
            self.assertEqual(len(flows), len(set(flows)))

    def test_texts_of_others(self):
        path = self.recording()
        self.change(path, ("UPDATE kernel SET name = CAST(? AS TEXT) WHERE id = 2", (b"a\xff\x1b[31m\x00b",)),
                    ("UPDATE marker SET text = ? WHERE text = 'late'", ("x\n\u202ey\u00e4",)))
        self.add_waves(path, 1, wave("0,\u202e\n", 0, 3, 5, 7))
        trace, _ = self.convert(path)
        self.assertEqual(trace.of("kernel_dispatch")[3].name, r"a\xff\x1b[31m")
        self.assertEqual([s.name for s in trace.of("roctx")][-1], "x\\n\\u202ey\u00e4")
        self.assertEqual(trace.of("wavefront")[0].name, "work-group 0,\\u202e\\n wave 0")

    def test_huge_numbers(self):
        largest = (1 << 63) - 1
        path = self.recording("a.db", f"UPDATE dispatch SET end_ns = {largest} WHERE number = 4", f"UPDATE process SET pid = {largest}",
                              f"UPDATE value SET value = {largest} WHERE metric = 4")
        self.add_waves(path, 4, wave("0,0,0", 0, 3, largest, largest))
        trace, _ = self.convert(path)
        self.assertEqual(trace.of("kernel_dispatch")[3].end, None)  # no end within 64 bits is one that never comes
        self.assertEqual(list(trace.processes.values()), [(1 << 31) - 1])
        self.assertEqual(trace.of("kernel_dispatch")[0].notes["lds_bank_conflicts.Bank Conflict"], largest)  # of three sites
        self.assertEqual(trace.of("wavefront")[0].start, largest)

    def test_file(self):
        path = self.recording()
        os.chmod(path, 0o600)
        args = ["convert", path, "--to", "pftrace", "-o", "out.pftrace"]
        self.expect(0, *args)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.pftrace")).st_mode), 0o600)
        self.assertIn("--force to replace it", self.expect(1, *args).stderr)
        self.assertIn("none.db", self.expect(3, "convert", path, "none.db", "--to", "pftrace", "-o", "new").stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_perfetto_reads_it(self):
        """Perfetto's own package: its schema, and its trace processor where that can be had (it is downloaded when used first)."""
        if not importlib.util.find_spec("perfetto"):
            self.skipTest(f"{sys.executable} has no package perfetto: pip install perfetto")
        self.convert(self.recording())
        code = """
import sys
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2
trace = perfetto_trace_pb2.Trace()
with open("out.pftrace", "rb") as f:
    data = f.read()
trace.ParseFromString(data)
assert trace.IsInitialized() and trace.SerializeToString(deterministic=True)
def unknown(message):
    inner = [x for d, v in message.ListFields() if d.message_type for x in (v if hasattr(v, "__len__") else [v])]
    return len(UnknownFieldSet(message)) + sum(map(unknown, inner))
names = [e.track_event.name for e in trace.packet if e.track_event.type == 1]
print("result:", len(names), names.count("Cijk_gemm"), unknown(trace))
from perfetto.trace_processor import TraceProcessor
try:
    tp = TraceProcessor(trace="out.pftrace")
except Exception as e:
    print("result: none:", type(e).__name__, e)
    sys.exit()
print("result:", [tuple(vars(r).values()) for r in tp.query("SELECT name, ts, dur FROM slice WHERE category = 'kernel_dispatch' ORDER BY ts")])
print("result:", [r.n for r in tp.query("SELECT sum(value) AS n FROM stats WHERE severity IN ('error', 'data_loss')")])
"""
        done = subprocess.run([sys.executable, "-c", code], cwd=self.dir, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, *rest = [line[8:] for line in done.stdout.splitlines() if line.startswith("result: ")]
        self.assertEqual(first, "10 1 0")  # slices: 4 dispatches, 3 copies with times, 3 ranges; no unknown field
        if rest[0].startswith("none:"):
            self.skipTest("its schema reads the trace; its trace processor cannot be had: " + rest[0])
        t = test_times.TRANSPOSE
        self.assertEqual(rest, [str([(t, 1000000, 1500), (t, 2000000, 2500), (t, 3000000, 500), ("Cijk_gemm", 4000000, 1500)]), "[0]"])


if __name__ == "__main__":
    unittest.main()
