"""`lanescope convert --to rocpd`: files that AMD's importer takes without losing a row (rocpd_rules.py). Times as in test_times.py;
sums as in convert_case.py."""
import json
import os
import stat
import unittest

import rocpd_rules
import test_times
from convert_case import SUMS, ConvertCase


class Rocpd(ConvertCase):
    def convert(self, *databases, out="out"):
        done = self.expect(0, "convert", *databases, "--to", "rocpd", "-o", out)
        names = sorted(os.listdir(self.path(out)))
        self.paths = [os.path.join(self.path(out), n) for n in names]
        self.guids = [rocpd_rules.check_file(p) for p in self.paths]
        self.told = done.stderr
        return rocpd_rules.imported(*self.paths)

    def test_kernels(self):
        db = self.convert(self.recording())
        self.assertEqual([os.path.basename(p) for p in self.paths], ["11_results.db"])
        self.assertEqual(db.execute("SELECT dispatch_id, name, category, region, pid, tid, agent_abs_index, agent_type, queue_id, queue,"
                                    " stream_id, start, end, duration, grid_x, workgroup_x, lds_size, scratch_size, vgpr_count,"
                                    " sgpr_count, stack_id FROM kernels").fetchall(),
                         [(n, name, "KERNEL_DISPATCH", region, 11, thread, 1, "GPU", queue, f"Queue {queue}", 0, start, end, end - start,
                           1024, 256, 4096, 0, vgprs, sgprs, n)
                          for (start, end, queue, thread, _, n), name, region, vgprs, sgprs in zip(
                              test_times.DISPATCHES, [test_times.TRANSPOSE] * 3 + ["Cijk_gemm"], ["step"] * 3 + [""],
                              [8, 8, 8, 0], [16, 16, 16, 0])])

        # microseconds: 1500 + 2500 + 500 ns, and 1500
        self.assertEqual(db.execute("SELECT * FROM top_kernels").fetchall(),
                         [(test_times.TRANSPOSE, 3, 4.5, 1.5, 75.0), ("Cijk_gemm", 1, 1.5, 1.5, 25.0)])

    def test_counters(self):
        db = self.convert(self.recording())
        found = {(d, name): (value, component, block) for d, name, value, component, block in
                 db.execute("SELECT dispatch_id, counter_name, value, component, block FROM counters_collection")}
        self.assertEqual(found, {(d, f"{handler}.{metric}"): (value, "lanescope", handler) for d in (1, 2)
                                 for handler, metrics in SUMS.items() for metric, value in metrics.items()})

    def test_copies_and_markers(self):
        db = self.convert(self.recording())
        self.assertEqual(db.execute("SELECT name, start, end, size, src_agent_abs_index, src_agent_type, dst_agent_abs_index,"
                                    " dst_agent_type, tid, category, stack_id FROM memory_copies").fetchall(),
                         [("MEMORY_COPY_HOST_TO_DEVICE", 1000500, 1002500, 4096, 0, "CPU", 1, "GPU", 7, "MEMORY_COPY", 5),
                          ("MEMORY_COPY_HOST_TO_DEVICE", 1001000, 1003000, 1000, 0, "CPU", 1, "GPU", 7, "MEMORY_COPY", 6),
                          ("MEMORY_COPY_DEVICE_TO_HOST", 2001000, 2001500, 8, 1, "GPU", 0, "CPU", 8, "MEMORY_COPY", 7),
                          ("MEMORY_COPY_DEVICE_TO_HOST", 0, 0, 2, 1, "GPU", 0, "CPU", 0, "MEMORY_COPY", 8)])
        self.assertEqual([(*row, json.loads(e)) for *row, e in db.execute(
            "SELECT name, category, start, end, tid, stack_id, extdata FROM regions_and_samples ORDER BY start")],
            [("roctxMark", "MARKER_CORE_API", 950000, 950000, 7, 9, {"message": "here"}),
             ("step", "MARKER_CORE_RANGE_API", 999000, 2500000, 7, 10, {"message": "step"}),
             ("step", "MARKER_CORE_RANGE_API", 2900000, 3000000, 8, 11, {"message": "step"}),
             ("late", "MARKER_CORE_RANGE_API", 3900000, 9000000, 7, 12, {"message": "late", "lanescope_open": True})])

    def test_process(self):
        db = self.convert(self.recording())
        self.assertEqual(db.execute("SELECT hostname, pid, command, start, end FROM processes").fetchall(),
                         [("node1", 11, "./app --size 'a b'", *db.execute("SELECT start, 9000000 FROM processes").fetchone())])
        [extdata] = db.execute("SELECT extdata FROM rocpd_info_process").fetchone()
        self.assertEqual(json.loads(extdata)["time_source"], "software GPU, which tells nothing about a GPU")
        self.assertEqual(json.loads(extdata)["estimates"], False)
        self.assertEqual(json.loads(extdata)["lanescope_guid"], self.guids[0])
        self.assertEqual(db.execute("SELECT type, name, product_name, user_name FROM rocpd_info_agent ORDER BY id").fetchall(),
                         [("CPU", "host", "", ""), ("GPU", "gfx90a", "soft", "software GPU")])
        self.assertEqual([t for t, in db.execute("SELECT tid FROM threads ORDER BY tid")], [0, 7, 8])
        self.assertIn("software GPU's", self.told)

    def test_several(self):
        """Two processes with one number, as of two hosts; from two files and from their merge."""
        a, b = self.recording(), self.recording("b.db", "DELETE FROM marker")
        self.expect(0, "merge", a, b, "-o", "all.db")
        for i, databases in enumerate(((a, b), ("all.db",))):
            db = self.convert(*databases, out=f"out{i}")
            self.assertEqual([os.path.basename(p) for p in self.paths], ["11-2_results.db", "11_results.db"])
            self.assertEqual(len(set(self.guids)), 2)
            self.assertEqual(db.execute("SELECT count(*), count(DISTINCT guid) FROM kernels").fetchone(), (8, 2))
            self.assertEqual(db.execute("SELECT guid, count(*) FROM regions GROUP BY guid").fetchall(), [(self.guids[1], 3)])

    def test_older_and_empty(self):
        self.old("old.db", self.recording())
        empty = self.recording("b.db", *(f"DELETE FROM {t}" for t in ("value", "dispatch_value", "handler_row", "dispatch", "copy",
                                                                       "marker")))
        self.assertEqual(self.convert("old.db").execute("SELECT count(*), max(tid) FROM kernels").fetchone(), (4, 0))
        self.assertEqual(self.convert(empty, out="other").execute("SELECT count(*) FROM kernels").fetchone(), (0,))

    def test_odd_texts_and_numbers(self):
        largest = (1 << 63) - 1
        path = self.recording("a.db", f"UPDATE value SET value = {largest} WHERE metric = 4", "UPDATE process SET guid = 'x\"''--'",
                              "UPDATE process SET argv = 'no JSON', hostname = ''",
                              f"UPDATE copy SET bytes = {largest}, end_ns = {largest} WHERE number = 1")
        self.change(path, ("UPDATE kernel SET name = CAST(? AS TEXT) WHERE id = 2", (b"a\xff\x1b[31m\"b",)),
                    ("UPDATE marker SET text = ? WHERE text = 'late'", ("'; DROP TABLE x\n\u202e\"",)),
                    "UPDATE dispatch SET start_ns = 0, end_ns = 0 WHERE number = 4")
        db = self.convert(path)
        self.assertEqual(db.execute("SELECT name, start, end FROM kernels WHERE dispatch_id = 4").fetchone(),
                         ('a\\xff\\x1b[31m"b', 0, 0))
        self.assertEqual(db.execute("SELECT name FROM regions ORDER BY start DESC").fetchone(), ("'; DROP TABLE x\\n\\u202e\"",))
        self.assertEqual({json.loads(e)["value"] for e, in db.execute(
            "SELECT v.extdata FROM rocpd_pmc_event v JOIN rocpd_info_pmc i ON i.id = v.pmc_id WHERE i.name LIKE '%.Bank Conflict'")},
            {largest})
        self.assertEqual(db.execute("SELECT command FROM processes").fetchone(), ("(unknown)",))

    def test_files(self):
        path = self.recording()
        os.chmod(path, 0o600)
        self.convert(path)
        self.assertEqual(stat.S_IMODE(os.stat(self.paths[0]).st_mode), 0o600)
        self.assertEqual(os.listdir(self.path("out")), ["11_results.db"])
        args = ["convert", path, "--to", "rocpd", "-o"]
        self.assertIn("is not an empty folder", self.expect(1, *args, "out").stderr)
        self.assertIn("none.db", self.expect(3, *args, "new", "none.db").stderr)
        self.assertIn("give its name", self.expect(2, *args, "-").stderr)
        self.assertIn("to nothing; `lanescope check` tells more", self.expect(3, "convert", self.recording("c.db", "UPDATE dispatch SET kernel = 99"),
                                                       "--to", "rocpd", "-o", "new").stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_what_no_reference_leads_to(self):
        """A kernel of a code object that is not there: told, not left out."""
        path = self.recording("a.db", "UPDATE kernel SET code_object = 99 WHERE id = 2")
        r = self.lanescope("convert", path, "--to", "rocpd", "-o", "out")
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("lanescope check", r.stderr)
        self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main()
