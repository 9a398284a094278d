"""Rows that handlers store: tables of a report, and those of the handler of advice as sentences."""
import csv
import io
import json
import sqlite3
import unittest

import hostile
from edited import Edited, global_row, lds_row


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

    def test_numbers_that_nobody_wrote(self):
        """A database may hold anything: rows with a number that the handler cannot have written make no sentence."""
        change = {"kind": "pad", "dimension": 0, "pitch": 128, "to": 132, "unit": 4, "conflicts": 0, "array_conflicts": 0,
                  "cycles": 16, "array_cycles": 16}
        lds = {"executions": 16, "replayed": 16, "bytes": 4, "conflicts": 480, "array_conflicts": 480, "cycles": 512, "array_cycles": 512,
               "step": 128, "step_executions": 16, "banks": 32, "piece": 4, "step_pairs": 60, "pairs": 63, "row": 64, "narrowest": 4, "element": 4, "dimensions": [0, 32], "address": 64,
               "aggregated": 16, "aggregated_address": 0, "copies": 2, "copy_pitch": 132, "copied": 32, "copied_address": 32, "changes": [change]}
        common = {"executions": 16, "replayed": 16, "bytes": 4, "lines": 1024, "needed": 64, "stride": 32, "step_executions": 16,
                  "line_bytes": 64, "after": 64, "fields": [0, 8], "field_bytes": [4, 4], "pieces": 4, "piece_bytes": 256, "step_pairs": 60, "pairs": 63, "row": 64}
        lanes = {"executions": 16, "active": 128, "empty": 448, "lanes": 64, "workgroup": 100, "branches": [{"file": "/a.h", "line": 3, "column": 1, "loop": 0}]}
        rows = [("lds", 2, lds), ("lanes", 2, lanes)] + [("global", 4, {"kind": kind, **common}) for kind in
                                                         ("pieces", "structures", "stride", "misaligned", "irregular")]
        signed = {"step", "stride"}

        def holders(x):  # each thing that holds a number, and where it stands in it
            for key, value in list(x.items() if isinstance(x, dict) else enumerate(x)):
                if isinstance(value, int):
                    yield x, key
                elif isinstance(value, (dict, list)):
                    yield from holders(value)
        path = self.add(*[(1, 2, "lds", "{}")])
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA synchronous = OFF")
        number = dict(db.execute("SELECT number, id FROM site"))

        def sentences(table, site, row):
            db.execute("UPDATE handler_row SET table_name = ?, site = ?, json = ?", (table, number[site], json.dumps(row)))
            found = self.advice(path)
            return [s for texts in found.values() for s in texts]
        for table, site, row in rows:
            self.assertNotEqual(sentences(table, site, row), [], row)
            for holder, key in holders(row):
                was = holder[key]
                for bad in (-1024, -2 ** 63, 0.5):
                    holder[key] = bad
                    if bad != -1024 or key not in signed:
                        self.assertEqual(sentences(table, site, row), [], (table, key, bad))
                holder[key] = was
        for key, bad in (("replayed", 17), ("step_executions", 17), ("conflicts", 481), ("step_pairs", 64)):
            self.assertEqual(sentences("lds", 2, {**lds, key: bad}), [], key)
        self.assertEqual(sentences("lds", 2, {**lds, "changes": [{**change, "to": 124}]}), [])
        self.assertEqual(sentences("lanes", 2, {**lanes, "active": 16 * 64 + 1}), [])
        db.close()

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
                         "column 15: in 50 % of the accesses neighbouring lanes are 128 B apart: they fall into 1 of 32 banks")
        self.assertIn("in 93.8 % of the accesses that were replayed neighbouring lanes are 512 B apart; ",
                      said[6, "store", "global"][0])  # 15 of 16
        self.assertIn("in 75 % of the accesses lanes walk structures of 16 B", said[9, "load", "global"][0])

    def test_distance_of_most_lanes(self):
        """A row of 62 of 63 pairs of neighbours makes it most of them, whichever other rows there are. A distance is no reason where no two
        lanes of a row of the work-group meet in a bank: 8 B apart it takes 17 lanes. Of accesses of 16 B that are 128 B apart, each
        takes 4 of the banks."""
        def said(**of):
            some, stride, walk = (json.loads(r) for r in (lds_row(480, 0, []), global_row("stride", 512, 1024, 64), global_row("structures", 16, 256, 64, [0])))
            db = self.add((1, 2, "lds", json.dumps({**some, **of})), *[(1, n, "global", json.dumps({**r, **of, "banks": 0})) for n, r in ((4, stride), (5, walk))],
                          *[(2, n, "global", json.dumps({**r, "step_pairs": 63, "pairs": 63})) for n, r in ((4, stride), (5, walk))])
            return self.advice(db)
        most = said(step_pairs=62, pairs=63)
        self.assertEqual(most[6, "load", "LDS"][0], "most neighbouring lanes are 128 B apart; lanes so far apart fall into 1 of 32 banks")
        self.assertEqual(most[6, "store", "global"], ["most neighbouring lanes are 512 B apart; side by side: 2,048 -> 128 cache lines"])
        self.assertTrue(most[9, "load", "global"][0].startswith("most lanes walk structures of 16 B, "), most)
        self.assertEqual(said(step_pairs=63, pairs=63)[6, "load", "LDS"][0], "neighbouring lanes are 128 B apart: they fall into 1 of 32 banks")
        self.assertIn("8 B apart: they fall into 16 of 32 banks", said(step=8, row=17)[6, "load", "LDS"][0])
        self.assertNotIn("apart", said(step=8, row=16)[6, "load", "LDS"][0])
        db = self.add(*[(1, n, "lds", json.dumps({**json.loads(lds_row(480, 0, [])), "step": step})) for n, step in ((2, 128), (3, -128))])
        self.assertIn("128 B apart: they fall into 1 of 32 banks", self.advice(db)[6, "load", "LDS"][0])
        self.assertIn("they fall into 4 of 32 banks", said(step=128, piece=16)[6, "load", "LDS"][0])
        self.assertNotIn("apart", said(step=16, piece=16)[6, "load", "LDS"][0])  # all of them

    def test_lds_limits(self):
        # One access in ten was not replayed; another access of the array gets 5 conflicts that it had not.
        db = self.add((1, 2, "lds", lds_row(480, 0, [("pad", 136, 0, 5)], executions=20, replayed=18)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"][1:],
                         ["+2 elements of 4 B a row, 32 -> 34 (index i + i / 32 * 2): 480 -> 0 conflict cycles (of the 90 % of the accesses that "
                          "were replayed) (in 1 of 2 dispatches: the other has no conflicts now, and was not tried); other accesses of the array then conflict more"])
        db = self.add((1, 2, "lds", lds_row(480, 0, [("split", 128, 7, 0)])))
        self.assertEqual(self.advice(db)[6, "load", "LDS"][1:],
                         ["an array for each 4 B of the structures of 128 B (structure of arrays): 480 -> 7 conflict cycles (in 1 of 2 dispatches: the other has no "
                          "conflicts now, and was not tried)"])
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
        one = " (in 1 of 2 dispatches: the other has no conflicts now, and was not tried)"  # the change may give it some
        declared = {"variable": "tile", "dimensions": [64, 16, 16], "element": 4, "type": "float"}
        db = self.add((1, 2, "lds", row({**change("pad", 1024, 1152, 0, 0, 32), "dimension": 1}, **declared)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"],
                         ["+2 in dimension 2, 16 -> 18 (tile[64][18][16]): 960 -> 0 conflict cycles, 992 -> 32 LDS cycles" + one])
        db = self.add((1, 2, "lds", row({**change("pad", 64, 72, 0, 0, 32), "dimension": 2},
                                        change("xor", 64, 64, 8, 0, 32), **declared)))
        self.assertEqual(self.advice(db)[6, "load", "LDS"],
                         ["+2 floats a row, 16 -> 18 (tile[64][16][18]): 960 -> 0 conflict cycles, 992 -> 32 LDS cycles" + one,
                          "column ^ row % 8 * 2 in each row of 16 floats: 960 -> 0 conflict cycles, 992 -> 32 LDS cycles" + one])

    def test_one_layout_for_all_lines_of_an_array(self):
        """Two paddings leave the array 6 of 20 cycles; each takes all conflicts of another line, and the shorter one is told."""
        def row(before, cycles, *left):
            return json.dumps({"executions": 1, "replayed": 1, "bytes": 4, "conflicts": before, "array_conflicts": 16, "cycles": cycles,
                               "array_cycles": 20, "step": 0, "banks": 32, "element": 20, "type": "P", "variable": "s", "dimensions": [8, 32],
                               "changes": [{"kind": "pad", "dimension": 1, "pitch": 640, "to": to, "unit": 0, "conflicts": n, "array_conflicts": 2,
                                            "cycles": n + 2, "array_cycles": 6} for to, n in zip((680, 720), left)]})

        found = self.advice(self.add(*[(d, s, "lds", r) for d in (1, 2) for s, r in ((2, row(14, 16, 2, 0)), (1, row(2, 4, 0, 2)))]))
        self.assertEqual(found, {(6, "load", "LDS"): ["+2 P a row, 32 -> 34 (s[8][34]): 28 -> 4 conflict cycles, 32 -> 8 LDS cycles"],
                                 (4, "store", "LDS"): ["+2 P a row, 32 -> 34 (s[8][34]): 4 -> 0 conflict cycles, 8 -> 4 LDS cycles"]})

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

    def test_lanes_that_wait_for_global_memory(self):
        """The store of line 6 as an atomic, in dispatch 1: 960 lanes update 64 addresses, so 15 each; one lane for each address
        leaves 64. Lanes that compare and swap cannot do that; and where not half of the lanes are saved nothing is said."""
        def said(kind, addresses, lanes=960):
            db = self.edit("b.db", "INSERT INTO metric(id, handler, name, unit, description, is_ratio, scale) VALUES"
                           "(901, 'memory_coalescing', 'Atomic Lanes', 'lanes', '', 0, 0), (902, 'memory_coalescing', 'Atomic Addresses', '', '', 0, 0)",
                           ("UPDATE site SET kind = ? WHERE number = 4", (kind,)),
                           ("INSERT INTO value(dispatch, site, metric, value) SELECT 1, id, m, v FROM site JOIN "
                            "(SELECT 901 AS m, ? AS v UNION SELECT 902, ?) WHERE number = 4", (lanes, addresses)))
            return self.advice(db), db
        atomic, swap = 3, 4  # include/lanescope/sites.h
        found, db = said(atomic, 64)
        why = "lanes update one address one after the other: 15.00 lanes for each"
        self.assertEqual(found, {(6, "atomic", "global"): [why, "aggregated in the wavefront first (one lane per address, for all of its "
                                                           "lanes): Atomic Lanes 960 -> 64"]})
        finding, = [f for f in json.loads(self.expect(0, "explain", "--json", db).stdout)["findings"] if f["changes"]]
        change, = finding["changes"]
        self.assertIn(why, finding["why"])
        self.assertEqual((change["metrics"][0]["metric"], change["metrics"][0]["before"], change["metrics"][0]["expected_after"]), ("Atomic Lanes", 960, 64))
        found, db = said(swap, 64)
        self.assertEqual(found, {(6, "compare and swap", "global"): [why]})
        self.assertIn(why, [w for f in json.loads(self.expect(0, "explain", "--json", db).stdout)["findings"] for w in f["why"]])
        text = self.expect(0, "explain", db).stdout
        self.assertIn("    no change is known that would help\n", text)
        self.assertNotIn("the recording has no advice on it", text.split("compare and swap")[1].split("Confidence")[0])
        self.assertEqual(said(atomic, 481)[0], {})
        self.assertEqual(len(said(atomic, 480)[0]), 1)
        self.assertIn("Atomic Lanes 9,223,372,036,854,775,807 -> 4,611,686,018,427,387,904", said(atomic, 2 ** 62, 2 ** 63 - 1)[0][6, "atomic", "global"][1])

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
        self.assertEqual(self.advice(db)[here], ["8.5 of 64 lanes active on average in 4 of the line's 64 executions: work-groups of 16 work-items leave 48 "
                                                 "lanes of each wavefront empty"])
        text = self.expect(0, "annotate", db).stdout
        self.assertIn("> 8.5 of 64 lanes active on average", text)
        with sqlite3.connect(db) as most:
            most.execute("UPDATE value SET value = 9223372036854775807")
        self.assertIn("in 4 of the line's 9,223,372,036,854,775,807 executions", self.advice(db)[here][0])

    def test_lanes_without_work_items(self):
        """Said only of lines that wavefronts with empty lanes executed. Of 4 executions with 32 empty lanes each, 128 lanes are left:
        all active, or 100, which is a branch's work, too. Recordings without `empty` tell only that it can be."""
        def said(active, workgroup=96, empty=None, more=()):
            branch = {"file": self.path("transpose.hip"), "line": 4, "column": 3, "loop": 0}
            row = {"executions": 4, "active": active, "lanes": 64, "workgroup": workgroup, "branches": [branch]}
            rows = [row if empty is None else {**row, "empty": empty}, *more]
            return self.advice(self.add(*[(1, 2, "lanes", json.dumps(r)) for r in rows]))[6, "load", "LDS"][0].split("executions: ")[1]
        branch = "line 4 `tile[threadIdx.x] = in[threadIdx.x]`"
        groups = "work-groups of 96 work-items leave 32 lanes of their last wavefront empty"
        self.assertEqual(said(4, empty=0), branch)
        self.assertEqual(said(100, empty=128), f"{branch}; {groups}")
        self.assertEqual(said(128, empty=128), groups)
        self.assertEqual(said(4), f"{branch}; {groups}")
        self.assertEqual(said(160, empty=96, workgroup=64), "work-groups at the end of the grid leave lanes empty")
        small = {"executions": 4, "active": 64, "empty": 192, "lanes": 64, "workgroup": 16, "branches": []}
        self.assertEqual(said(128, empty=128, more=[small]), "work-groups leave lanes of their last wavefronts empty")

    def triton(self, *rows, kernel="k<x=*fp32:16, n=i32, BLOCK=64, num_warps=2>", file="<made up>", text="tl.store(x, mask=i < n)", kind=2):
        """The store of line 6 in a kernel of Triton, whose text may have any name."""
        db = self.edit("b.db", ("UPDATE kernel SET name = ?", (kernel,)), "UPDATE code_object SET compiler = 'code=stock'",
                       ("UPDATE source_file SET path = ?, text = ? WHERE path = ?", (file, "\n" * 5 + text + "\n", self.path("transpose.hip"))),
                       ("UPDATE site SET kind = ? WHERE number = 4", (kind,)),
                       *[("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, (SELECT id FROM site WHERE number = 4), "
                          "'advice', ?, ?)", r) for r in rows])
        return [a for texts in self.advice(db).values() for a in texts]

    def test_idle_lanes_of_triton(self):
        """Masks are quoted from whatever file; one lane does what is no block; fewer warps leave as many lanes idle: of 200 of 256
        elements 50 of 64 lanes are active with one, two and four."""
        def row(active, path="<made up>"):
            return ("lanes", json.dumps({"executions": 4, "active": active, "empty": 0, "lanes": 64, "workgroup": 128,
                                         "branches": [{"file": path, "line": 6, "column": 3, "loop": 0}]}))
        some = "lanes active in 4 of the line's 32 executions: line 6"
        for name in ("<made up>", "/tmp/k.py"):
            self.assertEqual(self.triton(row(160, name), file=name), [f"40 of 64 {some} `mask=i < n`; a block nearer to the data's size leaves fewer idle"])
        self.assertEqual(self.triton(row(4), text="tl.store(x, tl.sum(a))"), [f"1 of 64 {some}; where it is no block, one lane does it for all"])
        self.assertEqual(self.triton(row(128), text="tl.store(x, a)"),
                         [f"32 of 64 {some}; masked out, or another lane has the same element: a block nearer to the data's size, or one with "
                          "an element for each lane, leaves fewer idle"])

    def test_global_of_triton(self):
        """Parts of one access are no fields of structures, and atomics have no wider form."""
        def row(kind, one_place, **more):
            return ("global", json.dumps({**json.loads(global_row(kind, 16, 256, 64, [0, 4, 8, 12])), **({"one_place": 1} if one_place else {}), **more}))
        fields = "lanes walk structures of 16 B, of which this kernel accesses bytes 0-15; with these in arrays of their own (structure of arrays): 256 -> 64 cache lines"
        self.assertEqual(self.triton(row("structures", False)), [fields])
        self.assertEqual(self.triton(row("structures", True)), ["neighbouring lanes are 16 B apart; side by side: 256 -> 64 cache lines"])
        self.assertEqual(self.triton(row("structures", True, whole=256)),
                         ["each lane accesses 16 B in 4 pieces: n may not be divisible by 16; pad to a multiple of 16, or, where 4 always divides "
                          "it, use n // 4 * 4 for n; in one piece: 256 -> 64 cache lines"])
        for kind in (3, 4):  # atomic, compare and swap
            self.assertEqual(self.triton(row("structures", True, whole=256), kind=kind),
                             ["each lane updates 4 neighbouring elements, one by one; with one for each lane (a smaller block, or more warps than "
                              "num_warps=2): 256 -> 64 cache lines"])
        self.assertEqual(self.triton(("global", global_row("pieces", 4, 90, 64, pieces=4, piece_bytes=64))),
                         ["lanes lie side by side in pieces of 64 B on average; in one piece, as of a block with longer rows: 90 -> 64 cache lines"])

    def test_library_that_came_compiled(self):
        """Observed by its instructions: why, but no change that nobody there can make. Of a program's own kernels both."""
        why, change = "neighbouring lanes are 512 B apart; side by side: 1,024 -> 64 cache lines", "8 of 64 lanes active in 16 of the line's 32 executions"
        lanes = json.dumps({"executions": 16, "active": 128, "empty": 0, "lanes": 64, "workgroup": 256, "branches": []})
        for name, said in (("librandom.so.1", [change]), ("librandom.so", [change]), ("program", [change, why]), ("a.source", [change, why])):
            db = self.edit("b.db", ("UPDATE code_object SET uri = ?", (f"file:///usr/lib/{name}#offset=4096&size=100",)),
                           "UPDATE site SET code_offset = 668, instruction = 'global_store_dword v0, v1, s[0:1]' WHERE number = 4",
                           *[("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(1, (SELECT id FROM site WHERE number = 4), "
                              "'advice', ?, ?)", row) for row in (("lanes", lanes), ("global", global_row("stride", 512, 1024, 64)))])
            self.assertEqual([[*a] for a in self.advice(db).values()], [said], name)

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
            (4, "load", "global"): ["in 1 of 2 dispatches, in 16 of the line's 32 executions: the lanes' lowest address does not start a cache line; "
                                    "at a multiple of 64 B: 80 -> 64 cache lines",
                                    "in a part of the line's executions: lanes lie side by side in pieces of 29 B on average; in one piece: 180 -> 128 cache lines"],
            (9, "load", "global"): ["in 1 of 2 dispatches: lanes walk structures of 16 B, of which this kernel accesses bytes 0-7, 12-15; "
                                    "with these in arrays of their own (structure of arrays): 256 -> 64 cache lines",
                                    "in 1 of 2 dispatches: no fixed distance between lanes (irregular): nothing found that helps"]})

    def test_which_access(self):
        """Two distances on one line contradict each other unless each sentence names its access, dispatches, or how many executions it is about."""
        def said(*rows, merged=1):
            db = self.edit("b.db", f"UPDATE site SET space = 1, isa_merged = {merged} WHERE number IN (2, 3)",  # loads of line 6, columns 15 and 31
                           *[("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES(?, (SELECT id FROM site WHERE "
                              "number = ?), 'advice', 'global', ?)", (dispatch, site, global_row("stride", stride, lines, 64)))
                             for dispatch, site, stride, lines in rows])
            explained = json.loads(self.expect(0, "explain", "--json", db).stdout)["findings"]
            why = [w for f in explained for w in f["why"] if "neighbouring lanes" in w]
            changes = [c["change"] for f in explained for c in f["changes"]]
            return [w.split("neighbouring")[0] for w in why], changes, self.advice(db)
        change = "lay what neighbouring lanes access side by side"

        def expect(rows, *which):
            self.assertEqual(said(*rows)[:2], (list(which), [w + change for w in which]))
        expect([(d, s, 512 if s == 2 else 64, 1024) for d in (1, 2) for s in (2, 3)], "column 15: ", "column 31: ")
        expect([(1, 4, 512, 1024), (2, 4, 64, 1024)], "in 1 of 2 dispatches: ", "in 1 of 2 dispatches: ")
        self.assertEqual([*said((1, 4, 512, 1024), (2, 4, 64, 1024))[2].values()],
                         [[f"in 1 of 2 dispatches: neighbouring lanes are {n} B apart; side by side: 1,024 -> 64 cache lines" for n in (512, 64)]])
        expect([(1, 2, 512, 1024), (2, 2, 256, 1024), (1, 3, 64, 1024), (2, 3, 64, 1024)],
               "column 15, in 1 of 2 dispatches: ", "column 15, in 1 of 2 dispatches: ", "column 31: ")
        expect([(1, 4, 512, 1024), (1, 4, 64, 1024)], *["in 16 of the line's 32 executions: "] * 2)  # copies of an unrolled loop
        expect([(d, s, 512, 1024) for d in (1, 2) for s in (2, 3)], "")
        # of many distances the six that cost most, in their order; 3 * 100 lines of the others become 3 * 64
        many = said(*[(1, 4, 1000 + i, 100 if i % 3 == 0 else 200 + i) for i in range(9)])
        self.assertEqual(len(many[0]), 6)
        told = [*many[2].values()][0]
        self.assertEqual([int(t.split(" B apart")[0].rsplit(" ", 1)[1]) for t in told[:-1]], [1001, 1002, 1004, 1005, 1007, 1008])
        self.assertEqual(told[-1], "3 more distances or causes, none of which would save more: 300 -> 192 cache lines in all")
        many = said(*[(1, 4, 1000 + i, 900 if i == 8 else 200) for i in range(9)])[2]
        self.assertEqual([int(t.split(" B apart")[0].rsplit(" ", 1)[1]) for t in [*many.values()][0][:-1]], [1000, 1001, 1002, 1003, 1004, 1008])
        expect([(1, 2, 512, 1024), (1, 3, -512, 1024), (2, 2, 512, 1024), (2, 3, -512, 1024)], "")
        one = [(d, 2, 512, 1024) for d in (1, 2)]  # of the other access there is nothing to say, unless one instruction does both
        expect(one, "")
        self.assertEqual(said(*one, merged=0)[0], ["column 15: "])

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
