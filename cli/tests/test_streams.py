"""HIP streams in reports and exports. The recording is that of test_times.py with

    stream            has dispatch  of ns             copy  of ns
    0, null                                           4     unknown
    1                 1, 2          1500 + 2500       2     2000
    2                                                 1     2000
    3, of thread 8    3             500               3     500
    unknown           4             1500

The GPU copies from 1000500 to 1003000 and from 2001000 to 2001500, and runs kernels from 1000000 to 1001500, from 2000000 to
2002500, 3000000 to 3000500, 4000000 to 4001500. So

    of stream 1: dispatch 1 runs while copies do from 1000500 on: 1000 ns, dispatch 2 while copy 3 does: 500 ns; of its copy,
                 from 1001000 on, the first 500 ns while dispatch 1 runs
    of stream 2: its copy, from 1000500 on, 1000 ns while dispatch 1 runs
    of stream 3: its kernel never; all of copy 3 while dispatch 2 runs"""
import csv
import io
import json
import sqlite3
import unittest

import perfetto_trace
from convert_case import ConvertCase

STREAMS = ["INSERT INTO stream VALUES(1, 1, 0, 1, NULL), (2, 1, 1, 2, NULL), (3, 1, 2, 2, NULL), (4, 1, 3, 3, 8)",
           "UPDATE dispatch SET stream = CASE number WHEN 1 THEN 2 WHEN 2 THEN 2 WHEN 3 THEN 4 END",
           "UPDATE copy SET stream = CASE number WHEN 1 THEN 3 WHEN 2 THEN 2 WHEN 3 THEN 4 ELSE 1 END"]
# stream, kind, thread, queues, kernels, copies, ns of these, of kernels while copies ran, of copies while kernels ran
ROWS = [(0, "null", None, [], 0, 1, 0, 0, 0, 0), (1, "created", None, [1], 2, 1, 4000, 2000, 1500, 500),
        (2, "created", None, [], 0, 1, 0, 2000, 0, 1000), (3, "per-thread", 8, [1], 1, 1, 500, 500, 0, 500)]


class Streams(ConvertCase):
    def streams(self, name="a.db", pid="11"):
        return self.recording(name, *STREAMS, pid=pid)

    def rows(self, *databases):
        times = json.loads(self.expect(0, "report", "--json", *databases).stdout)["times"]
        fields = ("stream", "kind", "thread", "queues", "kernels", "copies", "kernels_ns", "copies_ns", "kernels_while_copies_ns",
                  "copies_while_kernels_ns")
        return [tuple(s[f] for f in fields) for s in times["streams"]], times

    def test_json(self):
        rows, times = self.rows(self.streams())
        self.assertEqual(rows, ROWS)
        self.assertEqual([(q["queue"], q["streams_known"], q["both_ns"]) for q in times["queues"]], [(1, True, 1500), (2, False, 0)])

    def test_text(self):
        out = self.expect(0, "report", "--stats", self.streams(), COLUMNS="200").stdout
        rows = out[out.index("Copies and kernels at the same time"):].splitlines()[1:6]
        self.assertEqual([r.strip() for r in rows], [
            "gfx90a GPU 1, stream 0 (null): no kernels; copies of unknown times",
            "gfx90a GPU 1, stream 1, on queue 1: kernels 4.00 us, 1.50 us of it (37.5 %) while copies ran;"
            " copies 2.00 us, 500 ns of it (25.0 %) while kernels ran",
            "gfx90a GPU 1, stream 2: no kernels; copies 2.00 us, 1.00 us of it (50.0 %) while kernels ran",
            "gfx90a GPU 1, stream 3 (of thread 8), on queue 1: kernels 500 ns, never while copies ran;"
            " copies 500 ns, 500 ns of it (100.0 %) while kernels ran",
            "gfx90a GPU 1, queue 2: kernels 1.50 us, copies 3.00 us: never at the same time"])
        summary = self.expect(0, "summary", self.streams("b.db")).stdout
        self.assertIn("4 copies, 5,106 bytes; kernels ran at the same time as those of 3 of 3 streams\n", summary)

    def test_csv(self):
        out = self.expect(0, "report", "--stats", "--csv", self.streams()).stdout
        rows = [r for r in csv.DictReader(io.StringIO(out)) if r["Domain"] == "COPY_KERNEL_OVERLAP"]
        self.assertEqual([(r["Calls"], r["TotalDurationNs"], float(r["Percentage"]), r["Kernels"], r["KernelDurationNs"], r["Copies"])
                          for r in rows],
                         [("1", "0", 0, "0", "0", "1"), ("1", "500", 25, "2", "4000", "1"), ("1", "1000", 50, "0", "0", "1"),
                          ("1", "500", 100, "1", "500", "1"), ("4", "0", 0, "1", "1500", "4")])
        self.assertTrue(rows[3]["Name"].endswith("gfx90a GPU 1, stream 3 (of thread 8), on queue 1"), rows[3])

    def test_merge(self):
        """Of two processes, each has its streams; a recording without them beside one that has them."""
        a, b, c = self.streams(), self.streams("b.db", "12"), self.recording("c.db", pid="13")
        self.expect(0, "merge", a, b, c, "-o", "all.db")
        self.expect(0, "check", "all.db")
        rows, times = self.rows("all.db")
        self.assertEqual(rows, ROWS + ROWS)
        self.assertEqual([s["pid"] for s in times["streams"]], [11] * 4 + [12] * 4)
        self.assertEqual(self.rows(a, b, c)[0], rows)

    def test_older(self):
        """Version 0.1 has no streams, and a recording of later ones may have the threads, but no streams yet."""
        path = self.recording()
        self.old("old.db", path)
        self.change(path, "ALTER TABLE dispatch DROP COLUMN stream", "ALTER TABLE copy DROP COLUMN stream", "DROP TABLE stream")
        for each in ("old.db", path):
            rows, times = self.rows(each)
            self.assertEqual((rows, [q["streams_known"] for q in times["queues"]]), ([], [False, False]))
        ranges = self.rows(path)[1]["ranges"]
        self.assertEqual([r["kernels"] for r in ranges], [3, 1])  # threads are still read

    def test_rocpd(self):
        self.expect(0, "convert", self.streams(), "--to", "rocpd", "-o", "out")
        db = sqlite3.connect(self.path("out/11_results.db"))
        self.addCleanup(db.close)
        self.assertEqual(db.execute("SELECT dispatch_id, stream_id, stream FROM kernels ORDER BY dispatch_id").fetchall(),
                         [(1, 1, "Stream 1"), (2, 1, "Stream 1"), (3, 3, "Stream 3 (of thread 8)"), (4, 0, "Default Stream")])
        self.assertEqual(db.execute("SELECT size, stream_id, stream_name FROM memory_copies ORDER BY size").fetchall(),
                         [(2, 0, "Default Stream"), (8, 3, "Stream 3 (of thread 8)"), (1000, 1, "Stream 1"), (4096, 2, "Stream 2")])

    def test_other_forms(self):
        path = self.streams()
        self.expect(0, "convert", path, "--to", "csv", "-o", "csv")
        for name, expected in (("kernel", ["1", "1", "3", "0"]), ("memory_copy", ["2", "1", "3", "0"])):
            with open(self.path(f"csv/11_{name}_trace.csv"), newline="") as f:
                self.assertEqual([r["Stream_Id"] for r in csv.DictReader(f)], expected)
        self.expect(0, "convert", path, "--to", "json", "-o", "out.json")
        with open(self.path("out.json")) as f:
            records = json.load(f)["rocprofiler-sdk-tool"][0]["buffer_records"]
        self.assertEqual([r["stream_id"]["handle"] for r in records["kernel_dispatch"]], [1, 1, 3, 0])
        self.assertEqual([r["stream_id"]["handle"] for r in records["memory_copy"]], [2, 1, 3, 0])
        self.expect(0, "convert", path, "--to", "pftrace", "-o", "out.pftrace")
        with open(self.path("out.pftrace"), "rb") as f:
            trace = perfetto_trace.Trace(f.read())
        self.assertEqual([s.notes.get("stream") for s in trace.of("kernel_dispatch")],
                         ["stream 1", "stream 1", "stream 3 (of thread 8)", None])
        self.assertEqual(sorted(s.notes["stream"] for s in trace.of("memory_copy")), ["stream 1", "stream 2", "stream 3 (of thread 8)"])

    def test_what_others_write(self):
        """Kinds and numbers that nobody has, and a stream of another process: shown or refused, nothing breaks."""
        path = self.streams("odd.db")
        self.change(path, "UPDATE stream SET kind = 99, number = -5 WHERE id = 2", f"UPDATE stream SET number = {1 << 62} WHERE id = 3")
        self.assertEqual([r[0] for r in self.rows(path)[0]], [-5, 0, 3, 1 << 62])
        self.expect(0, "convert", path, "--to", "rocpd", "-o", "out")
        self.change(path, "PRAGMA foreign_keys = OFF", "UPDATE dispatch SET stream = 77 WHERE number = 1")
        self.assertIn("leads to nothing", self.expect(3, "convert", path, "--to", "csv", "-o", "csv").stderr)
        self.assertEqual([r[4] for r in self.rows(path)[0]], [1, 0, 1, 0])


if __name__ == "__main__":
    unittest.main()
