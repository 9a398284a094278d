"""What a row is called, and whether its numbers are exact, on edited copies of the sample recording (its numbers:
results/tests/sample.c)."""
import csv
import io
import json
import os
import re
import sqlite3
import unittest

from common import Case
from edited import copy_kernel, Edited, global_row

HEADER = "/usr/include/hip/amd_detail/amd_hip_atomic.h"
ESTIMATE = ("UPDATE site SET isa_join = 0, estimate = 'it is not clear' WHERE number = ?",)


def estimate(*sites):
    return [(ESTIMATE[0], (s,)) for s in sites]


class Reports(Edited):
    def rows(self, *args, **more):
        kernel = json.loads(self.expect(0, "report", "--json", *args, **more).stdout)["kernels"][0]
        return {(r["line"], r["access"], r["address_space"]): r for t in kernel["tables"] for r in t["rows"]}

    def records(self, *args):
        text = self.expect(0, "report", "--csv", *args).stdout
        return {(int(r["Line"]), r["Access"], r["Address_Space"]): r
                for r in csv.DictReader(io.StringIO(text, newline=""), strict=True)}


class Assumed(Reports):
    """LDS cycles whose phases are assumed. Site 1 is the store of line 4."""

    def assumed(self, name):
        return self.edit(
            name,
            "INSERT INTO metric(handler, name, unit, description, is_ratio, scale, show, position, role) "
            "VALUES('lds_bank_conflicts', 'Assumed Cycles', 'cycles', '', 0, 0, 4, 12, 8)",
            "INSERT INTO value SELECT d.id, s.id, m.id, CASE s.number WHEN 1 THEN 32 ELSE 0 END FROM dispatch d, site s, "
            "metric m WHERE d.observed AND s.number IN (1, 2) AND m.name = 'Assumed Cycles'")

    def test_heads_say_what_they_are_of(self):
        """--sort sorts by what no column has; a title too long for the places below it stands above them, whole."""
        db = sqlite3.connect(self.db)
        with db:
            db.execute("INSERT OR REPLACE INTO handler(name, title) VALUES('memory_coalescing', 'Memory coalescing, as on the GPU of somebody else')")
        db.close()
        copy_kernel(db := sqlite3.connect(self.db))
        with db:
            db.execute("UPDATE kernel SET name = 'other()' WHERE id = 1001")
            db.execute("UPDATE dispatch SET kernel = 1001 WHERE number = 2")
        db.close()
        text = self.expect(0, "report", "--sort", "Coalescing", self.db, COLUMNS="80").stdout
        self.assertIn("\n  sorted by memory_coalescing.Coalescing, least first\n", text)
        self.assertIn("\n  Memory coalescing, as on the GPU of somebody else\n", text)
        self.assertIn("\n  sorted by lds_bank_conflicts.Bank Conflict, most first\n", self.expect(0, "report", "--sort", "Bank Conflict", self.db).stdout)

    def test_not_marked(self):
        text = self.expect(0, "report", self.db).stdout
        self.assertNotIn("^", text)
        self.assertFalse(any(r["phases_assumed"] for r in self.rows(self.db).values()))
        self.assertEqual({r["Phases_Assumed"] for r in self.records(self.db).values()}, {"0"})

    def test_marked_elsewhere(self):
        """annotate marks the cycles of line 4, diff its access: no estimates, so no other mark."""
        db = self.assumed("b.db")
        text = self.expect(0, "annotate", db).stdout
        line = next(l for l in text.splitlines() if "   4 " in l)
        self.assertRegex(line, r"^ +64 .* \d+\^ +")
        self.assertIn("\n^ assumed: ", text)
        self.assertEqual(text.count("^"), 2)
        text = self.expect(0, "diff", "--all", self.db, db).stdout
        self.assertEqual([l for l in text.splitlines() if "^" in l][:-1], ["  transpose.hip:4:9 LDS store 4 B^"])
        self.assertIn("\n^ assumed: ", text)
        lines = json.loads(self.expect(0, "diff", "--json", self.db, db).stdout)["kernels"][0]["lines"]
        self.assertEqual({(l["title_line_after"], l["access"], l["address_space"]) for l in lines if l["phases_assumed"]},
                         {(4, "store", "LDS")})
        records = csv.DictReader(io.StringIO(self.expect(0, "diff", "--csv", self.db, db).stdout))
        self.assertEqual({(r["Title_Line_After"], r["Access"], r["Address_Space"]) for r in records if r["Phases_Assumed"] == "1"},
                         {("4", "store", "LDS")})
        for verb in (("annotate", self.db), ("diff", "--all", self.db, self.db)):
            self.assertNotIn("^", self.expect(0, *verb).stdout)

    def test_marked(self):
        """A mark of its own: the count is exact, and says so."""
        db = self.assumed("b.db")
        text = self.expect(0, "report", db).stdout
        self.assertIn("transpose.hip:4:9 store 4 B^ ", text)
        self.assertIn("\n^ assumed: ", text)
        self.assertEqual(text.count("^"), 2)
        self.assertNotIn("~", text)
        self.assertEqual({k for k, r in self.rows(db).items() if r["phases_assumed"]}, {(4, "store", "LDS")})
        self.assertTrue(all(r["exact"] for r in self.rows(db).values()))
        self.assertEqual({k for k, r in self.records(db).items() if r["Phases_Assumed"] == "1"}, {(4, "store", "LDS")})

    def test_beside_other_marks(self):
        """A row that is estimated, and whose phases are assumed, has both marks."""
        db = self.assumed("b.db")
        c = sqlite3.connect(db)
        c.execute(*estimate(1)[0])
        c.commit()
        c.close()
        text = self.expect(0, "report", db).stdout
        row = next(l for l in text.splitlines() if "transpose.hip:4:9 store 4 B^ " in l)
        self.assertEqual(row.split(" B^", 1)[1].split(), ["~32", "~64.00", "~64", "~0", "~0.00"])
        self.assertIn("\n^ assumed: ", text)
        self.assertIn("\n~ not exact: ", text)


class Exact(Reports):
    def test_all_exact(self):
        text = self.expect(0, "report", self.db).stdout
        self.assertIn("\n  6 of 6 executed memory instructions are exact (100 %)\n", text)
        self.assertNotIn("~", text)
        self.assertTrue(all(r["exact"] and r["reason"] is None for r in self.rows(self.db).values()))

    def test_estimated_row(self):
        """Site 5 (line 9): 256 lines, 128 needed. 5 of 6 are 83.3 %."""
        db = self.edit("b.db", *estimate(5))
        reason = "estimated from width and alignment: it is not clear"
        line = "5 of 6 executed memory instructions are exact (83.3 %); 1 estimated: transpose.hip:9"
        text = self.expect(0, "report", db).stdout
        row = next(l for l in text.splitlines() if "transpose.hip:9:56 load 4 B" in l)
        self.assertEqual(row.split(" B", 1)[1].split(), ["~32", "~64.00", "~256", "~128", "~2.00", "~50.00%"])
        self.assertEqual(text.count("~"), 6 + 3)  # and the reason, the legend, the table of kernels
        self.assertIn("    ~ " + reason, text)
        self.assertIn("~ not exact:", text)
        self.assertIn(line, text)
        rows = self.rows(db)
        self.assertEqual({k[0] for k, r in rows.items() if not r["exact"]}, {9})
        self.assertEqual(rows[9, "load", "global"]["reason"], reason)
        self.assertEqual({k[0]: (r["Exact"], r["Reason"]) for k, r in self.records(db).items() if r["Exact"] != "1"},
                         {9: ("0", reason)})
        whole = json.loads(self.expect(0, "report", "--json", db).stdout)["exactness"]
        self.assertEqual((whole["executed"], whole["exact"], whole["estimated"]), (6, 5, 1))
        self.assertIn(line, self.expect(0, "summary", db).stdout)

    def test_not_counted(self):
        """An instruction of line 7 that no access explains: 6 of 7 are 85.7 %. Beside an estimate it may be what does the estimated
        access, and counts once; a second one is not: 5 of 7 are 71.4 %."""
        add = ["INSERT INTO instruction(id, kernel, offset, text, file, line, \"column\", function) SELECT 5000 + %d, k.id, 4000, "
               "'global_load_dword v0, v[0:1], off', k.file, 7, 1, k.mangled FROM kernel k, dispatch d WHERE k.id = d.kernel AND d.observed LIMIT 1",
               "INSERT INTO vector_instruction VALUES(5000 + %d, 900 + %d, 0)"]
        one = [add[0] % 0, add[1] % (0, 0)]
        db = self.edit("b.db", *one)
        line = "6 of 7 executed memory instructions are exact (85.7 %); 1 not counted: transpose.hip:7"
        for verb in ("report", "annotate", "summary"):
            self.assertIn(line, self.expect(0, verb, db).stdout)
        self.assertIn(line, self.expect(0, "diff", self.db, db).stdout)
        whole = json.loads(self.expect(0, "report", "--json", db).stdout)
        for e in (whole["exactness"], next(k for k in whole["kernels"] if k["coverage"]["unexplained"])["exactness"]):
            self.assertEqual((e["executed"], e["exact"], e["estimated"], e["not_counted"]), (7, 6, 0, 1))
        db = self.edit("c.db", *one, *estimate(5))
        self.assertIn("5 of 6 executed memory instructions are exact (83.3 %); 1 estimated: transpose.hip:9\n", self.expect(0, "report", db).stdout)
        db = self.edit("d.db", *one, add[0] % 1, add[1] % (1, 1), *estimate(5))
        self.assertIn("5 of 7 executed memory instructions are exact (71.4 %); 1 estimated: transpose.hip:9; 1 not counted: transpose.hip:7\n",
                      self.expect(0, "report", db).stdout)

    def test_annotate_and_diff(self):
        db = self.edit("b.db", *estimate(5))
        text = self.expect(0, "annotate", db).stdout
        self.assertIn("  ~32 ~64.00        ~256/128 ~50.00%    9  static", text)
        self.assertIn("   96  53.33 1,080 2,048/128  25.00%    6  ", text)
        self.assertIn("1 estimated: transpose.hip:9\n~ not exact:", text)
        text = self.expect(0, "diff", "--all", self.db, db).stdout
        self.assertRegex(text, r"transpose\.hip:9:56 global load 4 B\n.*\n    Cache Lines +256 +~256 .*\n    ~ after: estimated")
        self.assertRegex(text, r"whole kernel.*\n    Bank Conflict +1,080 +1,080 .*\n    Addr Conflict +0 +0 .*\n    Cache Lines +2,432 +~2,432 ")
        self.assertIn("before: 6 of 6 executed", text)
        self.assertIn("after:  5 of 6 executed", text)
        kernel = json.loads(self.expect(0, "diff", "--json", self.db, db).stdout)["kernels"][0]
        exact = {(l["line_before"], v["metric"]): (v["exact_before"], v["exact_after"], l["reason_after"])
                 for l in kernel["lines"] for v in l["values"]}
        self.assertEqual(exact[9, "Cache Lines"], (True, False, "estimated from width and alignment: it is not clear"))
        self.assertEqual(exact[6, "Cache Lines"], (True, True, None))
        records = csv.DictReader(io.StringIO(self.expect(0, "diff", "--csv", self.db, db).stdout, newline=""))
        self.assertEqual([(r["Exact_Before"], r["Exact_After"]) for r in records if r["Line_Before"] == "9"], [("1", "0")])

    def test_some_sites_of_a_row(self):
        """Sites 2 and 3 make line 6; one of them is estimated."""
        row = self.rows(self.edit("b.db", *estimate(3)))[6, "load", "LDS"]
        self.assertEqual((row["exact"], row["sites"], row["sites_estimated"]), (False, 2, 1))
        self.assertEqual(row["reason"], "1 of 2 accesses of the line estimated from width and alignment: it is not clear")

    def test_joined_too_late(self):
        """Joined in the end, but a dispatch before had estimates."""
        db = self.edit("b.db", "UPDATE site SET estimate = 'too late' WHERE number = 5")
        self.assertEqual(self.rows(db)[9, "load", "global"]["reason"], "estimated from width and alignment: too late")

    def test_all_places(self):
        """All are named, in the order of the lines; --top does not matter."""
        db = self.edit("b.db", *estimate(0, 1, 2, 3, 4, 5))
        text = self.expect(0, "report", "--top", "1", db).stdout
        line = next(l for l in text.splitlines() if "executed" in l)
        self.assertIn("0 of 6 executed memory instructions are exact (0 %); 6 estimated: ", line)
        self.assertEqual({w.strip(",") for w in line.split("estimated: ")[1].split(", ")},
                         {"transpose.hip:4", "transpose.hip:6", "transpose.hip:9"})

    def test_no_advice_from_estimates(self):
        row = ("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, "
               "(SELECT id FROM site WHERE number = 5), 'advice', 'global', ?)", (global_row("stride", 512, 256, 128),))
        self.assertEqual(len(self.rows(self.edit("b.db", row))[9, "load", "global"]["advice"]), 1)
        db = self.edit("c.db", row, *estimate(5))
        self.assertEqual(self.rows(db)[9, "load", "global"]["advice"], [])
        self.assertNotIn(">", self.expect(0, "annotate", db).stdout.replace("transpose(", ""))

    def test_sampled(self):
        db = self.edit("b.db", """UPDATE process SET options = '{"sample_waves": "4"}'""")
        reason = "only 1 of 4 wavefronts reported (--sample-waves)"
        text = self.expect(0, "report", db).stdout
        self.assertIn("transpose.hip:6:15,31 load 4 B* ", text)
        self.assertIn("~1,080", text)
        self.assertNotIn(" 1,080", text)
        self.assertIn("executed memory instructions are exact (100 %); but " + reason, text)
        self.assertEqual({(r["exact"], r["reason"]) for r in self.rows(db).values()}, {(False, reason)})
        self.assertIn("~1,080", self.expect(0, "annotate", db).stdout)
        self.assertIn("~1,080", self.expect(0, "summary", db).stdout)
        self.assertIn("~1,080", self.expect(1, "diff", "--all", self.db, db).stdout)  # cannot be judged

    def test_dropped(self):
        """Both observed dispatches lost 6 messages; one of them had a damaged one."""
        db = self.edit("b.db", "UPDATE dispatch SET dropped = 6 WHERE observed", "UPDATE dispatch SET bad = 1 WHERE id = 1")
        reason = "12 messages were dropped because the ring was full; 1 message was damaged and not counted"
        self.assertEqual({(r["exact"], r["reason"]) for r in self.rows(db).values()}, {(False, reason)})
        self.assertIn("~ the numbers are too small: " + reason, " ".join(self.expect(0, "report", db).stdout.split()))

    def test_nothing_found_is_not_nothing_there(self):
        zero = "UPDATE value SET value = 0 WHERE metric IN (SELECT id FROM metric WHERE name = 'Bank Conflict')"
        self.assertIn("LDS bank conflicts: none\n", self.expect(0, "summary", self.edit("b.db", zero)).stdout)
        self.assertIn("LDS bank conflicts: none, but some numbers are not exact\n",
                      self.expect(0, "summary", self.edit("c.db", zero, *estimate(1))).stdout)


class Title(Reports):
    def inlined(self, name, file, line, *more):
        """Site 4, the store of line 6, is now in a function of `file` that was inlined into line 6."""
        return self.edit(
            name, ("INSERT OR IGNORE INTO source_file(path) VALUES(?)", (file,)),
            ("INSERT INTO frame(file, line, \"column\", function, parent) VALUES((SELECT id FROM source_file WHERE path = ?),"
             " ?, 10, 'atomicAdd', (SELECT frame FROM site WHERE number = 4))", (file, line)),
            "UPDATE site SET frame = (SELECT max(id) FROM frame) WHERE number = 4", *more)

    def title(self, db, *args, **more):
        found = [r for r in self.rows(db, *args, **more).values() if r["access"] == "store" and r["address_space"] == "global"]
        self.assertEqual(len(found), 1)
        return os.path.basename(found[0]["title_file"]), found[0]["title_line"], found[0]["title_columns"]

    def test_header_of_the_system(self):
        db = self.inlined("b.db", HEADER, 153)
        self.assertEqual(self.title(db), ("transpose.hip", 6, [3]))
        row = self.rows(db)[153, "store", "global"]  # the innermost place keeps its fields
        self.assertEqual((row["file"], row["columns"], row["function"]), (HEADER, [10], "atomicAdd"))
        self.assertEqual((row["title_depth"], row["title_function"]), (1, "transpose"))
        self.assertTrue(row["title_source"].startswith("out[threadIdx.x * 32] ="))
        text = self.expect(0, "report", db).stdout
        self.assertRegex(text, r"transpose\.hip:6:3 store 4 B .*\n    out\[threadIdx.*\n    in atomicAdd, amd_hip_atomic\.h:153\n")
        record = self.records(db)[153, "store", "global"]
        self.assertEqual((record["Title_File"], record["Title_Line"], record["Title_Columns"]),
                         (self.path("transpose.hip"), "6", "3"))
        self.assertIn("worst transpose.hip:6:3 global store", self.expect(0, "summary", db).stdout)

    def test_annotate_shows_it_there(self):
        db = self.inlined("b.db", HEADER, 153)
        text = self.expect(0, "annotate", db).stdout
        self.assertEqual(text, self.expect(0, "annotate", self.db).stdout)
        # and in the header for who asks for it
        text = self.expect(0, "annotate", db, "amd_hip_atomic.h").stdout
        self.assertRegex(text, r" 32 +64\.00 +2,048/128 +25\.00% +153")

    def test_diff_matches_titles(self):
        """Another version of the header has the function elsewhere, and under another path."""
        a, b = self.inlined("b.db", HEADER, 153), self.inlined("c.db", "/opt/rocm-7.0.0/include/hip/atomic.h", 200)
        text = self.expect(0, "diff", "--all", a, b).stdout
        self.assertRegex(text, r"transpose\.hip:6:3 global store 4 B\n.*\n    Cache Lines +2,048 +2,048 +same")
        self.assertNotIn("only", text)
        line, = [l for l in json.loads(self.expect(0, "diff", "--json", a, b).stdout)["kernels"][0]["lines"]
                 if l["access"] == "store" and l["address_space"] == "global"]
        self.assertEqual((line["line_before"], line["line_after"], line["title_line_before"], line["title_line_after"]),
                         (153, 200, 6, 6))

    def test_the_compiler_knows_better(self):
        own = "UPDATE source_file SET origin = 1 WHERE path = '%s'" % HEADER
        self.assertEqual(self.title(self.inlined("b.db", HEADER, 153, own)), ("amd_hip_atomic.h", 153, [10]))
        system = "UPDATE source_file SET origin = 2 WHERE path = '/home/me/view.hpp'"
        self.assertEqual(self.title(self.inlined("c.db", "/home/me/view.hpp", 9)), ("view.hpp", 9, [10]))
        self.assertEqual(self.title(self.inlined("d.db", "/home/me/view.hpp", 9, system)), ("transpose.hip", 6, [3]))

    def test_named_libraries(self):
        db, yours, mine = self.inlined("b.db", "/x/lib/../lib/view.hpp", 9), ("transpose.hip", 6, [3]), ("view.hpp", 9, [10])
        config = self.write("c.json", '{"library_dirs": ["/elsewhere", "/x/lib/"]}')
        self.assertEqual(self.title(db), mine)
        self.assertEqual(self.title(db, "--library", "/x/lib"), yours)
        self.assertEqual(self.title(db, "--library", "/x/li"), mine)  # a folder, not the beginning of a name
        self.assertEqual(self.title(db, "--library", "/y", "--library", "/x"), yours)
        self.assertEqual(self.title(db, LANESCOPE_LIBRARY_DIRS="/y:/x/lib"), yours)
        self.assertEqual(self.title(db, LANESCOPE_CONFIG=config), yours)
        self.assertEqual(self.title(db, "--library", "/y", LANESCOPE_CONFIG=config), mine)
        for verb in ("annotate", "summary"):
            self.assertIn("view.hpp", self.expect(0, verb, db).stdout)
            self.assertNotIn("view.hpp", self.expect(0, verb, "--library", "/x/lib", db).stdout)
        self.assertNotIn("view.hpp", self.expect(0, "diff", "--all", "--library", "/x/lib", self.db, db).stdout)

    def test_usual_places(self):
        for n, (path, library) in enumerate({
                "/opt/rocm-6.2.0/lib/llvm/lib/clang/18/include/x.h": True, "/opt/rocm/include/x.h": True,
                "/home/me/llvm/lib/clang/19/include/x.h": True, "/usr/lib/gcc/x/12/../../../../include/c++/12/x.h": True,
                "/opt/rocm/share/hip/samples/x.h": False, "/home/me/lib/clang/x.h": False, "/usr/src/app/x.h": False,
                "/usr/includes/x.h": False}.items()):
            self.assertEqual(self.title(self.inlined(f"{n}.db", path, 9))[0] == "transpose.hip", library, path)

    def test_line_0(self):
        """The compiler gave the access no line: the nearest one of its calls."""
        db = self.inlined("b.db", self.path("transpose.hip"), 0)
        self.assertEqual(self.title(db), ("transpose.hip", 6, [3]))
        self.assertEqual(self.expect(0, "annotate", db).stdout, self.expect(0, "annotate", self.db).stdout)
        # without calls there is none
        db = self.edit("c.db", "UPDATE frame SET line = 0 WHERE id = (SELECT frame FROM site WHERE number = 4)")
        self.assertEqual(self.title(db), ("transpose.hip", 0, [3]))
        self.assertIn("transpose.hip (no line) store 4 B", self.expect(0, "report", db).stdout)

    def test_library_all_the_way(self):
        """A kernel of a library: the innermost place, as there is no other."""
        db = self.inlined("b.db", HEADER, 153, ("UPDATE source_file SET origin = 2",))
        self.assertEqual(self.title(db), ("amd_hip_atomic.h", 153, [10]))

    def test_a_kernel_without_lines(self):
        """Its accesses are named after it as it is named elsewhere."""
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE site SET frame = NULL, function = (SELECT mangled FROM kernel WHERE id = site.kernel)")
        for verb in ("report", "summary", "explain"):
            self.assertRegex(self.expect(0, verb, self.db).stdout, r"(?m)(^ *|worst )transpose\(float\*, float const\*\) \(no line\)")

    def test_arguments_are_cut_first(self):
        """Which kernel it is says its name; that of a template instance says its end, too."""
        db = sqlite3.connect(self.db)
        db.execute("UPDATE kernel SET name = 'of_tiles_padded(float const*, float const*, float*, int)' WHERE name LIKE 'transpose%'")
        db.commit()
        db.close()
        text = self.expect(0, "list", "kernels", self.db, COLUMNS="80").stdout
        self.assertRegex(text, r"(?m)  of_tiles_padded\(float[a-z*, ]*…\)$")
        self.assertTrue(all(len(l) <= 80 for l in text.splitlines()), text)
        with sqlite3.connect(self.db) as db:
            db.execute("UPDATE kernel SET name = 'void multiply_matrices_of_floats<16u>(float const*, int)' WHERE name LIKE 'of_tiles%'")
        self.assertIn(" multiply_matrices_of_floats<16u>(float…)", " ".join(self.expect(0, "summary", self.db, COLUMNS="80").stdout.split()))
        self.assertIn("void multiply_matrices_of_floats<16u>(float const*, int)", self.expect(0, "summary", self.db).stdout)

    def test_no_line_begins_with_what_is_left_of_a_name(self):
        """A name that was cut is broken at its blanks where it is long: not before the dots, nor before a parenthesis alone."""
        for first in range(1, 9):
            with sqlite3.connect(self.db) as db:
                db.execute("UPDATE kernel SET name = ? WHERE mangled LIKE '%transpose%'", ("k" * first + "(int const*, int *, int , int , int , int , int )",))
            for locale in ("C", "C.UTF-8"):
                text = self.expect(0, "summary", self.db, COLUMNS="45", LC_ALL=locale).stdout
                self.assertRegex(text, r"(…|\.\.\.)\)")
                self.assertEqual(re.findall(r"(?m)^ *(?:…|\.\.\.|\)).*", text), [], text)

    def test_long_names_are_cut_in_the_middle(self):
        name = "void begin_of_it<" + "x, " * 100 + "int>(end_of_it)"
        db = self.inlined("b.db", HEADER, 153, ("UPDATE frame SET function = ? WHERE line = 153", (name,)),
                          ("UPDATE kernel SET name = ? WHERE name LIKE 'transpose%'", (name,)))
        text = self.expect(0, "report", db, COLUMNS="80").stdout
        self.assertTrue(all(len(l) <= 80 for l in text.splitlines() if not l.startswith("/")), text)
        self.assertRegex(text, r"\nbegin_of_it<[x, ]*…[x, ]*int>\(end_of_it\) +gfx90a\n")
        self.assertRegex(text, r"    in begin_of_it<[x, ]*…[x, ]*int>\(end_of_it\),\s+amd_hip_atomic\.h:153\n")
        data = json.loads(self.expect(0, "report", "--json", db).stdout)
        self.assertEqual(data["kernels"][0]["name"], name)
        self.assertEqual(self.rows(db)[153, "store", "global"]["function"], name)


class Merged(Reports):
    def test_other_lines_are_marked(self):
        """Site 1 (line 4) is done by the instruction of site 2 (line 6); line 9 has nothing to do with it."""
        db = self.edit("b.db", "UPDATE site SET isa_merged = 1, isa_join = 2, counted_at = "
                       "(SELECT id FROM site WHERE number = 2) WHERE number = 1")
        lines = self.expect(0, "annotate", db).stdout.splitlines()
        at = {n: next(i for i, l in enumerate(lines) if (" %d  " % n) in l[33:43]) for n in (4, 6, 9)}
        self.assertEqual(lines[at[4] + 1].strip(), "* with line 6, whose numbers count both")
        self.assertEqual(lines[at[6] + 1].strip(), "* with line 4: one instruction")
        self.assertEqual(sum("with line" in l for l in lines), 2)
        self.assertEqual(self.rows(db)[4, "store", "LDS"]["merged_with"], [{"file": self.path("transpose.hip"), "line": 6}])

    def test_line_without_numbers(self):
        db = self.edit("b.db", "DELETE FROM value WHERE site IN (SELECT id FROM site WHERE number IN (0, 1))",
                       "UPDATE site SET isa_merged = 1, isa_join = 2, counted_at = (SELECT id FROM site WHERE number = 2) "
                       "WHERE number = 1")
        lines = self.expect(0, "annotate", db).stdout.splitlines()
        self.assertRegex(next(l for l in lines if "tile[threadIdx.x] = in" in l), r"^ +with line 6 +4  ")


class Narrow(Reports):
    def test_source_keeps_half_of_80_columns(self):
        text = self.in_terminal("annotate", self.db, columns=80, NO_COLOR="1")
        lines = text.replace("\r", "").splitlines()
        self.assertTrue(all(len(l) <= 80 for l in lines), lines)
        self.assertEqual(lines[2].split(), ["Exec", "Conf", "Line/Need", "Coal", "Line"])
        row = next(l for l in lines if "2,048/128" in l)
        self.assertEqual(row.split()[:5], ["96", "1,080", "2,048/128", "25.00%", "6"])
        self.assertLessEqual(row.index("out[") - 6, 40)  # the line begins with 6 blanks


class Notes(Reports):
    def test_all_coalesced_but_lines_wasted(self):
        """Line 9: 2 x 16 wavefronts; 2 x 256 requests make 100 x 64 x 32 / (4 x 512) = 100 %, beside 256 lines for 128."""
        db = self.edit("b.db",
                       ("UPDATE value SET value = 256 WHERE site = (SELECT id FROM site WHERE number = 5) AND metric = "
                        "(SELECT id FROM metric WHERE name = 'TA Requests')"))
        note = "Coalescing 100 % is about requests only"
        for verb in ("report", "annotate"):
            self.assertIn(note, self.expect(0, verb, db).stdout)
            self.assertNotIn(note, self.expect(0, verb, self.db).stdout)

    def test_software_time(self):
        text = self.expect(0, "report", self.db).stdout
        self.assertIn("4.50 us of software GPU time", " ".join(text.split()))
        kernel = json.loads(self.expect(0, "report", "--json", self.db).stdout)["kernels"][0]
        self.assertEqual(kernel["dispatches"]["time_source"], "software GPU")
        db = self.edit("b.db", "UPDATE process SET gpu = 'hw'")
        self.assertNotIn("software", self.expect(0, "report", db).stdout)
        kernel = json.loads(self.expect(0, "report", "--json", db).stdout)["kernels"][0]
        self.assertEqual(kernel["dispatches"]["time_source"], "GPU")
        both = json.loads(self.expect(0, "report", "--json", self.db, db).stdout)["kernels"][0]
        self.assertEqual(both["dispatches"]["time_source"], "GPU and software GPU")

    def timing(self, name, timed_of_line_4):
        """LDS accesses as blocks: 32 entries of line 4 that took 64 cycles as far as they were timed, 64 of line 6 that
        took 1224, all timed."""
        return self.edit(name, "UPDATE metric SET handler = 'block_timing' WHERE handler = 'lds_bank_conflicts'",
                         "UPDATE metric SET name = 'Cycles' WHERE name = 'Index Accesses'",
                         "UPDATE metric SET name = 'Timed' WHERE name = 'Active Lanes' AND handler = 'block_timing'",
                         "UPDATE value SET value = (SELECT v.value FROM value v JOIN metric m ON m.id = v.metric WHERE "
                         "v.dispatch = value.dispatch AND v.site = value.site AND m.handler = 'block_timing' AND m.name = "
                         "'Executions') WHERE metric = (SELECT id FROM metric WHERE name = 'Timed')",
                         *([("UPDATE value SET value = ? WHERE metric = (SELECT id FROM metric WHERE name = 'Timed') AND site "
                             "= (SELECT id FROM site WHERE number = 1)", (timed_of_line_4,))] if timed_of_line_4 else
                           ["DELETE FROM value WHERE metric IN (SELECT id FROM metric WHERE name IN ('Timed', 'Cycles')) AND "
                            "site = (SELECT id FROM site WHERE number = 1)"]))

    def table(self, db):
        return next(t for t in json.loads(self.expect(0, "report", "--json", db).stdout)["kernels"][0]["tables"]
                    if t["handler"] == "block_timing")

    def test_ranks_of_times(self):
        t = self.table(self.timing("b.db", 16))
        self.assertEqual(([r["line"] for r in t["rows"]], t["note"], t["time_source"]), ([6, 4], None, "software GPU"))
        self.assertTrue(all(r["exact"] for r in t["rows"]))

    def test_partly_timed(self):
        """One of 16 entries each time: 64 cycles stand for 64 x 32 / 2 = 1024, less than 1224; at half the other's
        time the order turns."""
        db = self.timing("b.db", 1)
        t = self.table(db)
        self.assertEqual([r["line"] for r in t["rows"]], [6, 4])
        self.assertEqual([r["exact"] for r in t["rows"]], [True, False])
        self.assertIn("30 of 96 entries could not be timed", t["note"])
        self.assertRegex(self.expect(0, "report", db).stdout, r"transpose\.hip:4:9 store 4 B .*~64 ")
        c = sqlite3.connect(db)
        c.execute("UPDATE value SET value = value / 2 WHERE metric = (SELECT id FROM metric WHERE name = 'Cycles') AND site IN "
                  "(SELECT id FROM site WHERE number IN (2, 3))")
        c.commit()
        c.close()
        self.assertEqual([r["line"] for r in self.table(db)["rows"]], [4, 6])

    def test_not_timed(self):
        """Nothing is known of line 4's time: no ranking by time."""
        db = self.timing("b.db", 0)
        c = sqlite3.connect(db)
        c.execute("UPDATE value SET value = 1000 WHERE metric = (SELECT id FROM metric WHERE name = 'Executions' AND handler = "
                  "'block_timing') AND site = (SELECT id FROM site WHERE number = 1)")
        c.commit()
        c.close()
        t = self.table(db)
        self.assertEqual([r["line"] for r in t["rows"]], [4, 6])
        self.assertEqual(t["note"], "could not be timed: transpose.hip:4 (2000 entries); so lines are ranked by Executions, "
                         "not by time")
        summary = self.expect(0, "summary", db).stdout
        self.assertIn("block_timing (software GPU time): could not be timed: transpose.hip:4", summary)
        self.assertNotRegex(summary, "block_timing.*worst")


class Old(Reports):
    def test_without_the_new_columns(self):
        """A recording of 0.1: exactness by isa_join, libraries by the usual folders."""
        path = self.sample("old.db")
        c = sqlite3.connect(path)
        for table, columns in (("site", ("estimate", "counted_at")), ("source_file", ("origin",))):
            sql, = c.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            names = [r[1] for r in c.execute(f"PRAGMA table_info({table})") if r[1] not in columns]
            for text in (", estimate TEXT", ", counted_at INTEGER REFERENCES site(id)", ", origin INTEGER NOT NULL DEFAULT 0"):
                sql = sql.replace(text, "")
            rows = c.execute(f"SELECT {','.join(chr(34) + n + chr(34) for n in names)} FROM {table}").fetchall()
            c.executescript(f"PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; DROP TABLE {table}; {sql};")
            c.executemany(f"INSERT INTO {table} VALUES({','.join('?' * len(names))})", rows)
            self.assertFalse(set(columns) & {r[1] for r in c.execute(f"PRAGMA table_info({table})")})
        c.execute("UPDATE site SET isa_join = 0 WHERE number = 5")
        c.commit()
        c.close()
        rows = self.rows(path)
        self.assertEqual({k[0] for k, r in rows.items() if not r["exact"]}, {9})
        self.assertIn("5 of 6 executed", self.expect(0, "report", path).stdout)
        self.expect(0, "annotate", path)
        self.expect(0, "diff", path, self.db)


class Doubts(Edited):
    def test_every_form_of_lines(self):
        """Lines of a source that is not what was compiled may be the wrong ones: said in the form, or on stderr beside it."""
        doubt = "is not the file that was compiled"
        db = self.edit("doubted.db", "INSERT INTO note(process, level, text) VALUES(1, 1, '/src/transpose.hip %s')" % doubt)
        metric = ("--metric", "Cache Lines")
        for words in (("report",), ("report", "--json"), ("report", "--csv"), ("annotate",), ("annotate", "--json"), ("explain",),
                      ("explain", "--format", "json"), ("explain", "--format", "markdown"), ("summary",), ("summary", "--json"),
                      ("list", "kernels"), ("list", "kernels", "--json"), ("diff", self.db), ("diff", "--json", self.db),
                      ("diff", "--csv", self.db), ("gate", self.db), ("gate", "--json=-", self.db), ("convert", "--to", "csv"),
                      ("convert", "--to", "json"), ("convert", "--to", "rocpd"), ("convert", "--to", "speedscope", *metric),
                      ("convert", "--to", "folded", *metric), ("convert", "--to", "pftrace", *metric)):
            end = ("-o", "out-" + "-".join(words).replace(" ", "")) if words[0] == "convert" else ()
            for path, said in (db, True), (self.db, False):
                r = self.lanescope(*words, path, *end[:1], *(f"{e}-{said}" for e in end[1:]))
                self.assertEqual(doubt in r.stdout + r.stderr, said, (words, r.stdout, r.stderr))
                self.assertLessEqual(r.stdout.count(doubt) + r.stderr.count(doubt), 1, (words, r.stdout, r.stderr))


del Edited, Case


if __name__ == "__main__":
    unittest.main()
