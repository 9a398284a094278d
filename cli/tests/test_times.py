"""Statistics of times. The recording is the sample's with these dispatches, copies and ranges (ns):

    kernel     number  start      end      queue  thread  submitted        transpose: 1500 + 2500 + 500 = 4500 ns,
    transpose  1     1000000  1001500      1      7     999900               average 1500, deviation of the sample
    transpose  2     2000000  2002500      1      7    1999900               sqrt((0 + 1000^2 + 1000^2) / 2) = 1000
    transpose  3     3000000  3000500      1      8    2999900             Cijk_gemm: 1500 ns
    Cijk_gemm  4     4000000  4001500      2      7    3999900             75 % and 25 % of 6000 ns

    copy             bytes  start    end      thread  submitted
    1 to the GPU      4096  1000500  1002500    7      1000400     4000 ns in both: 88.89 % of 4500
    2 to the GPU      1000  1001000  1003000    7      1000450
    3 from the GPU       8  2001000  2001500    8      2000900     500 ns, 11.11 %
    4 from the GPU       2  unknown             unknown

Copies 1 and 2 are busy from 1000500 to 1003000, copy 3 for 500 ns: 3000 ns. Queue 1 runs kernels for 4500 ns; at the same
time as copies from 1000500 to 1001500 and all of copy 3: 1500 ns, 50 % of the copies' time. Queue 2: never.

    range          thread  start    end      what its thread submitted in it
    step, pushed     7     999000   2500000  dispatches 1 and 2 (4000 ns), copies 1 and 2
    step, pushed     8     2900000  3000000  dispatch 3 (500 ns)
    late, started    7     3900000  open     dispatch 4 (1500 ns)
step: 1501000 + 100000 = 1601000 ns, average 800500, deviation |1501000 - 100000| / sqrt(2)."""
import csv
import io
import json
import math
import re
import sqlite3
import unittest

from common import Case

DISPATCHES = [(1000000, 1001500, 1, 7, 999900, 1), (2000000, 2002500, 1, 7, 1999900, 2),
              (3000000, 3000500, 1, 8, 2999900, 3), (4000000, 4001500, 2, 7, 3999900, 4)]
COPIES = [(1, None, 1, 4096, 1000500, 1002500, 1000400, 7), (2, None, 1, 1000, 1001000, 1003000, 1000450, 7),
          (3, 1, None, 8, 2001000, 2001500, 2000900, 8), (4, 1, None, 2, 0, 0, None, None)]
ADD_COPY = ("INSERT INTO copy(process, number, source, destination, bytes, start_ns, end_ns, submit_ns, thread)"
            " VALUES(1, ?, ?, ?, ?, ?, ?, ?, ?)")
MARKERS = [(7, 1, "step", 999000, 2500000), (8, 1, "step", 2900000, 3000000), (7, 2, "late", 3900000, None),
           (7, 0, "here", 950000, None)]
TRANSPOSE = "transpose(float*, float const*)"


class Times(Case):
    def recording(self, name="a.db"):
        path = self.sample(name)
        db = sqlite3.connect(path)
        with db:
            db.executemany("UPDATE dispatch SET start_ns = ?, end_ns = ?, queue = ?, thread = ?, submit_ns = ?"
                           " WHERE number = ?", DISPATCHES)
            db.executemany(ADD_COPY, COPIES)
            db.executemany("INSERT INTO marker VALUES(NULL, 1, ?, ?, ?, ?, ?)", MARKERS)
        db.close()
        return path

    def test_kernels_of_one_name_in_two_files(self):
        """They are told apart by where they are defined, as in the report, wherever kernels are named."""
        path = self.recording()
        db = sqlite3.connect(path)
        with db:
            db.execute("INSERT INTO source_file(path) VALUES('/elsewhere/other.hip')")
            db.execute("UPDATE kernel SET (mangled, name) = (SELECT mangled, name FROM kernel WHERE name = ?), line = 7,"
                       " file = (SELECT id FROM source_file WHERE path = '/elsewhere/other.hip') WHERE name = 'Cijk_gemm'", (TRANSPOSE,))
        db.close()
        first, second = f"{TRANSPOSE} [transpose.hip:2]", f"{TRANSPOSE} [other.hip:7]"
        report = self.expect(0, "report", path).stdout
        self.assertIn(first, report)
        stats = self.expect(0, "report", "--stats", path).stdout
        self.assertRegex(stats, r"3 .*75\.00  " + re.escape(first) + "\n")
        self.assertRegex(stats, r"1 .*25\.00  " + re.escape(second) + "\n")
        rows = csv.DictReader(io.StringIO(self.expect(0, "report", "--stats", "--csv", path).stdout))
        self.assertEqual([(r["Name"], r["Calls"]) for r in rows if r["Domain"] == "KERNEL_DISPATCH"], [(first, "3"), (second, "1")])
        kernels = json.loads(self.expect(0, "report", "--json", path).stdout)["times"]["kernels"]
        self.assertEqual([(k["name"], k["file"], k["line"]) for k in kernels],
                         [(TRANSPOSE, self.path("transpose.hip"), 2), (TRANSPOSE, "/elsewhere/other.hip", 7)])
        self.assertIn("in " + first, self.expect(0, "explain", path).stdout)
        found = json.loads(self.expect(0, "explain", "--json", path).stdout)["findings"][0]
        self.assertEqual((found["kernel_file"], found["kernel_line"]), (self.path("transpose.hip"), 2))
        self.assertTrue(self.expect(0, "convert", "--to", "folded", "--metric", "Bank Conflict", path, "-o", "-").stdout.startswith(first))

    def test_one_kernel_in_two_compilations(self):
        """-fgpu-rdc gives functions that only one file knows the hash of a compilation: they are called as without, are one kernel
        where a header defines them, and find each other when the hashes are others."""
        mangled = "_ZN12_GLOBAL__N_14fillEPii"

        def named(name, first, second):
            path = self.recording(name)
            with sqlite3.connect(path) as db:
                for which, unit in (("=", first), ("<>", second)):
                    db.execute(f"UPDATE kernel SET mangled = ?, file = (SELECT min(id) FROM source_file), line = 2 WHERE name {which} ?",
                               (f"{mangled}.intern.{unit}", TRANSPOSE))
                db.execute("UPDATE kernel SET name = '(anonymous namespace)::fill(int*, int)'")
            db.close()
            return path
        one, other = named("one.db", "13d014e1b313b968", "0b"), named("other.db", "0c", "0d")
        data = json.loads(self.expect(0, "report", "--json", one).stdout)
        self.assertEqual([(k["calls"], k["percentage"]) for k in data["times"]["kernels"]], [(4, 100)])
        self.assertEqual([k["dispatches"]["count"] for k in data["kernels"]], [4])
        found = json.loads(self.expect(0, "diff", "--json", one, other).stdout)["kernels"]
        self.assertEqual([k["name_before"] == k["name_after"] for k in found], [True])

    def test_one_kernel_by_either_of_its_names(self):
        """--kernel takes the linker's name for times, too."""
        path = self.recording()
        mangled, = sqlite3.connect(path).execute("SELECT mangled FROM kernel WHERE name = ?", (TRANSPOSE,)).fetchone()
        kernels = json.loads(self.expect(0, "report", "--json", "--kernel", f"^{mangled}$", path).stdout)["times"]["kernels"]
        self.assertEqual([(k["name"], k["calls"]) for k in kernels], [(TRANSPOSE, 3)])

    def test_csv(self):
        out = self.expect(0, "report", "--stats", "--csv", self.recording()).stdout
        self.assertTrue(out.startswith("Domain,Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev,"))
        rows = {(r["Domain"], r["Name"]): r for r in csv.DictReader(io.StringIO(out))}
        self.assertEqual(len(rows), 8)

        def check(domain, name, numbers, more):
            row = rows[domain, name]
            heads = ("Calls", "TotalDurationNs", "AverageNs", "Percentage", "MinNs", "MaxNs", "StdDev")
            for head, number in zip(heads, numbers):
                self.assertAlmostEqual(float(row[head]), number, 2, (name, head))
            self.assertEqual([row[h] for h in ("Bytes", "Kernels", "KernelDurationNs", "Copies")], more, name)

        nothing = [""] * 4
        check("KERNEL_DISPATCH", TRANSPOSE, (3, 4500, 1500, 75, 500, 2500, 1000), nothing)
        check("KERNEL_DISPATCH", "Cijk_gemm", (1, 1500, 1500, 25, 1500, 1500, 0), nothing)
        check("MEMORY_COPY", "HOST_TO_DEVICE", (2, 4000, 2000, 4000 / 45, 2000, 2000, 0), ["5096", "", "", ""])
        check("MEMORY_COPY", "DEVICE_TO_HOST", (2, 500, 500, 500 / 45, 500, 500, 0), ["10", "", "", ""])
        check("MARKER_API", "step", (2, 1601000, 800500, 100, 100000, 1501000, 1401000 / math.sqrt(2)),
              ["", "3", "4500", "2"])
        check("MARKER_API", "late", (1, 0, 0, 0, 0, 0, 0), ["", "1", "1500", "0"])
        overlaps = [r for (domain, _), r in rows.items() if domain == "COPY_KERNEL_OVERLAP"]
        self.assertEqual([(r["TotalDurationNs"], float(r["Percentage"]), r["Kernels"], r["KernelDurationNs"], r["Copies"])
                          for r in overlaps], [("1500", 50, "3", "4500", "4"), ("0", 0, "1", "1500", "4")])
        self.assertEqual({r["Time_Source"] for r in rows.values()}, {"software GPU", "CPU"})

    def test_text(self):
        out = re.sub(" +", " ", self.expect(0, "report", "--stats", self.recording(), COLUMNS="120").stdout)
        for line in (f" 3 4.50 us 1.50 us 500 ns 2.50 us 75.00 {TRANSPOSE}\n",
                     " 1 1.50 us 1.50 us 1.50 us 1.50 us 25.00 Cijk_gemm\n",
                     " 2 5,096 4.00 us 2.00 us 2.00 us 2.00 us HOST_TO_DEVICE\n",
                     " 2 10 500 ns 500 ns 500 ns 500 ns DEVICE_TO_HOST\n",
                     " 3 4.50 us 2 step\n", " 1 - - - - 1 1.50 us 0 late\n",
                     "queue 1: kernels 4.50 us, copies 3.00 us: both at once for 1.50 us (50.0 % of the copies' time)\n",
                     "queue 2: kernels 1.50 us, copies 3.00 us: never at the same time\n",
                     "Times of the software GPU, which tell nothing about a GPU\n"):
            self.assertIn(line, out)
        self.assertNotIn("transpose.hip:6", out)

    def test_narrow_terminals(self):
        """A kernel's name keeps room; what tells least of its times is left out for it."""
        db, name = self.recording(), "kernel_" + "x" * 300
        with sqlite3.connect(db) as c:
            c.execute("UPDATE kernel SET name = ? WHERE name = ?", (name, TRANSPOSE))
        c.close()
        for width in (40, 60, 80, 120):
            out = self.expect(0, "report", "--stats", db, COLUMNS=str(width)).stdout
            self.assertEqual([l for l in out.splitlines() if len(l) > width], [])
            self.assertRegex(out, r"(?m)^ +3 +4.50 us .*75.00  kernel_")
        self.assertIn(f"most in {name}: 3 calls", self.expect(0, "summary", db).stdout)  # whole where it is no terminal
        self.assertNotIn(name, self.expect(0, "summary", db, COLUMNS="80").stdout)

    def test_summary(self):
        """Ranges are counted, not their names: two called step, of 1,601 us together, and one called late."""
        out = self.expect(0, "summary", self.recording()).stdout
        for line in (f"kernels 6.00 us (software GPU time); most in {TRANSPOSE}: 3 calls, average 1.50 us, 75.0 %\n",
                     "4 copies, 5,106 bytes; kernels ran at the same time\n", "3 ROCTx ranges; most time in step: 2 ranges, 1.60 ms\n"):
            self.assertIn(line, out)

    def test_forms_that_do_not_fit(self):
        for form in (["--json"], ["--rows", "waves"]):
            self.assertIn("--stats", self.expect(2, "report", "--stats", *form, self.recording()).stderr)

    def test_unknown_threads(self):
        """Recordings that do not tell who launched something do not pretend to know."""
        path = self.recording()
        db = sqlite3.connect(path)
        with db:
            db.execute("UPDATE dispatch SET thread = NULL, submit_ns = NULL WHERE number = 1")
        db.close()
        ranges = json.loads(self.expect(0, "report", "--json", path).stdout)["times"]["ranges"]
        self.assertEqual([(r["text"], r["kernels"], r["kernels_ns"], r["copies"]) for r in ranges],
                         [("step", None, None, None), ("late", None, None, None)])

    def test_threads_of_one_number(self):
        """Processes of two hosts, with the same threads at the same times: a range owns what its own process launched."""
        a, b = self.recording(), self.recording("b.db")
        db = sqlite3.connect(b)
        with db:
            db.execute("DELETE FROM marker WHERE text = 'step'")
            db.execute("UPDATE process SET hostname = 'node2'")
        db.close()
        self.expect(0, "merge", a, b, "-o", "all.db")
        for databases in ((a, b), ("all.db",)):
            times = json.loads(self.expect(0, "report", "--json", *databases).stdout)["times"]
            self.assertEqual({r["text"]: (r["calls"], r["kernels"], r["kernels_ns"], r["copies"]) for r in times["ranges"]},
                             {"step": (2, 3, 4500, 2), "late": (2, 2, 3000, 0)})

    def test_merged_time_sources(self):
        """A recording of a GPU and one of the software GPU, also as one database, whichever comes first."""
        soft, hard = self.recording(), self.recording("b.db")
        db = sqlite3.connect(hard)
        with db:
            db.execute("UPDATE process SET gpu = 'hw'")
        db.close()
        for n, databases in enumerate(((soft, hard), (hard, soft))):
            self.expect(0, "merge", *databases, "-o", f"all{n}.db")
            for given in (databases, (f"all{n}.db",)):
                times = json.loads(self.expect(0, "report", "--json", *given).stdout)["times"]
                self.assertEqual({times["time_source"], *(k["time_source"] for k in times["kernels"])}, {"GPU and software GPU"})

    def test_many_queues(self):
        """A file that claims thousands of queues and GPUs loses none of them: 5,000 dispatches of 10 ns, each on a queue
        of its own, while one copy runs for the first 3,000 of them."""
        path = self.sample()
        db = sqlite3.connect(path)
        columns = [r[1] for r in db.execute("PRAGMA table_info(dispatch)") if r[1] != "id"]
        changed = {"number": "9 + n", "queue": "9 + n", "start_ns": "10000000 + 10 * n", "end_ns": "10000010 + 10 * n"}
        with db:
            db.execute("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000) INSERT INTO dispatch"
                       f"({','.join(columns)}) SELECT {','.join(changed.get(c, c) for c in columns)} FROM c,"
                       " (SELECT * FROM dispatch WHERE number = 4)")
            db.execute(ADD_COPY, (1, None, 1, 1, 10000010, 10030010, None, None))
        db.close()
        queues = json.loads(self.expect(0, "report", "--json", path).stdout)["times"]["queues"]
        self.assertEqual(len(queues), 5001)  # the sample's own, too
        self.assertEqual(sum(q["kernels_ns"] for q in queues), 4 * 1500 + 5000 * 10)
        self.assertEqual(sum(q["both_ns"] for q in queues), 30000)


if __name__ == "__main__":
    unittest.main()
