"""lanescope explain on the sample recording (numbers: results/tests/sample.c) with rows of advice added by SQL."""
import json
import os
import sqlite3
import unittest

from common import Case

# The LDS load of line 6, column 15, in one dispatch: 16 executions, 480 conflict cycles, 512 LDS cycles (sample.c), whose
# neighbouring lanes are 128 B apart. With rows of 33 floats they would take 32 cycles and have no conflict.
LDS = {"executions": 16, "replayed": 16, "bytes": 4, "conflicts": 480, "array_conflicts": 480, "cycles": 512,
       "array_cycles": 512, "step": 128, "banks": 32, "element": 4, "variable": "tile", "type": "float",
       "dimensions": [32, 32], "changes": [{"kind": "pad", "dimension": 1, "pitch": 128, "to": 132, "unit": 4,
                                           "conflicts": 0, "array_conflicts": 0, "cycles": 32, "array_cycles": 32}]}
# The store of line 6: 16 executions, 1024 cache lines, 64 needed; lanes are 128 B apart.
STORE = {"executions": 16, "replayed": 12, "bytes": 4, "lines": 1024, "needed": 64, "kind": "stride", "stride": 128,
         "line_bytes": 128, "after": 64}


class Explain(Case):
    def setUp(self):
        super().setUp()
        self.db = self.sample()
        self.change(*(("INSERT INTO handler_row (dispatch, site, handler, table_name, json) SELECT (SELECT min(id) FROM dispatch "
                       "WHERE observed), id, 'advice', ?, ? FROM site WHERE number = ?", (table, json.dumps(row), site))
                      for table, row, site in (("lds", LDS, 2), ("global", STORE, 4))))

    def change(self, *statements):
        with sqlite3.connect(self.db) as c:
            for text, values in statements:
                c.execute(text, values)
        c.close()

    def text(self, *args):
        return self.expect(0, "explain", *args, self.db).stdout

    def json(self, *args):
        return json.loads(self.text("--format", "json", *args))

    def test_sources_that_are_not_what_was_compiled(self):
        """Lines of it may be the wrong ones: said beside every form."""
        note = "/src/transpose.hip is not the file that was compiled: numbers may stand at wrong lines; build the program again"
        self.change(("INSERT INTO note(process, level, text) VALUES(1, 1, ?)", (note,)))
        for form in ("text", "markdown", "json"):
            self.assertIn(note, self.expect(0, "explain", "--format", form, self.db).stderr)
        edited = self.write("edited.hip", "int b;\n")
        self.change(("UPDATE source_file SET path = ?, modified_ns = 1", (edited,)))
        self.assertIn(edited + ": edited since the run", self.expect(0, "explain", self.db).stderr)

    def test_worst_first(self):
        """Beyond need: the store of line 6 2048 - 128 = 1920 lines, its LDS load 1080 cycles, line 9 128 lines."""
        data = self.json("--top", "0")
        self.assertEqual(data["schema"], "lanescope-explain/1")
        self.assertEqual([(f["line"], f["access"], f["excess"]) for f in data["findings"]],
                         [(6, "store", 1920), (6, "load", 1080), (9, "load", 128)])
        self.assertEqual(data["omitted"], 0)
        self.assertEqual(self.json("--top", "1")["omitted"], 2)

    def test_instructions_of_one_line(self):
        """Of a kernel without probes each instruction is a finding; its place alone does not tell it from others of the line."""
        self.change(("UPDATE site SET code_offset = 668, instruction = 'global_store_dword v0, v1, s[0:1]' WHERE number = 4", ()))
        said = "0x29c: global_store_dword v0, v1, s[0:1]"
        self.assertIn(f"\n    {said}\n", self.text())
        self.assertIn(f"\n\n`{said}`\n", self.text("--format", "markdown"))
        self.assertEqual([f.get("instruction") for f in self.json("--top", "0")["findings"]], [said, None, None])

    def test_nothing_observed_is_nothing_good(self):
        """Only what was observed can be without cost."""
        self.change(("UPDATE dispatch SET observed = 0", ()), ("DELETE FROM value", ()), ("DELETE FROM dispatch_value", ()))
        self.assertEqual(self.text(), "nothing was observed, so there is nothing to explain\n")

    def test_part_of_the_wavefronts(self):
        """Counts of a fourth of the wavefronts are no estimate of all: 1,080 conflict cycles were seen, so there are as many at least."""
        self.change(("""UPDATE process SET options = '{"sample_waves": "4"}'""", ()))
        text = " ".join(self.text("--line", "transpose.hip:6").split())
        self.assertIn("Bank Conflict: at least 1,080", text)
        self.assertIn("the numbers are those of a part: only 1 of 4 wavefronts reported", text)
        self.assertNotIn("estimate", text)

    def test_fits_the_terminal(self):
        self.change(("UPDATE kernel SET name = ?", ("k" * 300 + "(float*)",)),
                    ("UPDATE source_file SET text = replace(text, 'tile[threadIdx.x * 16]', ?)", ("x" * 300,)))
        for width in (40, 80, 120):
            lines = self.expect(0, "explain", "--top", "1", self.db, COLUMNS=str(width)).stdout.splitlines()
            self.assertEqual([l for l in lines if len(l) > width], [])
            self.assertIn("2 more lines cost something;", " ".join(lines))
        self.assertIn("k" * 300, self.text())  # whole in a file

    def test_parts(self):
        found = self.json("--line", "transpose.hip:6")["findings"]
        load, = (f for f in found if f["access"] == "load")
        self.assertEqual((load["kernel"], load["arguments"]), ("transpose", "float*, float const*"))
        self.assertEqual(load["file"], self.path("transpose.hip"))
        self.assertIn({"metric": "Bank Conflict", "value": 1080, "unit": "cycles", "exact": True}, load["costs"])
        change, = load["changes"]
        self.assertEqual(change["change"], "+1 float a row, 32 -> 33 (tile[32][33])")
        self.assertEqual(change["metrics"], [{"metric": "Bank Conflict", "before": 480, "expected_after": 0},
                                             {"metric": "LDS Cycles", "before": 512, "expected_after": 32}])
        # 128 B are 32 banks of 4 B: all lanes fall into one
        self.assertTrue(any("1 of 32 LDS banks: lanes 0, 1, 2, 3" in w for w in load["why"]), load["why"])
        store, = (f for f in found if f["access"] == "store")
        self.assertEqual(store["changes"][0]["metrics"], [{"metric": "Cache Lines", "before": 1024, "expected_after": 64}])
        self.assertEqual(store["changes"][0]["replayed"], 0.75)
        self.assertEqual(store["confidence"], "medium")  # 12 of 16 accesses were replayed
        self.assertIn("75 %", store["confidence_reason"])
        self.assertTrue(any("lane 0 reaches one cache line of 128 B, lane 1 another, and no two neighbours share one" in w for w in store["why"]), store)
        # 2048 / 32 executions, 128 / 32
        self.assertIn("an execution takes 64.00 lines on average (Cache Lines), where 4.00 would do (Cache Lines Needed)", store["why"])

    def test_averages(self):
        """Of line 6: the loads' 1,224 cycles, 1,080 of conflicts, are of 64 executions; the store's 2,048 cache lines, for 128, of 32. Any
        handler whose numbers play these parts has the sentence, in its words."""
        self.change(("UPDATE metric SET name = 'LDS Cycles' WHERE name = 'Index Accesses'", ()))
        why = [w for f in self.json("--line", "transpose.hip:6")["findings"] for w in f["why"]]
        self.assertIn("an execution takes 19.12 cycles on average (LDS Cycles), of which 16.88 are Bank Conflict", why)
        self.assertIn("an execution takes 64.00 lines on average (Cache Lines), where 4.00 would do (Cache Lines Needed)", why)
        # of the 64 executions' cycles, 128 more are of atomics that wait; without the others, these alone
        addresses = "WHERE metric = (SELECT id FROM metric WHERE name = 'Addr Conflict') AND site IN (SELECT id FROM site WHERE number = 2)"
        self.change(("UPDATE value SET value = 128 " + addresses, ()))
        why = [w for f in self.json("--line", "transpose.hip:6")["findings"] for w in f["why"]]
        self.assertIn("an execution takes 19.12 cycles on average (LDS Cycles), of which 16.88 are Bank Conflict and 4.00 are Addr Conflict", why)
        self.change(("UPDATE value SET value = 0 WHERE metric = (SELECT id FROM metric WHERE name = 'Bank Conflict')", ()))
        why = [w for f in self.json("--line", "transpose.hip:6")["findings"] for w in f["why"]]
        self.assertIn("an execution takes 19.12 cycles on average (LDS Cycles), of which 4.00 are Addr Conflict", why)
        self.change(("UPDATE metric SET handler = 'mine', show = 0, position = id, role = (name = 'Executions'), cost = (name = 'Cache Lines'), "
                     "excess = (name = 'Cache Lines') - (name = 'Cache Lines Needed'), direction = 0 WHERE handler = 'memory_coalescing'", ()),
                    ("UPDATE metric SET name = 'Sectors', unit = 'sectors' WHERE name = 'Cache Lines'", ()),
                    ("UPDATE metric SET name = 'Of Them Used', unit = 'sectors' WHERE name = 'Cache Lines Needed'", ()))
        why = [w for f in self.json("--line", "transpose.hip:6")["findings"] for w in f["why"]]
        self.assertIn("an execution takes 64.00 sectors on average (Sectors), where 4.00 would do (Of Them Used)", why)

    def test_other_distances(self):
        """32 B apart: 8 banks further, 4 of 32 are reached, and every fourth lane meets; 4 lanes share a cache line."""
        self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'lds'", (json.dumps({**LDS, "step": 32}),)),
                    ("UPDATE handler_row SET json = ? WHERE table_name = 'global'", (json.dumps({**STORE, "stride": 32}),)))
        text = " ".join(self.text("--line", "transpose.hip:6").split())
        self.assertIn("uses 4 of 32 LDS banks: lanes 0, 4, 8, 12, ... all reach the same bank", text)
        self.assertIn("about 4 neighbours share a cache line", text)
        # 64 B apart: 2 of 32 banks are reached by lanes of even and odd numbers; 8 B apart: 16, each by 4 of 64 lanes, or by 2 of 32
        lanes = {(64, 64): "2 of 32 LDS banks: lanes 0, 2, 4, 6, ... all", (8, 64): "16 of 32 LDS banks: lanes 0, 16, 32, 48 all",
                 (8, 32): "16 of 32 LDS banks: lanes 0, 16 both"}
        for (step, wave), told in lanes.items():
            self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'lds'", (json.dumps({**LDS, "step": step}),)),
                        ("UPDATE kernel SET lanes = ?", (wave,)))
            self.assertIn(told, " ".join(self.text("--line", "transpose.hip:6").split()))
        # What begins within a line reaches into one more; how far apart the lanes are is not the reason.
        misaligned = {**STORE, "kind": "misaligned", "stride": 4, "lines": 80, "after": 64}
        self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'global'", (json.dumps(misaligned),)))
        store, = (f for f in self.json("--line", "transpose.hip:6")["findings"] if f["access"] == "store")
        self.assertIn("the lanes' lowest address does not start a cache line of 128 B: their data lie in more lines than they fill", store["why"])
        self.assertNotIn("neighbour", " ".join(store["why"]))
        # 48 B apart, in lines of 128 B: lanes begin at 0, 48, 96, 144, 192, 240, 288: 3 in the first line, 3 in the second, and later 2.
        self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'global'", (json.dumps({**STORE, "stride": 48}),)))
        self.assertIn("48 B apart: 2 or 3 neighbours share a cache line of 128 B", " ".join(self.text("--line", "transpose.hip:6").split()))

    def test_distances_of_most_lanes(self):
        """Which lanes meet, is said of a row of the work-group, and not where some are another distance apart."""
        def said(lds, stride=512):
            self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'lds'", (json.dumps({**LDS, **lds}),)),
                        ("UPDATE handler_row SET json = ? WHERE table_name = 'global'",
                         (json.dumps({**STORE, "stride": stride, "step_pairs": 62, "pairs": 63}),)))
            return " ".join(self.text("--line", "transpose.hip:6").split())
        most = said({"step_pairs": 62, "pairs": 63})
        self.assertIn(" most neighbouring lanes are 128 B apart; lanes so far apart use 1 of 32 LDS banks, and a bank serves", most)
        self.assertIn("most neighbouring lanes are 512 B apart: no two of these share a cache line of 128 B", most)
        self.assertIn(" most neighbouring lanes are 32 B apart: about 4 neighbours share", said({}, stride=32))
        self.assertIn(" 32 B apart, so each row of 8 lanes uses 4 of 32 LDS banks: lanes 0, 4 both reach the same bank, and",
                      said({"step": 32, "step_pairs": 56, "pairs": 56, "row": 8}))
        self.assertIn("so the wavefront uses 4 of 32 LDS banks: lanes 0, 1, 2, 3, ... all reach the same banks, and",
                      said({"step": 128, "piece": 16, "row": 64}))

    def test_distances_with_idle_lanes(self):
        """32 B apart with every other lane idle: of two neighbours that share a line one is idle."""
        for step, told in ((32, "about 4 neighbours share"), (128, "lane 0 reaches")):
            self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'global'", (json.dumps({**STORE, "stride": step, "idle": 1}),)))
            self.assertIn(f"{step} B apart, idle ones among them: {told}", " ".join(self.text("--line", "transpose.hip:6").split()))

    def test_distances_of_some_executions(self):
        self.change(("UPDATE handler_row SET json = ? WHERE table_name = 'lds'", (json.dumps({**LDS, "step_executions": 6}),)),
                    ("UPDATE handler_row SET json = ? WHERE table_name = 'global'", (json.dumps({**STORE, "step_executions": 9}),)))
        text = " ".join(self.text("--line", "transpose.hip:6").split())
        self.assertIn("in 37.5 % of the accesses neighbouring lanes are 128 B apart, so the wavefront", text)
        self.assertIn("in 75 % of the accesses that were replayed neighbouring lanes are 128 B apart: lane 0", text)  # 9 of 12

    def test_text(self):
        text = self.text()
        self.assertTrue(text.startswith("transpose.hip:6:3 global store 4 B"), text)
        self.assertIn("lay what neighbouring lanes access side by side: Cache Lines 1,024 -> 64", text)
        self.assertIn("+1 float a row, 32 -> 33 (tile[32][33]): Bank Conflict 480 -> 0, LDS Cycles 512 -> 32", text)
        self.assertIn("Confidence: medium: the prediction rests on 75 % of the accesses", text)

    def test_markdown(self):
        """Names of a database stay text."""
        self.change(("UPDATE kernel SET name = ? WHERE name LIKE 'transpose%'", ("a`b``<script>[x](y)",)))
        text = self.text("--format", "markdown")
        self.assertIn("### transpose.hip:6:3 global store 4 B", text)
        self.assertIn("``` a`b``<script>[x](y) ```", text)
        self.assertIn("tile\\[32\\]\\[33\\]", text)
        self.assertIn("(handler `advice`)", self.text("--format", "markdown", "--line", "transpose.hip:9"))

    def test_line_without_cost(self):
        text = self.text("--line", "transpose.hip:4")
        self.assertIn("it does nothing beyond what its data need", text)
        r = self.expect(1, "explain", "--line", "transpose.hip:5", self.db)
        self.assertIn("no access at transpose.hip:5 was observed", r.stderr)
        self.expect(1, "explain", "--line", "pose.hip:6", self.db)  # whole components

    def test_line_as_reports_print_it(self):
        """With columns behind it."""
        for place in ("transpose.hip:6:15,31", "transpose.hip:6:3"):
            self.assertEqual(self.json("--line", place), self.json("--line", "transpose.hip:6"))
        self.assertIn("'transpose.hip:' is not accepted", self.expect(2, "explain", "--line", "transpose.hip:", self.db).stderr)

    def test_python_lines(self):
        """Triton's kernels stand in .py files."""
        self.change(("UPDATE source_file SET path = '/home/me/softmax.py'", ()))
        self.assertEqual({f["line"] for f in self.json("--line", "softmax.py:6")["findings"]}, {6})

    def test_kernel_names(self):
        for name, kernel, arguments in (("f(int, g<h(int)>)", "f", "int, g<h(int)>"), ("void f<g(int)>(float*)", "void f<g(int)>", "float*"),
                                        ("f()", "f", ""), ("f<x=*fp32:16, BLOCK=256>", "f", "x=*fp32:16, BLOCK=256"),
                                        ("f<4>", "f<4>", ""), ("(odd)", "(odd)", ""), ("odd)", "odd)", ""), ("f.kd", "f.kd", "")):
            self.change(("UPDATE kernel SET name = ? WHERE name <> 'Cijk_gemm'", (name,)))
            found = self.json("--top", "1")["findings"][0]
            self.assertEqual((found["kernel"], found["arguments"]), (kernel, arguments))

    def test_budget(self):
        whole = self.text("--format", "json", "--top", "0")
        for budget in (300, 700, 1000, 1500, 2000, 3000, len(whole.encode())):
            text = self.text("--format", "json", "--top", "0", "--budget", str(budget))
            self.assertLessEqual(len(text.encode()), budget)
            data = json.loads(text)
            self.assertEqual(len(data["findings"]) + data["omitted"], 3)
        self.assertEqual(text, whole)
        self.assertLessEqual(len(self.text("--budget", "900").encode()), 900)
        r = self.expect(2, "explain", "--format", "json", "--budget", "50", self.db)
        self.assertIn("--budget: 50 bytes hold not even the frame", r.stderr)

    def test_small_budgets_keep_the_worst_line(self):
        """Less and less of it, with its place, one cost and the first change to the last; what is gone is named."""
        whole = self.json()["findings"][0]
        seen = set()
        for budget in range(560, 2000, 60):
            text = self.text("--format", "json", "--budget", str(budget))
            self.assertLessEqual(len(text.encode()), budget)
            data = json.loads(text)
            found = data["findings"][0]
            self.assertEqual(len(data["findings"]) + data["omitted"], 3)
            self.assertTrue(whole["file"].endswith(found["file"].removeprefix("...")), found["file"])
            self.assertTrue(found["file"].endswith("transpose.hip"), found["file"])
            for field in ("line", "column", "access", "address_space", "excess", "confidence"):
                self.assertEqual(found[field], whole[field], (budget, field))
            self.assertEqual(found["changes"][0]["metrics"], whole["changes"][0]["metrics"])
            self.assertIn(found["costs"][0], whole["costs"])
            gone = set(found.get("dropped", []))
            seen |= gone
            fields = {"launch": {"arguments", "arch", "grid", "workgroup", "dispatches"}, "why": {"why"}, "source": {"source"},
                      "remarks": {"remarks", "confidence_reason"}, "changes": set(), "costs": set()}
            for part, names in fields.items():
                self.assertFalse(part in gone and names & found.keys(), (budget, part))
            self.assertEqual("costs" in gone, len(found["costs"]) < len(whole["costs"]))
            self.assertEqual("changes" in gone, len(found["changes"]) < len(whole["changes"]))
        self.assertTrue({"launch", "why", "source", "costs"} <= seen, seen)
        # of several costs the one stays that lines are sorted by: a store to 1024 lines where 64 would do
        [cost] = json.loads(self.text("--format", "json", "--budget", "600"))["findings"][0]["costs"]
        self.assertEqual(cost["metric"], "Cache Lines")
        for form in ("text", "markdown"):
            text = self.text("--format", form, "--budget", "450")
            self.assertLessEqual(len(text.encode()), 450)
            self.assertIn("transpose.hip:6", text.splitlines()[0])
            self.assertIn("Cache Lines", text)
            self.assertIn("Left out for --budget: ", text)
        self.assertNotIn("Left out", self.text("--budget", "100000"))

    def test_budget_and_long_names(self):
        self.change(("UPDATE kernel SET name = ? WHERE name LIKE 'transpose%'", ("\u00e9" * 9000 + "\x1b(int)",)))
        text = self.text("--format", "json", "--budget", "2500")
        self.assertLessEqual(len(text.encode()), 2500)
        self.assertEqual(len(json.loads(text)["findings"]), 1)

    def test_estimates(self):
        self.change(("UPDATE site SET isa_join = 0, estimate = 'unclear' WHERE number = 4", ()))
        store, = (f for f in self.json("--line", "transpose.hip:6")["findings"] if f["access"] == "store")
        self.assertEqual((store["confidence"], store["changes"]), ("low", []))
        self.assertIn("no advice is given on estimates", self.text())

    def test_wrong_options(self):
        for words in ([], ["--line", "x", self.db], ["--line", ":5", self.db], ["--budget", "x", self.db],
                      ["--format", "xml", self.db], ["--top", "-1", self.db]):
            self.expect(2, "explain", *words)
        self.expect(3, "explain", self.path("none.db"))
        self.expect(1, "explain", "-k", "zzz", self.db)
        self.expect(0, "explain", "-o", self.path("e.txt"), self.db)
        self.assertTrue(os.path.getsize(self.path("e.txt")))


if __name__ == "__main__":
    unittest.main()
