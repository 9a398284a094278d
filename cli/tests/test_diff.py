"""lanescope diff on the sample recording (numbers: results/tests/sample.c) and on edited copies of it."""
import csv
import io
import json
import unittest

from edited import Edited


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
        text = self.expect(0, "diff", "--kernel", "transpose", self.db, other).stdout
        self.assertIn("no change", text)
        self.assertTrue(text.endswith("nothing is worse than before\n"), text)
        data = self.json(0, "--kernel", "transpose", self.db, other)
        self.assertEqual((data["worse"], data["not_compared"], data["conclusion"]), (0, 0, "nothing is worse than before"))

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
        one = ("diff", "--kernel", "transpose", "-t")
        text = self.expect(0, *one, "10", self.db, other).stdout
        self.assertRegex(text, r"Cache Lines .* changed\n")
        self.assertTrue(text.endswith("nothing is worse than before by more than 10 %; within that: Cache Lines\n"), text)
        self.assertTrue(self.expect(0, *one, "0", self.db, self.db).stdout.endswith("nothing is worse than before\n"))
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
        text = self.expect(0, "diff", "--kernel", "transpose", before, fewer).stdout
        self.assertRegex(text, r"Addr Conflict +0 +600 .* changed\n")
        self.assertTrue(text.endswith("no cost is worse than before as a whole; parts of costs are: Addr Conflict\n"), text)
        self.assertEqual(self.json(0, before, fewer)["worse"], 0)
        text = self.expect(1, "diff", "--kernel", "transpose", before, more).stdout
        self.assertRegex(text, r"Addr Conflict +0 +600 .* worse\n")
        self.assertTrue(text.endswith("\nworse than before\n"), text)
        # asked for alone it is judged alone; what is allowed is named as well
        self.assertIn("worse than before", self.expect(1, "diff", "-m", "Addr Conflict", before, fewer).stdout)
        both = self.edit("c.db", *waits, self.set_value(2, "Index Accesses", 500), self.set_value(4, "Cache Lines", 1124))
        text = self.expect(0, "diff", "--kernel", "transpose", "-t", "10", before, both).stdout
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

    def test_map_of_two_kernels_in_one_file(self):
        """The text has the kernel twice, nine lines apart; one recording ran the first, the other one the second."""
        with open(self.path("transpose.hip")) as f:
            text = f.read()
        twice = ("UPDATE source_file SET text = ?", (text + text,))
        first = self.edit("b.db", twice)
        second = self.edit("c.db", twice, "UPDATE frame SET line = line + 9", self.set_value(2, "Bank Conflict", 0),
                           "UPDATE kernel SET name = 'other(float*)', mangled = 'other' WHERE module IS NOT NULL")
        found = self.verdicts(self.json(0, "--map", "transpose=other", first, second))
        self.assertEqual(found[6, 15, "load", "Bank Conflict"], (1080, 120, "better"))
        self.assertEqual(found[6, 15, "store", "Cache Lines"], (2048, 2048, "same"))
        self.assertEqual(found[4, 13, "load", "Cache Lines"], (128, 128, "same"))
        self.assertEqual(found[9, 18, "load", "Cache Lines"], (256, 256, "same"))
        self.assertEqual({v[2] for v in found.values()} - {"same", "better"}, set())
        self.assertIn("transpose.hip:15:15,31 LDS load 4 B, line 6 before", self.expect(0, "diff", "--map", "transpose=other", first, second).stdout)
        # a line that was edited goes with the lines around it
        edited = text + text.replace("tile[threadIdx.x * 32]", "tile[threadIdx.x]")
        second = self.edit("d.db", ("UPDATE source_file SET text = ?", (edited,)), "UPDATE frame SET line = line + 9", self.set_value(2, "Bank Conflict", 0),
                           "UPDATE kernel SET name = 'other(float*)', mangled = 'other' WHERE module IS NOT NULL")
        self.assertEqual(self.verdicts(self.json(0, "--map", "transpose=other", first, second)), found)

    def test_statements_that_changed_places(self):
        """Equal texts stay together, the first with the first; what a line accesses is part of it."""
        lines = ["kernel", *["a[i] = 0;"] * 3, *["b[i] = 0;"] * 2, "f(a);"]
        swapped = ["kernel", *lines[4:6], *lines[1:4], "f(a);"]

        def recording(name, text, rows):
            return self.edit(name, ("UPDATE source_file SET text = ?", ("\n".join(text),)),
                             *(("UPDATE frame SET line = ? WHERE line = ? AND \"column\" = ?", row) for row in rows))
        before = recording("b.db", lines, [(5, 4, 21), (6, 6, 3)])
        after = recording("c.db", swapped, [(2, 4, 21), (3, 6, 3)])
        found = self.verdicts(self.json(0, before, after))
        self.assertEqual(found[5, 2, "load", "Cache Lines"], (128, 128, "same"))
        self.assertEqual(found[6, 3, "store", "Cache Lines"], (2048, 2048, "same"))
        # the first of equal lines goes with the first
        before = recording("d.db", lines, [(5, 4, 21), (6, 9, 56)])
        after = recording("e.db", swapped, [(2, 4, 21), (3, 9, 56)])
        found = self.verdicts(self.json(0, before, after))
        self.assertEqual(found[5, 2, "load", "Cache Lines"], (128, 128, "same"))
        self.assertEqual(found[6, 3, "load", "Cache Lines"], (256, 256, "same"))

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

    def test_another_gpu(self):
        other = self.edit("gpu.db", "UPDATE agent SET arch = 'gfx1030'")
        self.assertIn("before on gfx90a, after on gfx1030: cache lines, banks and wavefronts of the two may differ", self.expect(0, "diff", self.db, other).stderr)
        self.assertNotIn("before on", self.expect(0, "diff", self.db, self.db).stderr)

    def test_other_wavefronts(self):
        """The same GPU, and a kernel that was compiled for the other size."""
        narrow = self.edit("narrow.db", "UPDATE agent SET arch = 'gfx1030', lanes = 32")
        wide = self.edit("wide.db", "UPDATE agent SET arch = 'gfx1030', lanes = 32", "UPDATE kernel SET lanes = 64")
        said = [self.expect(0, "diff", *both).stderr for both in ((wide, narrow), (narrow, narrow), (wide, wide))]
        self.assertEqual(["wavefronts of 64 lanes before, of 32 after: " in text for text in said], [True, False, False], said)

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
        self.assertEqual(self.json(1, lds, memory)["conclusion"], "nothing could be compared")
        self.assertEqual(json.loads(self.expect(1, "gate", "--json=-", lds, memory).stdout)["why_nothing"],
                         "the recordings have no metric in common")
        # One side observed nothing at all, and may know no metric: no kernel was renamed, and no handler is missing.
        blind = ["UPDATE dispatch SET observed = 0, not_observed = 'not instrumented'", "DELETE FROM value"]
        for name, steps in (("e f.db", blind), ("g h.db", blind + ["DELETE FROM metric"])):
            empty = self.edit(name, *steps)
            for words, where in (((self.db, empty), "after"), ((empty, self.db), "before"), ((empty, empty), "in either recording")):
                r = self.expect(1, "diff", *words)
                self.assertIn(f"no kernel was observed {where}: nothing could be compared; `lanescope summary '{empty}'` says why", r.stderr)
                self.assertNotIn("--map", r.stderr)
                self.assertNotIn("--handlers", r.stderr)
        self.expect(2, "diff", self.db)
        self.expect(2, "diff", self.db, other, other)
        self.expect(3, "diff", self.db, self.path("none.db"))

    def test_most_was_not_compared(self):
        """One kernel is equal; on either side are two that the other does not have. The sentence at the end is about that one
        alone, and says so; the runtime's own copies are nobody's to compare."""
        def more(names):
            for i, name in enumerate(names):
                seen = not name.startswith("__")
                yield f"CREATE TEMP TABLE k{i} AS SELECT * FROM kernel WHERE name LIKE 'transpose%'"
                yield f"UPDATE k{i} SET id = {100 + i}, mangled = '{name}', name = '{name}'"
                yield f"INSERT INTO kernel SELECT * FROM k{i}"
                yield f"CREATE TEMP TABLE d{i} AS SELECT * FROM dispatch WHERE observed LIMIT 1"
                yield (f"UPDATE d{i} SET id = {100 + i}, number = {100 + i}, kernel = {100 + i}, observed = ?, not_observed = ?",
                       (seen, None if seen else "not instrumented"))
                yield f"INSERT INTO dispatch SELECT * FROM d{i}"
        a = self.edit("a.db", *more(["first", "second", "__amd_rocclr_copyBuffer"]))
        b = self.edit("b.db", *more(["third", "fourth", "__amd_rocclr_copyBuffer"]))
        told = ("nothing that was compared is worse than before; 5 of 6 kernels were not compared (observed only before: 2, observed "
                "only after: 2, observed in neither: 1); --map OLD=NEW pairs what was renamed")
        text = self.expect(0, "diff", a, b).stdout
        self.assertTrue(text.replace("\n  ", " ").endswith("\n" + told + "\n"), text)
        data = self.json(0, a, b)
        self.assertEqual((data["compared"], data["not_compared"], data["worse"], data["conclusion"]), (1, 5, 0, told))
        worse = self.edit("c.db", *more(["third"]), self.set_value(4, "Cache Lines", 1124))
        told = "worse than before; 4 of 5 kernels were not compared (observed only before: 2, observed only after: 1, observed in neither: 1)"
        self.assertTrue(self.json(1, a, worse)["conclusion"].startswith(told), self.json(1, a, worse)["conclusion"])
        # The gate says as much behind its "ok"; without a kernel left, nothing.
        self.assertIn("; 5 kernels not compared, as above (--map OLD=NEW pairs what was renamed)\n", self.expect(0, "gate", a, b).stdout)
        self.assertEqual(json.loads(self.expect(0, "gate", "--json=-", a, b).stdout)["not_compared"], 5)
        self.assertNotIn("compared, as above", self.expect(0, "gate", "--kernel", "transpose", a, b).stdout)

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
        self.assertIn("; 1 of 2 kernels was not compared (observed in neither: 1)", text.replace("\n  ", " "))
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


if __name__ == "__main__":
    unittest.main()
