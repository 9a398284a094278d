"""lanescope annotate on the sample recording (numbers: results/tests/sample.c) and on edited copies of it."""
import json
import os
import re
import sqlite3
import unittest

from edited import Edited, copy_kernel, global_row, lds_row

SOURCE = "tile[threadIdx.x] = in[threadIdx.x];"


def again(handler):
    """Statements: one more handler, "mine", has the executions and active lanes of another one."""
    wanted = "handler = '%s' AND name IN ('Executions', 'Active Lanes')" % handler
    return ("CREATE TEMP TABLE copy AS SELECT * FROM metric WHERE " + wanted,
            "UPDATE copy SET id = id + 1000, handler = 'mine', show = NULL, position = NULL",
            "INSERT INTO metric SELECT * FROM copy",
            "INSERT INTO value SELECT dispatch, site, metric + 1000, value FROM value"
            " WHERE metric IN (SELECT id - 1000 FROM copy)")


class Annotate(Edited):
    def test_sources_of_many_lines(self):
        """The number of a line takes the room that it needs, and what it takes the source does not have."""
        path = self.edit("long.db", ("UPDATE source_file SET text = ? || text", ("\n" * 123456,)),
                         "UPDATE frame SET line = line + 123456 WHERE line > 0", "UPDATE kernel SET line = line + 123456")
        for width in (40, 80, 120):
            lines = self.expect(0, "annotate", path, COLUMNS=str(width)).stdout.splitlines()
            self.assertTrue(any(re.search(r" 123462 +out", l) for l in lines), lines)
            self.assertEqual([l for l in lines if len(l) > width], [])

    def test_numbers_beside_every_line(self):
        text = self.expect(0, "annotate", self.db).stdout
        lines = text.splitlines()
        self.assertEqual(lines[0], "transpose.hip")
        self.assertIn("transpose(float*, float const*)", lines[1])
        self.assertEqual(lines[2].split(), ["Exec", "Lane", "Conf", "Line/Need", "Coal", "Line"])
        self.assertEqual(len(lines), 3 + 9 + 2)
        self.assertEqual(lines[-2:], ["", "6 of 6 executed memory instructions are exact (100 %)"])
        # line 4: 32 LDS stores without conflicts and 32 loads of 128 lines, 128 needed; line 6: 64 LDS loads
        # with 1080 conflict cycles, 32 stores of 2048 lines, 128 needed, 25 %; 64 * 48 + 32 * 64 lanes in 96 accesses
        self.assertIn("   64 64.00     0   128/128 100.00%    4    " + SOURCE, lines)
        self.assertIn("   96 53.33 1,080 2,048/128  25.00%    6          out[threadIdx.x * 32]", text)
        self.assertIn("   32 64.00         256/128  50.00%    9  static void helper", text)

    def test_advice_says_whose_it_is(self):
        """Line 6 has an LDS load and a global store, and two kernels have the line: what is not said of all names its access and its kernel."""
        path = self.sample("b.db")
        row = "INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(?, ?, 'advice', ?, ?)"
        stride = {n: "neighbouring lanes are %d B apart; side by side: 1,024 -> 64 cache lines" % n for n in (512, 256)}
        first, second = "transpose(float*, float const*)", "other()"
        db = sqlite3.connect(path)

        def said(*rows):
            with db:
                db.execute("DELETE FROM handler_row")
                db.executemany(row, [(d, site, table, lds_row(480, 0, n or []) if table == "lds" else global_row("stride", n, 1024, 64)) for d, site, table, n in rows])
            found, = json.loads(self.expect(0, "annotate", "--json", path).stdout)["files"]
            return [a for l in found["lines"] if l["line"] == 6 for a in l["advice"]]
        with db:
            copy_kernel(db)
            db.execute("UPDATE kernel SET name = ?, mangled = 'other' WHERE id = 1001", (second,))
            db.execute("UPDATE dispatch SET kernel = 1001 WHERE id = 2")
            db.execute("UPDATE value SET site = site + 1000 WHERE dispatch = 2")
        self.assertEqual(said((1, 5, "global", 512)), [stride[512]])
        self.assertEqual(said((1, 5, "global", 512), (2, 1005, "global", 512)), [stride[512]])
        self.assertEqual(said((1, 5, "global", 512), (2, 1005, "global", 256)), [f"in {first}: {stride[512]}", f"in {second}: {stride[256]}"])
        two = said((1, 5, "global", 512), (1, 3, "lds", 0))
        self.assertEqual(two[-1], "global store 4 B: " + stride[512])
        self.assertTrue(all(t.startswith("LDS load 4 B: ") for t in two[:-1]) and len(two) == 3, two)
        self.assertEqual(said((1, 5, "global", 512), (2, 1005, "global", 256), (2, 1003, "lds", 0))[:2],
                         [f"global store 4 B in {first}: {stride[512]}", two[0]])
        # a change that begins with the word "column" is none of a place
        xor = said((1, 5, "global", 512), (1, 3, "lds", [("xor", 128, 0, 0)]))
        self.assertTrue(any(t.startswith("LDS load 4 B: column ^ row % 32") for t in xor), xor)
        with_column = said((1, 3, "global", 512), (1, 4, "global", 256), (1, 5, "global", 256))
        self.assertIn("LDS load 4 B, column 15: " + stride[512], with_column)
        # an array's name says which accesses a sentence is about, too
        said((1, 5, "global", 512))
        with db:
            db.executemany(row, [(1, site, "lds", json.dumps({**json.loads(lds_row(480, 0, [])), "variable": name})) for site, name in ((3, "a"), (4, "b"))])
        of_arrays = [a for l in json.loads(self.expect(0, "annotate", "--json", path).stdout)["files"][0]["lines"] for a in l["advice"]]
        for name in "ab":
            self.assertTrue(any(t.startswith(f"LDS load 4 B, {name}: ") for t in of_arrays), of_arrays)
        said((1, 5, "global", 512), (2, 1005, "global", 256), (2, 1003, "lds", 0))
        self.assertIn(f"> global store 4 B in {second}: {stride[256]}", self.expect(0, "annotate", path).stdout)
        db.close()

    def test_source_keeps_half_the_width(self):
        """On a terminal of 80 columns and more. What costs least gives way first: 1,080 cycles of conflicts and 1,920 lines too many of 2,048
        stay on narrower ones, and what --metric asks for everywhere, as long as 16 columns of source do."""
        shown = {}
        for width in range(40, 130, 10):
            head = next(l for l in self.expect(0, "annotate", self.db, COLUMNS=str(width)).stdout.splitlines() if l.endswith(" Line"))
            self.assertLessEqual(len(head) + 2, width / 2 if width >= 80 else max(width / 2, len(" 1,080 2,048/128    6  ")), head)
            shown[width] = head.split()[:-1]
        self.assertEqual((shown[40], shown[60], shown[70]), (["Conf", "Line/Need"], ["Conf", "Line/Need"], ["Conf", "Line/Need", "Coal"]))
        asked = self.expect(0, "annotate", "--metric", "TA Requests", "--metric", "Wavefronts", self.db, COLUMNS="60").stdout
        self.assertRegex(asked, r"(?m)^ +Conf +Line/Need +TA Requ +Wave +Line$")

    def test_pipes_are_read_in_80_columns(self):
        """Nothing is left out or cut, and the source begins where half of it is seen; it did so behind column 69."""
        piped = self.expect(0, "annotate", "-C", "all", self.db).stdout.splitlines()
        self.expect(0, "annotate", "-C", "all", self.db, "-o", "page")
        self.assertEqual(self.text("page").splitlines(), piped)
        with open(self.path("transpose.hip")) as f:
            source = [line.expandtabs(8).rstrip("\n") for line in f]
        self.assertEqual([line[42:] for line in piped[3:3 + len(source)]], source)

    def test_no_sources_needed(self):
        os.unlink(self.path("transpose.hip"))
        self.assertIn(SOURCE, self.expect(0, "annotate", self.db).stdout)

    def test_accesses_without_line(self):
        """What the compiler gave no line stands above the first one, with all that line 6 had."""
        before = json.loads(self.expect(0, "annotate", "--json", self.db).stdout)["files"][0]["lines"]
        db = self.edit("none.db", "UPDATE frame SET line = 0, column = 0 WHERE line = 6")
        after = json.loads(self.expect(0, "annotate", "--json", db).stdout)["files"][0]["lines"]
        old, = (l for l in before if l["line"] == 6)
        new = after[0]
        self.assertEqual((new["line"], new["source"], new["metrics"]), (0, None, old["metrics"]))
        text = self.expect(0, "annotate", db).stdout.splitlines()
        at, = (i for i, l in enumerate(text) if "(no line: the compiler gave these accesses none)" in l)
        self.assertEqual(text[at - 1].split()[-1], "Line")
        self.assertEqual(text[at].split("(")[0].split()[-1], "-")
        few = self.expect(0, "annotate", "--context=0", db).stdout
        self.assertIn("(no line:", few)
        self.assertNotIn("#include", few)

    def test_files_and_kernels(self):
        whole = self.expect(0, "annotate", self.db).stdout
        self.assertEqual(self.expect(0, "annotate", self.db, "transpose.hip").stdout, whole)
        self.assertEqual(self.expect(0, "annotate", self.db, self.path("transpose.hip")).stdout, whole)
        for name in ("./transpose.hip", "../transpose.hip", ".//folder/../transpose.hip"):  # as shells and scripts write them
            self.assertEqual(self.expect(0, "annotate", self.db, name).stdout, whole)
            self.expect(0, "explain", "--line", name + ":6", self.db)
        r = self.expect(1, "annotate", self.db, "pose.hip")
        self.assertIn("no source file 'pose.hip' has numbers; those that have: " + self.path("transpose.hip"), r.stderr)
        self.assertEqual(self.expect(0, "annotate", "--kernel", "^transpose", self.db).stdout, whole)
        for json_too in ((), ("--json",)):
            r = self.expect(1, "annotate", "-k", "Cijk", *json_too, self.db)
            self.assertIn("no source line has numbers", r.stderr)
            self.assertEqual([json.loads(r.stdout)["files"]] if json_too else r.stdout, [[]] if json_too else "")
        self.assertIn("no kernel matches", self.expect(1, "annotate", "-k", "zzz", self.db).stderr)
        self.expect(2, "annotate")
        self.expect(2, "annotate", "-C", "x", self.db)
        self.expect(3, "annotate", self.path("none.db"))

    def test_context(self):
        text = self.expect(0, "annotate", "-C", "0", self.db).stdout
        self.assertEqual([l.strip() for l in text.splitlines()].count("..."), 3)  # before 4, between 4 and 6, 6 and 9
        self.assertEqual(len(text.splitlines()), 3 + 3 + 3 + 2)
        self.assertEqual(len(self.expect(0, "annotate", "-C", "all", self.db).stdout.splitlines()), 3 + 9 + 2)

    def test_more_metrics(self):
        text = self.expect(0, "annotate", "-m", "Addr Conflict", "-m", "TA Requests", self.db).stdout
        self.assertEqual(text.splitlines()[2].split()[-5:], ["Addr", "Conf", "TA", "Requ", "Line"])
        self.assertRegex(text, r"25\.00% +0 +2,048 +6  ")
        self.assertIn("is no metric", self.expect(2, "annotate", "-m", "Beauty", self.db).stderr)

    def test_other_handlers(self):
        """Handlers of other names that count accesses and lanes: line 6 has 64 and 32 accesses, 64 * 48 + 32 * 64 lanes."""
        db = self.edit("b.db", "UPDATE metric SET handler = 'mine' WHERE handler = 'memory_coalescing'",
                       "UPDATE metric SET handler = 'yours' WHERE handler = 'lds_bank_conflicts'")
        text = self.expect(0, "annotate", db).stdout
        self.assertEqual(text.splitlines()[2].split(), ["Executions", "Lanes", "Line"])
        self.assertRegex(text, r"\n +96 +53\.33 +6  ")

    def test_counted_twice(self):
        """One more handler that counts the accesses of LDS, or those of global memory, again: each is counted once."""
        whole = self.expect(0, "annotate", self.db).stdout
        for handler in "lds_bank_conflicts", "memory_coalescing":
            db = self.edit("b.db", *again(handler))
            self.assertEqual(self.expect(0, "annotate", db).stdout, whole)
            lines = json.loads(self.expect(0, "report", "--json", db).stdout)["kernels"][0]["lines"]
            self.assertEqual(sorted((l["line"], l["executions"]) for l in lines), [(4, 64), (6, 96), (9, 32)])

    def test_without_text(self):
        db = self.edit("b.db", "UPDATE source_file SET text = NULL, problem = 'it is gone'")
        lines = self.expect(0, "annotate", db).stdout.splitlines()
        self.assertIn("source not shown: it is gone", lines[3])
        self.assertEqual([l.split()[-1] for l in lines[4:-2]], ["4", "6", "9"])

    def test_mark_of_a_text(self):
        """Editors of Windows put a mark before UTF-8. It is no text: nothing shows it, and a file that lost it was not edited."""
        stored, mark = ("UPDATE source_file SET text = ? || text", ("\ufeff",)), "\ufeff"
        plain, path = self.expect(0, "annotate", self.db).stdout, self.path("transpose.hip")
        db = self.edit("b.db", stored)
        r = self.expect(0, "annotate", db)
        self.assertEqual((r.stdout, r.stderr), (plain, ""))
        self.assertFalse(self.expect(0, "report", "--json", db).stdout.count(mark))
        with open(path) as f:
            text = f.read()
        for now in (mark + text, text):
            with open(path, "w") as f:
                f.write(now)
            self.assertNotIn("edited", self.expect(0, "annotate", db).stderr)
        with open(path, "w") as f:
            f.write(mark + text + "// more")
        self.assertIn("edited since the run", self.expect(0, "annotate", db).stderr)

    def test_different_texts(self):
        db = self.edit("b.db", "UPDATE source_file SET text = text || '// more'")
        self.assertIn("hold different texts", self.expect(0, "annotate", self.db, db).stdout)

    def test_one_file_by_two_names(self):
        """#include "../a.h" names a file with a detour: it is one file all the same, unless the texts tell that a folder is a link."""
        detour = self.path("sub/../transpose.hip")
        named_so = ("UPDATE frame SET file = (SELECT id FROM source_file WHERE path = ?) WHERE id = "
                    "(SELECT frame FROM site WHERE number = 3)", (detour,))
        plain = self.path("transpose.hip")
        same = self.edit("same.db", ("INSERT INTO source_file(path, text) SELECT ?, text FROM source_file WHERE path = ?", (detour, plain)), named_so)
        other = self.edit("other.db", ("INSERT INTO source_file(path, text) VALUES(?, 'else')", (detour,)), named_so)
        gone = self.edit("gone.db", ("INSERT INTO source_file(path, problem) VALUES(?, 'none')", (detour,)), named_so)

        def report(*dbs):
            kernels = json.loads(self.expect(0, "report", "--json", *dbs).stdout)["kernels"]
            return [[(r["file"], r["line"], r["metrics"]) for r in t["rows"]] for t in kernels[0]["tables"]]

        def annotated(db):
            return [(f["path"], f["lines"]) for f in json.loads(self.expect(0, "annotate", "--json", db).stdout)["files"]]
        self.assertEqual({f for t in report(self.db) for f, _, _ in t}, {plain})
        for db in (same, gone):
            self.assertEqual(report(db), report(self.db))
            self.assertEqual(annotated(db), annotated(self.db))
            self.assertIn("nothing that was compared is worse", self.expect(0, "diff", self.db, db).stdout)
            self.expect(0, "gate", self.db, db)
        self.assertEqual({f for t in report(other) for f, _, _ in t}, {plain, detour})
        self.assertEqual(len(annotated(other)), 2)
        for names, found in (([detour], 2), ([plain], 2), ([detour + "x"], 0)):  # as the report shows them, too
            self.expect(0 if found else 1, "annotate", other, *names)
        # texts are compared across recordings, too, whichever has the detour
        apart = self.edit("apart.db", ("UPDATE source_file SET path = ?, text = 'else' WHERE path = ?", (detour, plain)),
                          "UPDATE module SET hash = 'another'")
        for dbs in ((self.db, apart), (apart, self.db)):
            self.assertEqual({f for t in report(*dbs) for f, _, _ in t}, {plain, detour})
        for name in (detour, plain, "./transpose.hip", "sub/../transpose.hip"):
            self.expect(0, "annotate", apart, name)
            self.expect(0, "explain", "--line", name + ":6", apart)
        # of the one recording all sites have the one name, of the other the other
        c = sqlite3.connect(same)
        with c:
            c.execute("UPDATE frame SET file = (SELECT id FROM source_file WHERE path = ?)", (detour,))
            c.execute("UPDATE kernel SET file = (SELECT id FROM source_file WHERE path = ?) WHERE file IS NOT NULL", (detour,))
            c.execute("DELETE FROM instruction")
            c.execute("DELETE FROM source_file WHERE path = ?", (plain,))
        c.close()
        for dbs in ((self.db, same), (same, self.db)):
            self.assertEqual(len({f for t in report(*dbs) for f, _, _ in t}), 1)

    def test_colour(self):
        text = self.in_terminal("annotate", self.db)
        self.assertIn("\033[1;31m1,080\033[0m", text)         # the worst of the file
        self.assertIn("\033[1;31m2,048/128\033[0m", text)     # 1920 lines too many
        self.assertNotIn("\033[1;31m256/128", text)           # 128 too many: less than a tenth
        self.assertNotIn("\033", self.expect(0, "annotate", self.db).stdout)


if __name__ == "__main__":
    unittest.main()
