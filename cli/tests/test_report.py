"""lanescope report and query on the sample recording; the expected numbers are worked out in
results/tests/sample.c."""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

from common import Case, LANESCOPE, environment
from edited import copy_kernel

LDS, MEM = "lds_bank_conflicts", "memory_coalescing"
EXPECTED = {
    (6, "load", "LDS"): {LDS: {"Executions": 64, "Active Lanes": 3072, "Active Lanes/Execution": 48,
                               "Index Accesses": 1224, "Bank Conflict": 1080, "Addr Conflict": 0,
                               "Bank Conflicts/Access": 7.5, "Bank Conflict Rate": 23.4375}},
    (4, "store", "LDS"): {LDS: {"Executions": 32, "Active Lanes": 2048, "Active Lanes/Execution": 64,
                                "Index Accesses": 64, "Bank Conflict": 0, "Addr Conflict": 0,
                                "Bank Conflicts/Access": 0, "Bank Conflict Rate": 0}},
    (6, "store", "global"): {MEM: {"Executions": 32, "Active Lanes": 2048, "Active Lanes/Execution": 64, "Bytes": 8192,
                                   "Cache Lines": 2048, "Cache Lines Needed": 128, "TA Requests": 2048,
                                   "Wavefronts": 32, "Coalescing": 25, "Cache Lines/Needed": 16}},
    (9, "load", "global"): {MEM: {"Executions": 32, "Active Lanes": 2048, "Active Lanes/Execution": 64, "Bytes": 8192,
                                  "Cache Lines": 256, "Cache Lines Needed": 128, "TA Requests": 1024,
                                  "Wavefronts": 32, "Coalescing": 50, "Cache Lines/Needed": 2}},
    (4, "load", "global"): {MEM: {"Executions": 32, "Active Lanes": 2048, "Active Lanes/Execution": 64, "Bytes": 8192,
                                  "Cache Lines": 128, "Cache Lines Needed": 128, "TA Requests": 512,
                                  "Wavefronts": 32, "Coalescing": 100, "Cache Lines/Needed": 1}},
}

# The report at 100 columns. Places of the sample: transpose.hip in the test's directory.
TEXT = """\
           Observed/  Software
  Excess  Dispatches  GPU Time  Worst Line        Kernel
   3,128         2/3   4.50 us  transpose.hip:6   transpose(float*, float const*)
       -         0/1   1.50 us  not instrumented  Cijk_gemm
  Excess: work beyond need, in about cycles of the memory path

transpose(float*, float const*)                                                               gfx90a
  3 dispatches, 2 observed; not: 1 outside --kernel-iteration-range; grid 1024x1x1, work-group
    256x1x1; 4.50 us of software GPU time
  6 of 9 memory instructions observed; not: 2 image loads, 1 scratch access

                                                         Active     Index      Bank  Bank Conflicts/
  LDS bank conflicts                         Executions   Lanes  Accesses  Conflict           Access
  transpose.hip:6:15,31 load 4 B*                    64   48.00     1,224     1,080             7.50
    out[threadIdx.x * 32] = tile[threadIdx.x * 32] + tile[threadIdx.x * 16]; // "x", y
    * ds_read2_b32
  transpose.hip:4:9 store 4 B                        32   64.00        64         0             0.00
    tile[threadIdx.x] = in[threadIdx.x];
    ds_write_b32
  2 more metrics with --json or --csv

                                                     Active  Cache   Lines  Cache Lines/
"""


class Report(Case):
    def setUp(self):
        super().setUp()
        self.db = self.sample()

    def json(self, *args):
        return json.loads(self.expect(0, "report", "--json", self.db, *args).stdout)

    def rows(self, kernel):
        found = {}
        for table in kernel["tables"]:
            for row in table["rows"]:
                found.setdefault((row["line"], row["access"], row["address_space"]), {})[table["handler"]] = \
                    row["metrics"]
        return found

    def test_numbers_of_whole_kernels(self):
        """Two dispatches of three were observed: what each of them has adds up, and that is said. One of a thing is no two; 31,750,000 ns are read as 31.75 ms."""
        metrics = [("mine", name, unit, 1000 + i) for i, (name, unit) in enumerate((("Stalls", "cycles"), ("Entries", "entries"), ("Life", "ns"), ("Pages", "pages")))]
        db = sqlite3.connect(self.db)
        with db:
            db.executemany("INSERT INTO metric(handler, name, unit, id, description, is_ratio, scale) VALUES(?, ?, ?, ?, '', 0, 0)", metrics)
            db.executemany("INSERT INTO dispatch_value SELECT id, ?, ? FROM dispatch WHERE kernel = 1 AND observed = 1 AND (number = 1 OR ?)",
                           [(1000, 1, 0), (1001, 1, 0), (1002, 31750000, 0), (1003, 6, 1)])
        db.close()
        text = self.expect(0, "report", self.db).stdout
        for line in ("Stalls, whole kernel, sum of 2 dispatches: 1 cycle", "Entries, whole kernel, sum of 2 dispatches: 1 entry",
                     "Life, whole kernel, sum of 2 dispatches: 31.75 ms", "Pages, whole kernel, sum of 2 dispatches: 12 pages"):
            self.assertIn(f"  {line}\n", text)

    def test_json_has_the_expected_numbers(self):
        data = self.json()
        self.assertEqual(data["schema"], "lanescope-report/1")
        kernel, plain = data["kernels"]
        self.assertEqual(self.rows(kernel), EXPECTED)
        self.assertEqual(kernel["coverage"]["instructions"], 9)
        self.assertEqual(kernel["coverage"]["observed"], 6)
        self.assertEqual(kernel["coverage"]["not_observed"],
                         [{"reason": "image load", "count": 2}, {"reason": "scratch access", "count": 1}])
        self.assertEqual(kernel["dispatches"]["count"], 3)
        self.assertEqual(kernel["dispatches"]["not_observed"],
                         [{"reason": "outside --kernel-iteration-range", "count": 1}])
        self.assertEqual(plain["not_instrumented"], "its code object has no site table")
        row = kernel["tables"][0]["rows"][0]
        self.assertEqual((row["columns"], row["isa"], row["isa_merged"], row["sites"]),
                         ([15, 31], ["ds_read2_b32"], True, 2))
        inlined = kernel["tables"][1]["rows"][1]
        self.assertEqual(inlined["inlined_at"], [{"file": self.path("transpose.hip"), "line": 7, "column": 5,
                                                  "function": "transpose"}])
        self.assertEqual(data["notes"], [{"level": 1, "text": "2 indirect calls in transpose run code that is not "
                                                              "observed", "count": 1}])

    def test_worst_first(self):
        kernel = self.json()["kernels"][0]
        self.assertEqual([r["line"] for r in kernel["tables"][0]["rows"]], [6, 4])
        self.assertEqual([r["line"] for r in kernel["tables"][1]["rows"]], [6, 9, 4])
        kernel = self.json("--sort", "coalescing")["kernels"][0]
        self.assertEqual([r["line"] for r in kernel["tables"][1]["rows"]], [6, 9, 4])  # less is worse: 25, 50, 100 %
        kernel = self.json("--sort", "memory_coalescing.cache lines needed")["kernels"][0]  # neither is worse: most first
        self.assertEqual([r["line"] for r in kernel["tables"][1]["rows"]], [4, 6, 9])
        kernel = self.json("--top", "1")["kernels"][0]
        self.assertEqual([(len(t["rows"]), t["lines"]) for t in kernel["tables"]], [(1, 2), (1, 3)])

    def test_csv_equals_json(self):
        text = self.expect(0, "report", "--csv", self.db).stdout
        records = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual(len(records), 5)
        self.assertEqual(len({len(r) for r in records}), 1)
        found = {}
        for r in records:
            values = {}
            for key, value in r.items():
                if "." in key and value != "":
                    handler, name = key.split(".", 1)
                    values.setdefault(handler, {})[name] = float(value)
            found[int(r["Line"]), r["Access"], r["Address_Space"]] = values
        self.assertEqual(found, EXPECTED)
        self.assertEqual(records[0]["Source"],
                         'out[threadIdx.x * 32] = tile[threadIdx.x * 32] + tile[threadIdx.x * 16]; // "x", y')
        self.assertEqual(records[0]["Kernel_Name"], "transpose(float*, float const*)")
        inlined = next(r for r in records if r["Line"] == "9")
        self.assertEqual(inlined["Inlined_At"], self.path("transpose.hip") + ":7:5")

    def test_csv_lines_end_as_rfc_4180_says(self):
        raw = subprocess.run([LANESCOPE, "report", "--csv", self.db], env=environment(), capture_output=True).stdout
        self.assertEqual(raw.count(b"\n"), raw.count(b"\r\n"))
        self.assertTrue(raw.endswith(b"\r\n"))

    def test_text_shows_the_same_numbers(self):
        text = self.expect(0, "report", self.db, COLUMNS="140").stdout
        for (line, access, space), handlers in EXPECTED.items():
            row = next(l for l in text.splitlines() if re.match(r"  transpose\.hip:%d:[0-9,]+ %s 4 B" % (line, access), l)
                       and (("%.2f%%" % handlers[MEM]["Coalescing"]) in l if space == "global" else True))
            numbers = [float(n.replace(",", "").rstrip("%")) for n in row.split(" B", 1)[1].lstrip("*").split()]
            (handler, metrics), = handlers.items()
            names = (["Executions", "Active Lanes/Execution", "Index Accesses", "Bank Conflict",
                      "Bank Conflicts/Access"] if handler == LDS else
                     ["Executions", "Active Lanes/Execution", "Cache Lines", "Cache Lines Needed",
                      "Cache Lines/Needed", "Coalescing"])
            self.assertEqual(numbers, [metrics[n] for n in names], row)

    def test_text_layout(self):
        text = self.expect(0, "report", self.db, COLUMNS="100").stdout
        body = text.split("\n\n", 1)[1]
        self.assertEqual(body[:len(TEXT)], TEXT)
        self.assertIn("    in helper, inlined at transpose.hip:7:5\n", text)
        self.assertIn("* one instruction of the compiled kernel does this access", text)
        self.assertIn("warning: 2 indirect calls", text)
        self.assertIn("not instrumented: its code object has no site table", text)
        self.assertTrue(all(len(l) <= 100 for l in text.splitlines() if not l.startswith("/")), text)
        self.assertNotIn("\033", text)

    def test_details_of_the_worst_kernels(self):
        self.library("file:///opt/a.so", ["b_kernel"])
        self.library("file:///opt/b.so", ["c_kernel"])
        def parts(*words):
            text = self.expect(0, "report", *words, self.db).stdout
            return text.count("transpose(float*"), text.count("Cijk_gemm"), text.count("b_kernel"), text
        self.assertEqual(parts()[:3], (2, 2, 2))
        one = parts("--kernels", "1")
        self.assertEqual(one[:3], (2, 1, 1))
        self.assertIn("details of 3 other kernels with --kernels 0\n", one[3])
        self.assertEqual(parts("--kernels", "0")[:3], (2, 2, 2))
        self.assertIn("'x' is not accepted; give a number of kernels", self.expect(2, "report", "--kernels", "x", self.db).stderr)
        self.assertEqual(len(self.json("--kernels", "1")["kernels"]), 4)  # JSON has all

    def test_ten_kernels_have_details(self):
        for i in range(20):
            self.library(f"file:///opt/lib{i}.so", [f"kernel_{i:02}"])
        text = self.expect(0, "report", self.db).stdout
        self.assertEqual(text.count("kernel_"), 20 + 10 - 2)  # all in the table; the sample's two come first
        self.assertIn("details of 12 other kernels with --kernels 0\n", text)

    def test_kernels_of_the_runtime_take_one_line(self):
        self.library("memory://1", ["__amd_rocclr_fillBufferAligned", "__amd_rocclr_copyBuffer"])
        self.library("memory://2", ["jit"])
        report, want = self.expect(0, "report", self.db, COLUMNS="200").stdout, "not observed: 2 kernels of the runtime itself (as for fills and copies)"
        self.assertIn(want + ", 2 dispatches: compiled without Lanescope (--kernel . shows them)\n", report)
        self.assertIn(want + ": compiled without Lanescope\n", self.expect(0, "summary", self.db).stdout)
        self.assertNotIn("rocclr", report)
        self.assertIn("jit", report)
        self.assertIn("copyBuffer", self.expect(0, "report", "--kernel", ".", self.db).stdout)

    def test_list_kernels(self):
        self.library("file:///opt/a.so", ["alone"])
        text = self.expect(0, "list", "kernels", self.db, COLUMNS="82").stdout
        self.assertEqual(text.splitlines()[1:], [
            "  Excess  Dispatches  GPU Time  Worst Line        Kernel",
            "   3,128         2/3   4.50 us  transpose.hip:6   transpose(float*, float const*)",
            "       -         0/1   1.50 us  not instrumented  Cijk_gemm",
            "       -         0/1   1.50 us  not instrumented  alone",
            "Excess: work beyond need, in about cycles of the memory path"])
        self.assertIn("list: whose kernels? Give the databases", self.expect(2, "list", "kernels").stderr)
        self.expect(3, "list", "kernels", self.path("none.db"))

    def test_worst_rows_without_line(self):
        """What the compiler gave no line, and what was observed without probes and has no line table."""
        def cell(*statements):
            with sqlite3.connect(self.db) as db:
                for statement in statements:
                    db.execute(statement)
            return self.expect(0, "list", "kernels", self.db, COLUMNS="100").stdout.splitlines()[2]
        self.assertIn("  transpose.hip (no line)  transpose(", cell("UPDATE frame SET line = 0, column = 0 WHERE line = 6"))
        self.assertRegex(cell("UPDATE kernel SET not_instrumented = 'x' WHERE name LIKE 'transpose%'", "UPDATE site SET frame = NULL"), r" {2}\(no line\) +transpose\(")

    def test_list_kernels_of_a_program_without(self):
        with sqlite3.connect(self.db) as db:
            for table in ("value", "note", "handler_row", "unprobed_call", "dispatch", "site", "kernel"):
                db.execute(f"DELETE FROM {table}")
        text = self.expect(0, "list", "kernels", self.db).stdout
        self.assertEqual(text.splitlines()[-1], "no kernels: the program loaded no code for a GPU")
        self.assertNotIn("Worst Line", text)

    def test_the_table_of_kernels_fits(self):
        """With long names of files and kernels; the number of a line is not cut away."""
        self.library("file:///opt/a.so", ["x" * 200])
        db = sqlite3.connect(self.db)
        db.execute("UPDATE source_file SET path = replace(path, 'transpose.hip', ?)", ("long_" * 12 + "name.hip",))
        db.commit()
        db.close()
        for width in (60, 80, 100, 150):
            for verb in (("list", "gpus"), ("list", "handlers"), ("list", "metrics"), ("list", "metrics", self.db),
                         ("summary", os.path.relpath(self.db, self.dir))):
                text = self.expect(0, *verb, COLUMNS=str(width)).stdout
                self.assertEqual([l for l in text.splitlines() if len(l) > width and " " in l.strip()], [], verb)
            text = self.expect(0, "list", "kernels", self.db, COLUMNS=str(width)).stdout
            self.assertTrue(all(len(l) <= width for l in text.splitlines()), text)
            self.assertRegex(text, r"(?m)^ +3,128 .*…\S*:6  ")

    def test_what_is_set_fits(self):
        """The variables, which the manual tells, are left out of a narrow terminal; pipes get all."""
        whole, narrow = (self.expect(0, "config", **more).stdout.splitlines() for more in ({}, {"COLUMNS": "80"}))
        self.assertEqual([l.split()[:3] for l in narrow], [l.split()[:3] for l in whole])
        self.assertEqual([l for l in narrow if len(l) > 80], [])
        self.assertTrue(all(l.split()[-1].startswith("LANESCOPE_") for l in whole[3:]), whole)
        told = self.expect(0, "info", COLUMNS="80").stdout.splitlines()
        self.assertEqual([l for l in told if len(l) > 80 and "/" not in l], [])

    def test_names_of_libraries_are_cut_on_terminals_only(self):
        name = "void " + "x" * 300 + "(float*)"
        self.library("file:///opt/a.so", [name])
        self.assertEqual(self.expect(0, "report", self.db).stdout.count(name), 2)
        self.assertNotIn(name, self.expect(0, "report", self.db, COLUMNS="80").stdout)
        self.assertNotIn(name, self.on_terminal())

    def test_pager(self):
        pager = self.write("pager", "#!/bin/sh\necho \"paged with $LESS: $1\"\nhead -n 3\n")
        os.chmod(pager, 0o755)
        text = self.on_terminal(PAGER=pager + " word")
        self.assertTrue(text.startswith("paged with FRX: word\r\n"), text)
        self.assertIn("\033[", text)  # it goes to a terminal in the end
        self.assertEqual(len(text.splitlines()), 4)  # a pager that is left before the end is no failure
        self.assertIn("paged with S: ", self.on_terminal(PAGER=pager, LESS="S"))
        self.assertNotIn("paged", self.on_terminal("--no-pager", PAGER=pager))
        self.assertNotIn("paged", self.expect(0, "report", self.db, PAGER=pager).stdout)
        self.assertIn("Kernel", self.on_terminal(PAGER=""))
        self.assertIn("Kernel", self.on_terminal(PAGER="/nowhere/pager"))
        self.assertNotIn("paged", self.on_terminal("-o", self.path("out"), PAGER=pager))
        self.assertIn("paged with R: ", self.on_terminal(PAGER="LESS=R " + pager))  # the shell's to read
        self.assertIn("Kernel", self.on_terminal(PAGER=self.dir))  # a folder is no program
        self.on_terminal(PAGER="'/nowhere/a pager'")
        with open(self.path("said")) as said:
            self.assertIn("could not be run, so nothing was shown; --no-pager", said.read())

    def test_a_pager_that_fails_is_told(self):
        self.assertEqual(self.on_terminal(PAGER="false"), "")
        with open(self.path("said")) as said:
            self.assertIn("PAGER: 'false' ended with exit code 1; --no-pager prints without it", said.read())

    def test_no_pager_on_dumb_terminals(self):
        """There less waits for a key before it shows anything."""
        for term in ("dumb", ""):
            text = self.on_terminal(PAGER="sed s/^/paged:/", TERM=term)
            self.assertIn("Kernel", text)
            self.assertNotIn("paged", text)
            self.assertNotIn("\033", text)

    def library(self, uri, kernels):
        """The sample with a library whose kernels ran once each and were compiled without Lanescope."""
        db = sqlite3.connect(self.db)
        object_ = db.execute("INSERT INTO code_object(agent, uri, bytes, load_base, instrumented)"
                             " SELECT agent, ?, 1, 0, 0 FROM code_object", (uri,)).lastrowid
        columns = [c[1] for c in db.execute("PRAGMA table_info(dispatch)") if c[1] not in ("id", "number", "kernel")]
        for name in kernels:
            kernel = db.execute(
                "INSERT INTO kernel(code_object, mangled, name, line, lds_bytes, scratch_bytes, sgprs, vgprs, agprs,"
                " clone_scratch_bytes, clone_sgprs, clone_vgprs, clone_agprs, not_instrumented)"
                " VALUES (?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'compiled without Lanescope')",
                (object_, name, name)).lastrowid
            db.execute(f"INSERT INTO dispatch(number, kernel, {', '.join(columns)})"
                       f" SELECT {1000 + kernel}, {kernel}, {', '.join(columns)} FROM dispatch WHERE NOT observed LIMIT 1")
        db.commit()
        db.close()

    def test_a_library_takes_one_line(self):
        self.library("file:///opt/my%20libs/librocblas.so.4#offset=4096&size=5", [f"gemm_{i}" for i in range(214)])
        self.library("memory://77#offset=0x10&size=5", ["jit_a", "jit_b"])
        self.library("file:///opt/libother.so", ["alone"])
        want = ["not observed: 214 kernels of librocblas.so.4", "not observed: 2 kernels of code that was loaded from memory"]
        summary = self.expect(0, "summary", self.db).stdout
        for text in want:
            self.assertEqual(summary.count(text + ": compiled without Lanescope\n"), 1, summary)
        self.assertIn("not observed: alone: compiled without Lanescope", summary)
        self.assertNotIn("gemm_", summary)
        report = self.expect(0, "report", self.db, COLUMNS="200").stdout
        self.assertIn(want[0] + ", 214 dispatches: compiled without Lanescope (--kernel . shows them)", report)
        self.assertIn(want[1] + ", 2 dispatches: compiled without Lanescope", report)
        self.assertNotIn("gemm_", report)
        self.assertIn("alone", report)
        self.assertEqual(self.expect(0, "report", "--kernel", "gemm_", self.db).stdout.count("gemm_"), 2 * 214)  # table, details
        self.assertEqual(len(self.json()["kernels"]), 2 + 214 + 2 + 1)

    def test_a_library_with_a_hostile_name(self):
        self.library("file:///opt/%1b%5b31m%0aevil.so", ["a", "b"])
        for verb in ("report", "summary"):
            text = self.expect(0, verb, self.db).stdout
            self.assertIn("evil.so", text)
            self.assertNotIn("\033", text)
            self.assertFalse([l for l in text.splitlines() if l.startswith("evil")])

    def test_narrow_terminals(self):
        """Nothing stands beyond the last column but a path that is shown whole; what a line costs is shown at any width."""
        other = self.sample("b.db")
        for width in (40, 47, 60, 72, 80, 200):
            for verb in (("report", self.db), ("annotate", self.db), ("diff", "--all", self.db, other)):
                text = self.expect(0, *verb, COLUMNS=str(width)).stdout
                self.assertEqual([l for l in text.splitlines() if len(l) > width and "/" not in l], [], (verb, width))
                self.assertIn("1,080", text)
                self.assertEqual([l for l in text.splitlines() if len(l) > width and re.search(r" \d+/\d+ ", l)], [], (verb, width))
                self.assertNotIn("...", text) if width == 200 else None
            text = self.expect(0, "report", self.db, COLUMNS=str(width)).stdout
            self.assertEqual("25.00%" in text, width > 40) if width != 47 else None

    def test_names_are_cut_on_terminals_only(self):
        """In a file or a pipe, whose reader may search for them, names and source lines are whole."""
        name = "kernel_" + "x" * 200
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE kernel SET name = ? WHERE name LIKE 'transpose%'", (name,))
        for verb in ("report", "annotate"):
            self.assertIn(name, self.expect(0, verb, self.db).stdout)
            self.assertNotIn(name, self.expect(0, verb, self.db, COLUMNS="80").stdout)

    def test_paths(self):
        self.assertIn(self.path("transpose.hip") + ":6:3",
                      self.expect(0, "report", "--full-paths", self.db, COLUMNS="200").stdout)

    def test_commands_are_what_a_shell_reads(self):
        """The command of the recording stands in a hint: the shell must start the same program with the same words."""
        words = ["./s$HOME`id`\"x'.exe", "a$b", "--n=5", "X=1", "", "a b", "*[!x]~#", "\n\x1b[1m", "\\", "ü", "{1,2}"]
        db = self.sample()
        with sqlite3.connect(db) as c:
            c.execute("UPDATE process SET argv = ?", (json.dumps(words),))
        c.close()
        hint = self.expect(1, "report", "--as", "gfx950", db).stderr
        command = hint.split("lanescope run --as gfx950 -- ")[1].rsplit("`", 1)[0]
        self.assertEqual(command.count(" --n=5 "), 1)  # readable where it can be
        read = subprocess.run(["bash", "-c", "printf '%s\\0' " + command], capture_output=True, cwd=self.dir, env=environment())
        self.assertEqual(read.stdout.decode().split("\0")[:-1], words, command)

    def test_no_hint_that_leads_nowhere(self):
        """The sample is of gfx90a, whose wavefronts have 64 lanes: no recording of it could be priced on gfx1100, which has 32."""
        told = self.expect(1, "report", "--as", "gfx1100", self.sample()).stderr
        self.assertIn("gfx1100 runs wavefronts of 32 lanes, and those that were recorded have 64", told)
        self.assertNotIn("lanescope run", told)

    def test_several_databases_add_up(self):
        other = self.sample("b.db", "77")
        data = self.json(other)
        rows = self.rows(data["kernels"][0])
        self.assertEqual(rows[6, "load", "LDS"][LDS]["Bank Conflict"], 2160)
        self.assertEqual(rows[6, "load", "LDS"][LDS]["Bank Conflicts/Access"], 7.5)
        self.assertEqual(data["kernels"][0]["coverage"]["instructions"], 9)
        self.assertEqual(len(data["databases"]), 2)

    def test_same_recording_twice(self):
        shutil.copy(self.db, self.path("copy.db"))
        r = self.expect(3, "report", self.db, "copy.db")
        self.assertIn("copy.db: is the same recording as", r.stderr)

    def test_kernel_filter(self):
        self.assertEqual([k["name"] for k in self.json("--kernel", "^Cijk")["kernels"]], ["Cijk_gemm"])
        self.assertIn("no kernel matches", self.expect(1, "report", "--kernel", "zzz", self.db).stderr)
        strange = self.sample("it's $1.db")
        hint = re.search("`(.*)`", self.expect(1, "report", "--kernel", "zzz", strange).stderr)[1]
        r = subprocess.run(["sh", "-c", hint.replace("lanescope", LANESCOPE, 1)], env=environment(), capture_output=True, text=True)
        self.assertIn("Cijk_gemm", r.stdout)  # the hint does what it says
        self.assertIn("regular expression", self.expect(2, "report", "--kernel", "((", self.db).stderr)

    def test_sort_errors(self):
        self.assertIn("is no metric", self.expect(2, "report", "--sort", "Beauty", self.db).stderr)
        self.assertIn("fits several", self.expect(2, "report", "--sort", "bank c", self.db).stderr)

    def test_output_file(self):
        self.expect(0, "report", "--json", "-o", "out.json", self.db)
        with open(self.path("out.json")) as f:
            self.assertEqual(json.load(f), self.json())

    def on_terminal(self, *words, **more):
        return self.in_terminal("report", *words, self.db, **more)

    def test_colour_only_on_terminals(self):
        self.assertIn("\033[", self.on_terminal())
        self.assertNotIn("\033[", self.on_terminal(NO_COLOR="1"))

    def test_source_that_is_no_text(self):
        c = sqlite3.connect(self.db)
        c.execute("UPDATE source_file SET text = CAST(? AS TEXT)", (b"\n\n\n\tx = \"\xff\x1b[31m\";\n\n y\n",))
        c.commit()
        c.close()
        text = self.expect(0, "report", self.db).stdout
        self.assertNotIn("\x1b", text)
        row = [r for t in self.json()["kernels"][0]["tables"] for r in t["rows"] if r["line"] == 4][0]
        self.assertEqual(row["source"], "x = \"\ufffd\x1b[31m\";")


class WithoutRocm(Case):
    def test_analysis_loads_nothing_of_rocm(self):
        """The loader tells which libraries each verb loads, also at run time: those of ROCm and LLVM are none of them."""
        db, other = self.sample(), self.sample("b.db")
        for words in (["report", db], ["report", "--json", db], ["annotate", db], ["summary", db], ["diff", db, other],
                      ["query", db, "SELECT count(*) FROM dispatch"], ["check", db]):
            r = self.expect(0, *words, LD_DEBUG="files")
            loaded = sorted({line.split("file=")[1].split()[0] for line in r.stderr.splitlines() if "file=" in line})
            self.assertTrue(any("sqlite" in name for name in loaded), loaded)
            wrong = [name for name in loaded if any(part in name.lower() for part in
                                                    ("hsa", "hip", "comgr", "roc", "drm", "llvm", "amd"))]
            self.assertEqual(wrong, [], words)


class Query(Case):
    def test_forms(self):
        db = self.sample()
        sql = ("SELECT line, metric, value FROM line_view WHERE handler = 'lds_bank_conflicts' AND "
               "metric = 'Bank Conflict' ORDER BY line, value")
        table = self.expect(0, "query", db, sql).stdout
        self.assertEqual(table, "line  metric         value\n"
                                "   4  Bank Conflict      0\n"
                                "   6  Bank Conflict    120\n"
                                "   6  Bank Conflict    960\n")
        text = self.expect(0, "query", "-f", "csv", db, sql).stdout
        self.assertEqual(list(csv.reader(io.StringIO(text))), [["line", "metric", "value"], ["4", "Bank Conflict", "0"],
                                                               ["6", "Bank Conflict", "120"],
                                                               ["6", "Bank Conflict", "960"]])
        data = json.loads(self.expect(0, "query", "--format=json", db, sql).stdout)
        self.assertEqual(data[2], {"line": 6, "metric": "Bank Conflict", "value": 960})
        self.assertEqual(json.loads(self.expect(0, "query", "-f", "json", db, "SELECT NULL AS a, 1.5 AS b").stdout),
                         [{"a": None, "b": 1.5}])


class Spaces(Case):
    def test_flat_addresses_of_global_instructions(self):
        """The compiler may find out late that a pointer in a structure is one to global memory: the row says what the original's instruction says."""
        for isa, space in (("global_store_dword", "global"), ("2x global_store_dword", "global"), ("flat_store_dword", "flat"),
                           ("global_store_dword, flat_store_dword", "flat"), (None, "flat")):
            path = self.sample()
            with sqlite3.connect(path) as db:
                db.execute("UPDATE site SET space = 0, isa = ? WHERE number = 4", (isa,))
            db.close()
            kernel = json.loads(self.expect(0, "report", "--json", path).stdout)["kernels"][0]
            self.assertEqual([l["address_space"] for t in kernel["tables"] for l in t["rows"] if l["access"] == "store" and l["line"] == 6], [space], isa)


class Copies(Case):
    """A kernel in a header is in the code object of each file that includes it: copies of one kernel, of which a program launches one."""

    def test_what_was_not_launched_adds_nothing(self):
        path = self.sample()
        db = sqlite3.connect(path)
        with db:
            copy_kernel(db)
            db.execute("UPDATE dispatch SET kernel = 1001 WHERE kernel = 1")
            db.execute("UPDATE value SET site = site + 1000")
            db.execute("UPDATE kernel SET sgprs = 77 WHERE id = 1001")
            for kernel, text in ((1, "idle"), (1001, "launched")):
                db.execute("INSERT INTO instruction(kernel, offset, text, line, \"column\", site, module) VALUES(?, 4, ?, 6, 3, ?, ?)",
                           (kernel, text, kernel + 4, kernel))  # sites 5 and 1005 store in line 6
        db.close()
        found, = [k for k in json.loads(self.expect(0, "report", "--json", path).stdout)["kernels"] if k["name"].startswith("transpose")]
        self.assertIn("6 of 9 memory instructions observed", found["coverage"]["text"])
        self.assertEqual([(i["text"], i["counted_line"]) for i in found["instructions"]], [("launched", 6)])
        self.assertEqual(found["resources"]["sgprs"], 77)


class Twins(Case):
    """Functions of unnamed namespaces have one symbol and name in several files; here dispatch 3 is of other.hip's."""

    def recording(self, name="a.db", folder="/before", file="other.hip", dispatches="3"):
        path = self.sample(name)
        db = sqlite3.connect(path)
        with db:
            columns = [r[1] for r in db.execute("PRAGMA table_info(kernel)") if r[1] != "id"]
            changed = {"file": "(SELECT max(id) FROM source_file)", "line": "7"}
            db.execute("INSERT INTO source_file(path) VALUES(?)", (f"{folder}/{file}",))
            db.execute(f"INSERT INTO kernel({', '.join(columns)}) SELECT {', '.join(changed.get(c, c) for c in columns)} FROM kernel"
                       " WHERE name LIKE 'transpose%'")
            db.execute(f"UPDATE dispatch SET kernel = (SELECT max(id) FROM kernel) WHERE number IN ({dispatches})")
        db.close()
        return path

    def kernels(self, *databases):
        found = json.loads(self.expect(0, "report", "--json", *databases).stdout)["kernels"]
        return sorted((os.path.basename(k["file"]), k["dispatches"]["count"]) for k in found if k["name"].startswith("transpose"))

    def test_apart(self):
        path = self.recording()
        self.assertEqual(self.kernels(path), [("other.hip", 1), ("transpose.hip", 2)])
        name = "transpose(float*, float const*)"
        out = self.expect(0, "list", "kernels", path).stdout
        self.assertRegex(out, re.escape(name) + r" \[transpose\.hip:\d+\]\n")
        self.assertIn(name + " [other.hip:7]\n", out)
        self.assertIn(name + " [other.hip:7] ", self.expect(0, "report", path).stdout)
        self.assertNotIn(".hip:7]", self.expect(0, "report", self.sample("one.db")).stdout)

    def test_processes_of_a_merge(self):
        """Processes that were compiled in different places have one kernel, as their recordings do when they are given one by one."""
        a, b = self.sample("a.db"), self.sample("b.db", "12")
        db = sqlite3.connect(b)
        with db:
            db.execute("UPDATE source_file SET path = '/elsewhere/' || path")
        db.close()
        self.expect(0, "merge", a, b, "-o", "all.db")
        for databases in ((a, b), ("all.db",)):
            self.assertEqual(self.kernels(*databases), [("transpose.hip", 6)])

    def test_several_recordings(self):
        """Ranks have the same files, whichever is met first; a recording of an older build lies elsewhere and is compared by name."""
        a, b = self.recording(), self.recording("b.db")
        db = sqlite3.connect(b)
        with db:
            db.execute("DELETE FROM dispatch WHERE number = 4")
            db.execute("UPDATE kernel SET file = NULL WHERE name NOT LIKE 'transpose%'")
        db.close()
        for order in ((a, b), (b, a)):
            self.assertEqual(self.kernels(*order), [("other.hip", 2), ("transpose.hip", 4)])
        out = self.expect(0, "diff", "--all", a, self.recording("c.db", "/after")).stdout
        self.assertNotIn("only", out)
        self.assertEqual(re.findall(r"const\*\) \[(\w+)\.hip:\d+\]  gfx90a", out), ["transpose", "other"], out)

    def test_files_of_one_name(self):
        """Folders tell them apart, and are compared with each other, whichever has more costs."""
        a = self.recording("a.db", "/before/sub", "transpose.hip")
        out = self.expect(0, "list", "kernels", a).stdout
        self.assertEqual(len(re.findall(r"const\*\) \[sub/transpose\.hip:7\]\n", out)), 1, out)
        db = sqlite3.connect(a)
        numbers = [str(n) for n, in db.execute("SELECT number FROM dispatch_view WHERE kernel LIKE 'transpose%' ORDER BY number")]
        db.close()
        # before, the file in sub has the dispatch that was not observed; then the two that were
        b = self.recording("b.db", "/after/sub", "transpose.hip", ",".join(n for n in numbers if n != "3"))
        found = json.loads(self.expect(1, "diff", "--all", "--json", a, b).stdout)["kernels"]  # no kernel is observed in both
        self.assertEqual(sorted((k["observed_before"], k["observed_after"]) for k in found if k["name"].startswith("transpose")),
                         [(0, 2), (2, 0)])


if __name__ == "__main__":
    unittest.main()
