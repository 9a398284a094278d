"""lanescope annotate and diff on the sample recording (numbers: results/tests/sample.c) and on edited copies of it."""
import csv
import io
import json
import os
import re
import sqlite3
import unittest

import hostile
from common import Case

SOURCE = "tile[threadIdx.x] = in[threadIdx.x];"


def again(handler):
    """Statements: one more handler, "mine", has the executions and active lanes of another one."""
    wanted = "handler = '%s' AND name IN ('Executions', 'Active Lanes')" % handler
    return ("CREATE TEMP TABLE copy AS SELECT * FROM metric WHERE " + wanted,
            "UPDATE copy SET id = id + 1000, handler = 'mine', show = NULL, position = NULL",
            "INSERT INTO metric SELECT * FROM copy",
            "INSERT INTO value SELECT dispatch, site, metric + 1000, value FROM value"
            " WHERE metric IN (SELECT id - 1000 FROM copy)")


class Edited(Case):
    def setUp(self):
        super().setUp()
        self.db = self.sample()

    def edit(self, name, *statements):
        """Another recording of the same program, changed with SQL."""
        path = self.sample(name, "77")
        c = sqlite3.connect(path)
        for statement in statements:
            c.execute(*statement) if isinstance(statement, tuple) else c.execute(statement)
        c.commit()
        c.close()
        return path

    def set_value(self, site, metric, value):
        return ("UPDATE value SET value = ? WHERE site = (SELECT id FROM site WHERE number = ?) AND metric = "
                "(SELECT id FROM metric WHERE name = ? AND handler = ?)",
                (value, site, metric, "memory_coalescing" if metric.startswith("Cache") else "lds_bank_conflicts"))


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

    def test_files_and_kernels(self):
        whole = self.expect(0, "annotate", self.db).stdout
        self.assertEqual(self.expect(0, "annotate", self.db, "transpose.hip").stdout, whole)
        self.assertEqual(self.expect(0, "annotate", self.db, self.path("transpose.hip")).stdout, whole)
        r = self.expect(1, "annotate", self.db, "pose.hip")
        self.assertIn("no source file 'pose.hip' has numbers; those that have: " + self.path("transpose.hip"), r.stderr)
        self.assertEqual(self.expect(0, "annotate", "--kernel", "^transpose", self.db).stdout, whole)
        self.assertIn("no source line has numbers", self.expect(1, "annotate", "-k", "Cijk", self.db).stderr)
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

    def test_different_texts(self):
        db = self.edit("b.db", "UPDATE source_file SET text = text || '// more'")
        self.assertIn("hold different texts", self.expect(0, "annotate", self.db, db).stdout)

    def test_colour(self):
        text = self.in_terminal("annotate", self.db)
        self.assertIn("\033[1;31m1,080\033[0m", text)         # the worst of the file
        self.assertIn("\033[1;31m2,048/128\033[0m", text)     # 1920 lines too many
        self.assertNotIn("\033[1;31m256/128", text)           # 128 too many: less than a tenth
        self.assertNotIn("\033", self.expect(0, "annotate", self.db).stdout)


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


class Diff(Edited):
    def json(self, code, *args):
        return json.loads(self.expect(code, "diff", "--json", *args).stdout)

    def verdicts(self, data):
        kernel = data["kernels"][0]
        found = {("total", v["metric"]): (v["before"], v["after"], v["verdict"]) for v in kernel["values"]}
        for l in kernel["lines"]:
            for v in l["values"]:
                key = (l["line_before"], l["line_after"], l["access"], v["metric"])
                found[key] = (v["before"], v["after"], v["verdict"])
        return found

    def test_equal(self):
        other = self.edit("b.db")
        text = self.expect(0, "diff", self.db, other).stdout
        self.assertIn("no change", text)
        self.assertIn("nothing is worse than before", text)
        self.assertEqual(self.json(0, self.db, other)["worse"], 0)

    def test_better_and_worse(self):
        # two dispatches each: the LDS loads of line 6 lose their conflicts (1080 -> 120), the store of line 6
        # touches 1124 lines instead of 1024
        other = self.edit("b.db", self.set_value(2, "Bank Conflict", 0), self.set_value(4, "Cache Lines", 1124))
        data = self.json(1, self.db, other)
        self.assertEqual(data["schema"], "lanescope-diff/1")
        self.assertEqual(data["worse"], 2)  # the line and the kernel
        found = self.verdicts(data)
        self.assertEqual(found["total", "Bank Conflict"], (1080, 120, "better"))
        self.assertEqual(found["total", "Cache Lines"], (2432, 2632, "worse"))
        self.assertEqual(found[6, 6, "load", "Bank Conflict"], (1080, 120, "better"))
        self.assertEqual(found[6, 6, "store", "Cache Lines"], (2048, 2248, "worse"))
        self.assertEqual(found[4, 4, "store", "Bank Conflict"], (0, 0, "same"))
        text = self.expect(1, "diff", self.db, other).stdout
        self.assertRegex(text, r"Bank Conflict +1,080 +120 +-88\.9%  better")
        self.assertRegex(text, r"Cache Lines +2,048 +2,248 +\+9\.8%  worse")
        self.assertNotIn("transpose.hip:4", text)
        self.assertIn("transpose.hip:4", self.expect(1, "diff", "--all", self.db, other).stdout)

    def test_threshold(self):
        other = self.edit("b.db", self.set_value(4, "Cache Lines", 1124))  # line +9.77 %, kernel +8.22 %
        self.expect(1, "diff", self.db, other)
        self.assertEqual(self.json(1, "--threshold", "9", self.db, other)["worse"], 1)
        self.expect(0, "diff", "--threshold", "10%", self.db, other)
        text = self.expect(0, "diff", "-t", "10", self.db, other).stdout
        self.assertRegex(text, r"Cache Lines .* changed\n")
        self.assertTrue(text.endswith("nothing is worse than before by more than 10 %; within that: Cache Lines\n"), text)
        self.assertTrue(self.expect(0, "diff", self.db, self.db).stdout.endswith("nothing is worse than before\n"))
        self.expect(0, "diff", other, self.db)  # the other way round it got better
        self.expect(2, "diff", "--threshold", "-1", self.db, other)
        # a number that was 0 has no percentage: any growth counts
        other = self.edit("c.db", self.set_value(1, "Bank Conflict", 1))
        self.expect(1, "diff", "--threshold", "50", self.db, other)

    def test_part_of_a_cost(self):
        """Two dispatches of line 6: Addr Conflict goes from 0 to 600, all its LDS cycles from 1224 to 1200, or to 1400."""
        described = ["UPDATE metric SET role = 0, direction = 0, show = 0, excess = 0, cost = 0, position = id WHERE handler = 'lds_bank_conflicts'",
                     "UPDATE metric SET cost = 1, direction = 1 WHERE name IN ('Addr Conflict', 'Index Accesses')",
                     "UPDATE metric SET role = 3 WHERE name = 'Index Accesses'"]  # LANESCOPE_ROLE_WHOLE
        waits = [*described, self.set_value(2, "Addr Conflict", 300)]
        before = self.edit("a.db", *described)
        fewer, more = (self.edit(f"{n}.db", *waits, self.set_value(2, "Index Accesses", n)) for n in (500, 600))
        text = self.expect(0, "diff", before, fewer).stdout
        self.assertRegex(text, r"Addr Conflict +0 +600 .* changed\n")
        self.assertTrue(text.endswith("no cost is worse than before as a whole; parts of costs are: Addr Conflict\n"), text)
        self.assertEqual(self.json(0, before, fewer)["worse"], 0)
        text = self.expect(1, "diff", before, more).stdout
        self.assertRegex(text, r"Addr Conflict +0 +600 .* worse\n")
        self.assertTrue(text.endswith("\nworse than before\n"), text)
        # asked for alone it is judged alone; what is allowed is named as well
        self.assertIn("worse than before", self.expect(1, "diff", "-m", "Addr Conflict", before, fewer).stdout)
        both = self.edit("c.db", *waits, self.set_value(2, "Index Accesses", 500), self.set_value(4, "Cache Lines", 1124))
        text = self.expect(0, "diff", "-t", "10", before, both).stdout
        self.assertTrue(" ".join(text.split()).endswith("no cost is worse than before by more than 10 % as a whole; parts of costs are: "
                                                        "Addr Conflict; within that: Cache Lines"), text)

    def test_more_is_better(self):
        # 100 * 64 * 32 / (4 * 512) = 100 % of line 4 becomes 50 % with twice the requests
        other = self.edit("b.db", ("UPDATE value SET value = 512 WHERE value = 256 AND metric = (SELECT id FROM metric "
                                   "WHERE name = 'TA Requests')",))
        found = self.verdicts(self.json(1, "--metric", "coalescing", self.db, other))
        self.assertEqual(found[4, 4, "load", "Coalescing"], (100, 50, "worse"))
        self.expect(0, "diff", "--metric", "coalescing", other, self.db)
        self.expect(0, "diff", self.db, other)
        self.expect(2, "diff", "--metric", "beauty", self.db, other)

    def test_edited_source(self):
        # two lines inserted before line 4, line 6 rewritten: numbers stay with their lines
        with open(self.path("transpose.hip")) as f:
            text = f.read().splitlines()
        text[5] = "\tout[threadIdx.x * 32] = 2 * tile[threadIdx.x * 33];"
        text[3:3] = ["  // one", "  // two"]
        other = self.edit("b.db", ("UPDATE source_file SET text = ?", ("\n".join(text) + "\n",)),
                          "UPDATE frame SET line = line + 2", self.set_value(2, "Bank Conflict", 0))
        found = self.verdicts(self.json(0, self.db, other))
        self.assertEqual(found[6, 8, "load", "Bank Conflict"], (1080, 120, "better"))
        self.assertEqual(found[4, 6, "store", "Bank Conflict"], (0, 0, "same"))
        self.assertEqual(found[9, 11, "load", "Cache Lines"], (256, 256, "same"))
        self.assertIn("line 6 before", self.expect(0, "diff", self.db, other).stdout)

    def test_moved_source_tree(self):
        other = self.edit("b.db", "UPDATE source_file SET path = '/elsewhere/transpose.hip'")
        self.assertEqual({v[2] for v in self.verdicts(self.json(0, self.db, other)).values()}, {"same"})

    def test_lines_that_come_and_go(self):
        # The store of line 6 now stands in line 1: a new line, but the kernel as a whole is not worse.
        other = self.edit("b.db", "UPDATE frame SET line = 1 WHERE line = 6 AND \"column\" = 3")
        found = self.verdicts(self.json(0, self.db, other))
        self.assertEqual(found[6, None, "store", "Cache Lines"], (2048, None, "gone"))
        self.assertEqual(found[None, 1, "store", "Cache Lines"], (None, 2048, "new"))
        self.assertEqual(found["total", "Cache Lines"], (2432, 2432, "same"))

    def test_per_dispatch(self):
        other = self.edit("b.db", "DELETE FROM value WHERE dispatch = 2",
                          "UPDATE dispatch SET observed = 0, not_observed = 'x' WHERE id = 2")
        self.assertIn("--per-dispatch", self.expect(0, "diff", self.db, other).stdout)
        self.assertEqual(self.verdicts(self.json(0, "--per-dispatch", self.db, other))["total", "Bank Conflict"],
                         (540, 540, "same"))
        self.expect(1, "diff", other, self.db)
        self.expect(0, "diff", "--per-dispatch", other, self.db)

    def test_filters(self):
        """A sampled recording says so everywhere; beside one of all wavefronts it is no better for that."""
        sampled = self.edit("b.db", """UPDATE process SET options = '{"sample_waves": "4", "blocks": "1:3"}'""")
        said = "only 1 of 4 wavefronts of the work-groups 1:3 reported (--sample-waves, --blocks)"
        r = self.expect(1, "diff", self.db, sampled)
        self.assertIn("before: all reported; after: " + said, r.stderr)
        # a quarter of the numbers is no improvement, nor is four times as much worse
        less = self.edit("less.db", "UPDATE value SET value = value / 4", """UPDATE process SET options = '{"sample_waves": "4"}'""")
        for before, after in ((self.db, less), (less, self.db)):
            r = self.expect(1, "diff", before, after)
            self.assertIn("nothing was judged: the recordings are of different wavefronts\n", r.stdout)
            self.assertNotRegex(r.stdout, "better|worse")
        self.assertIs(self.json(1, self.db, less)["different_wavefronts"], True)
        self.assertIs(self.json(0, self.db, self.db)["different_wavefronts"], False)
        self.assertNotIn("different wavefronts", self.expect(0, "diff", sampled, sampled).stderr)
        for verb in ("report", "summary"):
            self.assertIn(said, self.expect(0, verb, sampled).stdout)
            self.assertNotIn("reported (", self.expect(0, verb, self.db).stdout)
        filters = [json.loads(self.expect(0, "report", "--json", db).stdout)["databases"][0]["filters"]
                   for db in (self.db, sampled)]
        self.assertEqual(filters, [None, said])

    def test_nothing_was_observed(self):
        """What has probes was not observed for that."""
        other = self.edit("b.db", "DELETE FROM value", "UPDATE dispatch SET observed = 0, not_observed = 'filtered out'")
        for verb in ("report", "summary"):
            self.assertIn("memory instructions observed", self.expect(0, verb, self.db).stdout)
            self.assertNotIn("memory instruction", self.expect(0, verb, other).stdout)

    def test_nothing_to_compare(self):
        other = self.edit("b.db", "UPDATE kernel SET mangled = mangled || 'x', name = 'another_' || name")
        r = self.expect(1, "diff", self.db, other)
        self.assertIn("nothing could be compared", r.stderr)
        self.assertIn("only in the database before", r.stdout)
        self.assertTrue(r.stdout.endswith("nothing could be compared\n"), r.stdout)
        self.assertNotIn("nothing is worse", r.stdout)
        # Other handlers on each side: kernels, but no number that both have.
        lds = self.edit("c.db", "DELETE FROM value WHERE metric IN (SELECT id FROM metric WHERE handler = 'memory_coalescing')",
                        "DELETE FROM metric WHERE handler = 'memory_coalescing'")
        memory = self.edit("d.db", "DELETE FROM value WHERE metric IN (SELECT id FROM metric WHERE handler = 'lds_bank_conflicts')",
                           "DELETE FROM metric WHERE handler = 'lds_bank_conflicts'")
        r = self.expect(1, "diff", lds, memory)
        self.assertIn("the recordings have no metric in common: nothing could be compared; record both with the same --handlers", r.stderr)
        self.assertNotIn("nothing is worse", r.stdout)
        self.expect(2, "diff", self.db)
        self.expect(2, "diff", self.db, other, other)
        self.expect(3, "diff", self.db, self.path("none.db"))

    def named(self, db, name, mangled):
        return self.edit(db, ("UPDATE kernel SET name = ?, mangled = ? WHERE module IS NOT NULL", (name, mangled)))

    def test_template_instances(self):
        """A template that got another argument is still that kernel."""
        for i, (old, new, same) in enumerate((
                ("void app::copy<float, 4>(float*)", "void app::copy<float, 8>(float*, int)", True),
                ("void (anonymous namespace)::copy<4>(float*)", "void (anonymous namespace)::copy<A<8>>(float*)", True),
                ("void app::copy<float>(float*)", "void app::move<float>(float*)", False),
                ("copy(float*)", "void copy<float>(float*)", True))):
            a, b = self.named(f"a{i}.db", old, f"_Z{i}a"), self.named(f"b{i}.db", new, f"_Z{i}b")
            kernel = self.json(0 if same else 1, a, b)["kernels"][0]
            self.assertEqual((kernel["name_before"], kernel["name_after"]), (old, new if same else None))
            if same:
                self.assertEqual({v[2] for v in self.verdicts(self.json(0, a, b)).values()}, {"same"})
                self.assertIn(new + "  gfx90a\n  before: " + old + "\n", self.expect(0, "diff", a, b).stdout)

    def test_the_most_alike_instance(self):
        def two(db, first, second):
            return self.edit(db, ("UPDATE kernel SET name = ?, mangled = ? WHERE module IS NOT NULL", (first, first)),
                             ("UPDATE kernel SET name = ?, mangled = ? WHERE module IS NULL", (second, second)))
        a, b = two("b.db", "void f<float, 4>()", "void f<double, 4>()"), two("c.db", "void f<double, 4, 1>()", "void f<float, 4, 1>()")
        pairs = {(k["name_before"], k["name_after"]) for k in self.json(1, a, b)["kernels"]}
        self.assertEqual(pairs, {("void f<float, 4>()", "void f<float, 4, 1>()"), ("void f<double, 4>()", "void f<double, 4, 1>()")})

    def test_map(self):
        a, b = self.named("b.db", "old_one(float*)", "_Zo"), self.named("c.db", "new_one(float*)", "_Zn")
        self.expect(1, "diff", a, b)
        for words in ("old_one=new_one", "_Zo=new_one(float*)", "old_one(float*)=_Zn"):
            self.assertEqual({v[2] for v in self.verdicts(self.json(0, "--map", words, a, b)).values()}, {"same"})
        self.assertIn("the database after has no kernel and no source file 'x'", self.expect(2, "diff", "--map", "old_one=x", a, b).stderr)
        self.assertIn("the database before has no", self.expect(2, "diff", "--map", "new_one=old_one", a, b).stderr)
        for words in ("old_one", "=new_one", "old_one="):
            self.assertIn("give OLD=NEW", self.expect(2, "diff", "--map", words, a, b).stderr)
        self.assertIn("'transpose.hip' is a source file, but 'new_one' is a kernel; give two kernels or two source files",
                      self.expect(2, "diff", "--map", "transpose.hip=new_one", a, b).stderr)
        self.assertIn("'old_one' is a kernel, but 'transpose.hip' is a source file",
                      self.expect(2, "diff", "--map", "old_one=transpose.hip", a, b).stderr)

    def test_map_of_names_with_signs_of_equality(self):
        """Triton's: f<x=*fp32:16, BLOCK=256, num_warps=4>."""
        old, new = ("f<x=*fp32:16, BLOCK=256, num_warps=4>", "g<x=*fp32, BLOCK=64, num_warps=4>")
        a, b = self.named("b.db", old, "f"), self.named("c.db", new, "g")
        for words in (f"{old}={new}", "f=g", f"f={new}", f"{old}=g"):
            self.assertEqual({v[2] for v in self.verdicts(self.json(0, "--map", words, a, b)).values()}, {"same"}, words)
            self.expect(0, "gate", "--map", words, a, b)
        told = "no kernel and no source file '%s'"
        self.assertIn(told % "g<x=1>", self.expect(2, "diff", "--map", f"{old}=g<x=1>", a, b).stderr)
        self.assertIn(told % "h<x", self.expect(2, "diff", "--map", f"h<x=1>={new}", a, b).stderr)
        self.assertIn("give OLD=NEW", self.expect(2, "diff", "--map", "=f<x=1>", a, b).stderr)

    def test_renamed_file(self):
        moved = self.edit("b.db", "UPDATE source_file SET path = '/elsewhere/other.hip'")
        self.assertEqual({v[2] for v in self.verdicts(self.json(0, self.db, moved)).values()}, {"same"})
        moved = self.edit("c.db", "UPDATE source_file SET path = '/elsewhere/other.hip'", self.set_value(2, "Bank Conflict", 0))
        self.assertIn("other.hip:6:15,31 LDS load 4 B, transpose.hip:6 before\n", self.expect(0, "diff", self.db, moved).stdout)
        # Another text under another name is another file, unless the user knows better.
        text = "".join(f"line {i} of another text\n" for i in range(1, 20))
        moved = self.edit("d.db", ("UPDATE source_file SET path = '/elsewhere/other.hip', text = ?", (text,)))
        self.assertEqual(self.verdicts(self.json(0, self.db, moved))[6, None, "store", "Cache Lines"], (2048, None, "gone"))
        for words in ("transpose.hip=other.hip", self.path("transpose.hip") + "=elsewhere/other.hip"):
            found = self.verdicts(self.json(0, "--map", words, self.db, moved))
            self.assertEqual(found[6, 6, "store", "Cache Lines"], (2048, 2048, "same"))

    def test_what_is_the_same_is_folded(self):
        other = self.edit("b.db")
        text = self.expect(0, "diff", self.db, other).stdout
        self.assertIn("\nno change: transpose(float*, float const*)\n", text)
        self.assertIn("\nnot observed in either: Cijk_gemm\n", text)
        self.assertNotIn("gfx90a\n", text)
        self.assertIn("not compared: 1 of 2 kernels, which were not observed in both\n", text)
        self.assertIn("transpose(float*, float const*)  gfx90a\n", self.expect(0, "diff", "--all", self.db, other).stdout)

    def test_csv_equals_json(self):
        other = self.edit("b.db", self.set_value(2, "Bank Conflict", 0))
        text = self.expect(0, "diff", "--csv", self.db, other).stdout
        records = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        found = {}
        for r in records:
            values = tuple(float(r[k]) if r[k] else None for k in ("Before", "After")) + (r["Verdict"],)
            if r["Source_File"]:
                found[int(r["Line_Before"]), int(r["Line_After"]), r["Access"], r["Metric"]] = values
            else:
                found["total", r["Metric"]] = values
        self.assertEqual(found, self.verdicts(self.json(0, self.db, other)))


class OtherHandlers(Edited):
    """Recordings by different handlers, or versions of them: what one lacks has neither come nor gone."""

    def without(self, name, condition):
        ids = f"(SELECT id FROM metric WHERE {condition})"
        return self.edit(name, f"DELETE FROM value WHERE metric IN {ids}", f"DELETE FROM metric WHERE id IN {ids}")

    def test_one_side_has_more(self):
        db = self.without("b.db", "handler = 'memory_coalescing'")
        for pair, side in (((self.db, db), "before"), ((db, self.db), "after")):
            r = self.expect(0, "diff", "--all", *pair)
            self.assertIn(f"not compared, as only the recording {side} has them: memory_coalescing.Cache Lines", r.stderr)
            self.assertNotIn("Cache Lines ", r.stdout)
            self.assertIn("Bank Conflict ", r.stdout)
            for word in ("gone", "new", "only before", "only after"):
                self.assertNotIn(word, r.stdout)
        r = self.expect(1, "diff", "--metric", "Cache Lines", self.db, db)
        self.assertIn("no metric in common", r.stderr)

    def test_nothing_in_common(self):
        a, b = self.without("a.db", "handler = 'lds_bank_conflicts'"), self.without("b.db", "handler != 'lds_bank_conflicts'")
        r = self.expect(1, "diff", a, b)
        self.assertIn("no metric in common: nothing could be compared", r.stderr)
        self.assertEqual(r.stdout, "")


class Rows(Edited):
    def test_rows_of_handlers(self):
        rows = [(1, 5, '{"page": "0x1000", "accesses": 12}'), (2, None, '{"page": "0x2000", "share": 0.5}'),
                (2, None, 'no json')]
        db = self.edit("b.db", *[("INSERT INTO handler_row(dispatch, site, handler, table_name, json) "
                                  "VALUES(?, ?, 'mine', 'pages', ?)", r) for r in rows])
        text = self.expect(0, "report", db).stdout
        self.assertIn("  mine: pages\n", text)
        at = text.split("  mine: pages\n")[1].splitlines()
        self.assertEqual(at[0].split(), ["dispatch", "line", "page", "accesses", "share", "value"])
        self.assertEqual(at[1].split(), ["1", "transpose.hip:6:3", "0x1000", "12"])
        self.assertEqual(at[2].split(), ["2", "0x2000", "0.5"])
        self.assertIn("2 more rows with --top 0", self.expect(0, "report", "--top", "1", db).stdout)
        table, = json.loads(self.expect(0, "report", "--json", db).stdout)["kernels"][0]["handler_tables"]
        self.assertEqual((table["handler"], table["table"]), ("mine", "pages"))
        self.assertEqual([r["row"] for r in table["rows"]],
                         [{"page": "0x1000", "accesses": 12}, {"page": "0x2000", "share": 0.5}, "no json"])
        self.assertEqual([(r["dispatch"], r["line"]) for r in table["rows"]], [(1, 6), (2, None), (2, None)])
        for name in ("pages", "mine.pages"):
            records = list(csv.DictReader(io.StringIO(self.expect(0, "report", "--rows", name, db).stdout, newline="")))
            self.assertEqual([(r["page"], r["accesses"], r["Line"]) for r in records],
                             [("0x1000", "12", "6"), ("0x2000", "", ""), ("", "", "")])
        r = self.expect(2, "report", "--rows", "nope", db)
        self.assertIn("tables here: mine.pages", r.stderr)
        self.expect(2, "report", "--rows", "pages", "--json", db)


def lds_row(conflicts, others_before, changes, executions=16, replayed=16):
    return json.dumps({"executions": executions, "replayed": replayed, "bytes": 4, "conflicts": conflicts,
                       "array_conflicts": conflicts + others_before, "step": 128, "banks": 32,
                       "changes": [{"kind": kind, "pitch": 128, "to": to, "unit": 4 if kind in ("xor", "split") else 0,
                                    "conflicts": after, "array_conflicts": after + others}
                                   for kind, to, after, others in changes]})


def global_row(kind, stride, lines, after, fields=(), pieces=1, piece_bytes=256):
    return json.dumps({"executions": 16, "replayed": 16, "bytes": 4, "lines": lines, "needed": 64, "kind": kind,
                       "stride": stride, "line_bytes": 64, "after": after, "fields": list(fields), "field_bytes": [4 for f in fields], "pieces": pieces,
                       "piece_bytes": piece_bytes})


class Advice(Edited):
    """Rows as the handler stores them become sentences, summed over sites and dispatches."""

    def add(self, *rows):
        return self.edit("b.db", *[("INSERT INTO handler_row(dispatch, site, handler, table_name, json) "
                                    "VALUES(?, (SELECT id FROM site WHERE number = ?), 'advice', ?, ?)", r)
                                   for r in rows])

    def advice(self, db):
        kernel = json.loads(self.expect(0, "report", "--json", db).stdout)["kernels"][0]
        return {(r["line"], r["access"], r["address_space"]): r["advice"] for t in kernel["tables"] for r in t["rows"]
                if r["advice"]}

    def test_lds(self):
        # Sites 2 and 3 of line 6, two dispatches: 2 * (480 + 60) = 1080 before. Padding leaves 0 and 10 each time,
        # 20 in all; XOR only helps in one dispatch: 0 + 0 + 480 + 60 = 540, exactly the half.
        pad, xor = ("pad", 132, 0, 0), ("xor", 128, 0, 0)
        db = self.add((1, 2, "lds", lds_row(480, 0, [pad, xor])), (1, 3, "lds", lds_row(60, 0, [("pad", 132, 10, 0), xor])),
                      (2, 2, "lds", lds_row(480, 0, [pad])), (2, 3, "lds", lds_row(60, 0, [("pad", 132, 10, 0)])))
        expected = ["neighbouring lanes are 128 B apart: they fall into 1 of 32 banks",
                    "+1 element of 4 B a row, 32 -> 33 (index i + i / 32): 1,080 -> 20 conflict cycles",
                    "column ^ row % 32 in each row of 32 elements of 4 B: 1,080 -> 540 conflict cycles"]
        self.assertEqual(self.advice(db), {(6, "load", "LDS"): expected})
        text = self.expect(0, "report", db).stdout
        self.assertEqual([l.strip()[2:] for l in text.splitlines() if l.startswith("    > ")], expected)
        self.assertNotIn("advice: lds", text)
        lines = self.expect(0, "annotate", db).stdout.splitlines()
        at = next(i for i, l in enumerate(lines) if "tile[threadIdx.x * 32]" in l)
        self.assertEqual([l.strip() for l in lines[at + 1:at + 4]], ["> " + e for e in expected])

    def test_distance_of_some_executions(self):
        """Two sites of 16 executions in the line's row: 8 of one have the distance, and conflicts; sites of which a part
        was replayed; and structures of 16 B in 12 of 16."""
        some, none = json.loads(lds_row(480, 0, [])), json.loads(lds_row(0, 480, []))
        rows = [json.dumps({**some, "step_executions": 8}), json.dumps({**none, "step": 0, "step_executions": 0})]
        stride = {**json.loads(global_row("stride", 512, 1024, 64)), "step_executions": 15, "executions": 20}
        walk = {**json.loads(global_row("structures", 16, 256, 64, [0])), "step_executions": 12}
        db = self.add((1, 2, "lds", rows[0]), (1, 3, "lds", rows[1]), (1, 4, "global", json.dumps(stride)),
                      (1, 5, "global", json.dumps(walk)))
        said = self.advice(db)
        self.assertEqual(said[6, "load", "LDS"][0],
                         "in 25 % of the accesses neighbouring lanes are 128 B apart: they fall into 1 of 32 banks")
        self.assertIn("in 93.8 % of the accesses that were replayed neighbouring lanes are 512 B apart; ",
                      said[6, "store", "global"][0])  # 15 of 16
        self.assertIn("in 75 % of the accesses lanes walk structures of 16 B", said[9, "load", "global"][0])

    def test_lds_limits(self):
        # One access in ten was not replayed; another access of the array gets 5 conflicts that it had not.
        db = self.add((1, 2, "lds", lds_row(480, 0, [("pad", 136, 0, 5)], executions=20, replayed=18)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"][1:],
                         ["+2 elements of 4 B a row, 32 -> 34 (index i + i / 32 * 2): 480 -> 0 conflict cycles (of the 90 % of the accesses that "
                          "were replayed) (in 1 of 2 dispatches: the other has no conflicts now); other accesses of the array then conflict more"])
        db = self.add((1, 2, "lds", lds_row(480, 0, [("split", 128, 7, 0)])))
        self.assertEqual(self.advice(db)[6, "load", "LDS"][1:],
                         ["an array for each 4 B of the structures of 128 B (structure of arrays): 480 -> 7 conflict cycles (in 1 of 2 dispatches: the other has no "
                          "conflicts now)"])
        db = self.add((1, 2, "lds", lds_row(480, 0, [])))
        self.assertIn("nothing found that helps", self.advice(db)[6, "load", "LDS"][1])

    def test_cycles(self):
        # What has no conflicts but needs more cycles is no advice; of two dispatches with rows of 32 and 64 elements, one
        # element more in each leaves 10 + 20 conflicts, in 42 + 52 of 992 + 992 cycles.
        def change(kind, pitch, to, unit, conflicts, cycles):
            return {"kind": kind, "dimension": 0, "pitch": pitch, "to": to, "unit": unit, "conflicts": conflicts,
                    "array_conflicts": conflicts, "cycles": cycles, "array_cycles": cycles}

        def row(*changes, **more):
            return json.dumps({"executions": 16, "replayed": 16, "bytes": 4, "conflicts": 960, "array_conflicts": 960,
                               "cycles": 992, "array_cycles": 992, "step": 0, "banks": 32, "element": 2,
                               "type": "half", "changes": list(changes), **more})

        db = self.add((1, 2, "lds", row(change("pad", 64, 68, 0, 10, 42), change("split", 64, 64, 4, 0, 992))),
                      (2, 2, "lds", row(change("pad", 128, 132, 0, 20, 52), change("split", 64, 64, 4, 0, 992))))
        self.assertEqual(self.advice(db)[6, "load", "LDS"],
                         ["+2 half a row, 32 -> 34, 64 -> 66: 1,920 -> 30 conflict cycles, 1,984 -> 94 LDS cycles"])
        one = " (in 1 of 2 dispatches: the other has no conflicts now)"  # which the change may give it
        declared = {"variable": "tile", "dimensions": [64, 16, 16], "element": 4, "type": "float"}
        db = self.add((1, 2, "lds", row({**change("pad", 1024, 1152, 0, 0, 32), "dimension": 1}, **declared)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"],
                         ["+2 in dimension 2, 16 -> 18 (tile[64][18][16]): 960 -> 0 conflict cycles, 992 -> 32 LDS cycles" + one])
        db = self.add((1, 2, "lds", row({**change("pad", 64, 72, 0, 0, 32), "dimension": 2},
                                        change("xor", 64, 64, 8, 0, 32), **declared)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"],
                         ["+2 floats a row, 16 -> 18 (tile[64][16][18]): 960 -> 0 conflict cycles, 992 -> 32 LDS cycles" + one,
                          "column ^ row % 8 * 2 in each row of 16 floats: 960 -> 0 conflict cycles, 992 -> 32 LDS cycles" + one])

    def test_contention(self):
        row = {"executions": 16, "replayed": 16, "bytes": 4, "conflicts": 0, "array_conflicts": 0, "cycles": 1024,
               "array_cycles": 1024, "step": 0, "banks": 32, "address": 992, "aggregated": 32, "aggregated_address": 0,
               "copies": 16, "copy_pitch": 1028, "copied": 64, "copied_address": 32, "changes": []}
        said = ["lanes update one address one after the other: 1,984 cycles of Addr Conflict; aggregated in the wavefront "
                "first (one lane per address, for all of its lanes): 1,984 -> 0, 2,048 -> 64 LDS cycles",
                "privatised: 16 copies of the array, 1028 B from one to the next, by lane % 16: 1,984 -> 64 cycles of "
                "Addr Conflict, 2,048 -> 128 LDS cycles"]
        db = self.add((1, 2, "lds", json.dumps(row)), (2, 2, "lds", json.dumps(row)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"], said)
        db = self.add((1, 2, "lds", json.dumps(row)), (2, 2, "lds", json.dumps({**row, "copies": 8})))
        self.assertEqual(self.advice(db)[6, "load", "LDS"], said[:1])
        del row["aggregated"]  # lanes that compare and swap
        db = self.add((1, 2, "lds", json.dumps(row)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"],
                         ["lanes update one address one after the other: 992 cycles of Addr Conflict"])

    def test_idle_lanes(self):
        def row(executions, active, branches=(), workgroup=256):
            return json.dumps({"executions": executions, "active": active, "lanes": 64, "workgroup": workgroup,
                               "branches": [{"file": f, "line": l, "column": 3, "loop": 0} for f, l in branches]})

        here, path = (6, "load", "LDS"), self.path("transpose.hip")
        db = self.add((1, 2, "lanes", row(4, 32, [(path, 4), ("/x/y.hip", 3)])), (2, 3, "lanes", row(4, 32)))
        # What stands in line 4 of the sample, up to the end. The two rows tell of 8 of the line's executions.
        self.assertEqual(self.advice(db)[here],
                         ["8 of 64 lanes active in 8 of the line's 64 executions: line 4 `tile[threadIdx.x] = in[threadIdx.x]`, in y.hip:3"])
        db = self.add((1, 2, "lanes", row(4, 34, workgroup=16)))
        self.assertEqual(self.advice(db)[here], ["8.5 of 64 lanes active on average in 4 of the line's 64 executions: work-groups of 16 work-items fill no "
                                                 "whole wavefronts"])
        text = self.expect(0, "annotate", db).stdout
        self.assertIn("> 8.5 of 64 lanes active on average", text)

    def test_loop_of_a_library(self):
        """Line 7 calls a function of a header that has the access, in a loop: only the user's own branch is named."""
        header = "/opt/rocm/include/hip/amd_detail/amd_hip_atomic.h"
        for own, said in ([], ""), ([4], ": line 4 `tile[threadIdx.x] = in[threadIdx.x]`"):
            branches = [(header, 9), *((self.path("transpose.hip"), line) for line in own)]
            row = {"executions": 32, "active": 256, "lanes": 64, "workgroup": 256,
                   "branches": [{"file": f, "line": l, "column": 3, "loop": 1} for f, l in branches]}
            db = self.edit("b.db", "INSERT INTO source_file(id, path) VALUES(99, '%s')" % header,
                           "UPDATE frame SET file = 99 WHERE function = 'helper'",
                           ("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, "
                            "(SELECT id FROM site WHERE number = 5), 'advice', 'lanes', ?)", (json.dumps(row),)))
            self.assertEqual([a for key, a in self.advice(db).items() if key[1:] == ("load", "global")],
                             [["8 of 64 lanes active in a part of the line's executions" + said]])

    def test_global(self):
        db = self.add((1, 4, "global", global_row("stride", 512, 1024, 64)),
                      (2, 4, "global", global_row("stride", 512, 1024, 64)),
                      (1, 0, "global", global_row("misaligned", 4, 80, 64)),
                      (1, 0, "global", global_row("pieces", 4, 90, 64, pieces=10, piece_bytes=20)),
                      (2, 0, "global", global_row("pieces", 4, 90, 64, pieces=30, piece_bytes=32)),  # (200 + 960) / 40
                      (1, 5, "global", global_row("structures", 16, 256, 64, [0, 4, 12])),
                      (2, 5, "global", global_row("irregular", 0, 99, 99)))
        self.assertEqual(self.advice(db), {
            (6, "store", "global"): ["neighbouring lanes are 512 B apart; side by side: 2,048 -> 128 cache lines"],
            (4, "load", "global"): ["the first lane does not start a cache line; with data aligned to 64 B: 80 -> 64 "
                                    "cache lines",
                                    "lanes lie side by side in pieces of 29 B on average; in one piece: 180 -> 128 cache lines"],
            (9, "load", "global"): ["lanes walk structures of 16 B, of which this kernel accesses bytes 0-7, 12-15; "
                                    "with these in arrays of their own (structure of arrays): 256 -> 64 cache lines",
                                    "no fixed distance between lanes (irregular): nothing found that helps"]})

    def test_what_changes_nothing_is_no_advice(self):
        """Eight lanes with idle ones between them: arrays of their own would touch the 20 lines, too."""
        rows = [dict(row, after=row["lines"]) for row in hostile.ADVICE_GLOBAL]
        for row in rows:
            db = self.edit("n.db", ("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, (SELECT min(id) FROM site WHERE"
                                    " kind = 2 AND space = 1), 'advice', 'global', ?)", (json.dumps(row),)))
            self.assertNotIn(" cache lines", self.expect(0, "report", db).stdout, row)
            db = self.edit("n.db", ("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, (SELECT min(id) FROM site WHERE"
                                    " kind = 2 AND space = 1), 'advice', 'global', ?)", (json.dumps(dict(row, after=1)),)))
            self.assertIn("-> 1 cache lines", self.expect(0, "report", db).stdout, row)

    def test_damaged_rows(self):
        db = self.add((1, 2, "lds", "no json"), (1, 2, "lds", "[]"), (1, 4, "global", "{}"), (2, 2, "lds", "{}"))
        self.expect(0, "report", db)
        self.expect(0, "annotate", db)


if __name__ == "__main__":
    unittest.main()
