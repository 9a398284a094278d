"""--json of the verbs that print: one object with schema and version, texts as they are stored, and the numbers of
results/tests/sample.c."""
import json
import os
import re
import sqlite3
import unittest

from common import HERE, Case
from hostile import fill

NAME = "k\x1b[2J\x7f\x9b\u202e\n\"\\=1</script>"


class Json(Case):
    def setUp(self):
        super().setUp()
        self.db = self.sample()

    def json(self, verb, *args, code=0, **more):
        r = self.expect(code, verb, *args, *([] if "--json" in args else ["--json"]), **more)
        self.assertNotIn("\x1b", r.stdout)
        root = json.loads(r.stdout)
        if verb != "query":
            version = self.expect(0, "--version").stdout.split()[1]
            self.assertEqual((root["schema"], root["version"]), (f"lanescope-{verb}/1", version))
        return root

    def load(self, name):
        with open(self.path(name)) as f:
            return json.load(f)

    def rename(self, path, name):
        with sqlite3.connect(path) as db:
            db.execute("UPDATE kernel SET name = ?, mangled = ? WHERE mangled = '_Z9transpose'", (name, name))
            changed = db.execute("UPDATE kernel SET name = ? WHERE name LIKE 'transpose%'", (name,)).rowcount
        db.close()
        self.assertTrue(changed)

    def keys(self, value, inside=None):
        """All keys of objects, but those that are names of handlers, metrics and columns that handlers chose."""
        for key, v in value.items() if isinstance(value, dict) else ((inside, v) for v in value) if isinstance(value, list) else ():
            if isinstance(value, dict):
                yield key
            if not isinstance(v, dict) or key not in ("metrics", "row"):
                yield from self.keys(v, key)

    def test_every_field_is_described(self):
        fill(self.db)
        told = set(re.findall(r"`(\w+)(?:\[\])?`", open(os.path.join(HERE, "../../docs/cli.md")).read()))
        for verb, *words in (("report", self.db), ("report", "--as", "gfx90a", self.db), ("summary", self.db), ("annotate", self.db),
                             ("explain", self.db), ("diff", "--all", self.db, self.db), ("gate", "--json=-", self.db, self.db),
                             ("check", self.db), ("info",), ("list",), ("list", "gpus"), ("list", "metrics", self.db), ("list", "kernels", self.db)):
            found = set(self.keys(json.loads(self.lanescope(verb, *words, *([] if verb == "gate" else ["--json"])).stdout)))
            self.assertEqual(found - told, set(), verb)
            self.assertTrue(verb != "report" or "accesses" in found)

    def test_info(self):
        root = self.json("info")
        self.assertIn({"name": "advice", "problem": None}, root["handlers"])
        self.assertTrue(root["pieces"]["software_gpu"].endswith("/liblanescope-softgpu.so"))
        self.assertEqual(set(root), {"schema", "version", "directory", "llvm", "handlers", "pieces", "rocr", "hip", "kfd", "gpu",
                                     "sqlite", "jansson"})

    def test_list(self):
        root = self.json("list")
        self.assertEqual(set(root), {"schema", "version", "handlers", "metrics", "gpus"})
        self.assertIn("lds_bank_conflicts", [h["name"] for h in root["handlers"]])
        things = [m for m in root["metrics"] if m["name"] == "Things"]
        self.assertEqual(things[0], {"handler": "fake", "name": "Things", "unit": "things", "description": "what was counted",
                                     "ratio": False})
        gpus = {g["name"]: g for g in self.json("list", "gpus")["gpus"]}
        self.assertEqual(gpus["gfx950"]["option"], "soft:gfx950")
        self.assertEqual(gpus["gfx90a"]["cache_lines"], {"l1_bytes": 64, "l2_bytes": 128, "assumed": False})
        self.assertEqual(gpus["gfx1201"]["option"], "soft:gfx1201")
        self.assertIsNone(gpus["gfx1103"]["option"])
        # docs/runtimes.md: the runtimes that know each
        self.assertEqual([gpus[g]["needs"] for g in ("gfx90a", "gfx950", "gfx1100", "gfx1201", "gfx1103")],
                         ["ROCr and HIP 5.2", "ROCr 6.4 and HIP 7", "ROCr and HIP 6.4", "ROCr and HIP 6.4", None])
        text = self.expect(0, "list", "gpus").stdout
        self.assertRegex(text, r"soft:gfx1100 +software GPU, as RX 7900 XTX \(RDNA3\).*\n +needs ROCr and HIP 6\.4 or later\n")
        self.rename(self.db, NAME)
        kernels = {k["name"]: k for k in self.json("list", "kernels", self.db)["kernels"]}
        # Excess: 1,080 conflict cycles, and lines 2,048 - 128 and 256 - 128 beyond need.
        self.assertEqual((kernels[NAME]["excess"], kernels[NAME]["dispatches"], kernels[NAME]["observed"]),
                         (1080 + 1920 + 128, 3, 2))
        self.assertEqual(kernels[NAME]["worst_line"]["line"], 6)
        metrics = self.json("list", "metrics", self.db)["metrics"]
        self.assertIn(("memory_coalescing", "Cache Lines"), [(m["handler"], m["name"]) for m in metrics])
        self.expect(2, "list", "--json", "kernels")
        self.expect(3, "list", "--json", "kernels", self.path("none.db"))

    def test_summary(self):
        self.rename(self.db, NAME)
        root = self.json("summary", self.db)
        self.assertEqual({k: root["counts"][k] for k in ("instrumented", "observed", "instructions", "instructions_observed",
                                                         "dropped")},
                         {"instrumented": 1, "observed": 2, "instructions": 9, "instructions_observed": 6, "dropped": 0})
        worst = {h["handler"]: h["worst"] for h in root["handlers"]}
        self.assertEqual((worst["lds_bank_conflicts"]["kernel"], worst["lds_bank_conflicts"]["line"],
                          worst["lds_bank_conflicts"]["metrics"]["Bank Conflict"]), (NAME, 6, 1080))
        self.assertEqual(worst["memory_coalescing"]["metrics"]["Cache Lines"], 2048)
        self.assertEqual(len(root["databases"]), 1)
        self.assertEqual(self.json("summary", self.db, self.path("none.db"), code=3)["counts"], root["counts"])

    def test_check(self):
        with sqlite3.connect(self.db) as db:
            db.execute("PRAGMA foreign_keys = OFF")
            db.execute("UPDATE handler_row SET json = 'no'")
            db.execute("INSERT INTO handler_row(dispatch, handler, table_name, json) VALUES(1, 'h', 't', 'no')")
        db.close()
        good = self.sample("good.db")
        root = self.json("check", good, self.db, self.path("none\x1b.db"), code=3)
        first, second, third = root["databases"]
        self.assertEqual((first["good"], first["state"], first["schema_version"], first["problems"]), (True, "complete", 1, []))
        self.assertEqual((second["good"], second["error"]), (False, None))
        self.assertIn("handler row is no JSON", [p["problem"] for p in second["problems"]])
        self.assertEqual((third["good"], third["path"]), (False, self.path("none\x1b.db")))
        self.assertIn("No such file", third["error"])
        self.json("check", self.db, code=1)

    def test_annotate(self):
        self.rename(self.db, NAME)
        root = self.json("annotate", self.db)
        (file,) = root["files"]
        self.assertEqual((file["short"], file["kernels"]), ("transpose.hip", [NAME]))
        lines = {line["line"]: line for line in file["lines"]}
        six = lines[6]
        self.assertEqual(six["metrics"]["lds_bank_conflicts"]["Bank Conflict"], 1080)
        self.assertEqual(six["metrics"]["memory_coalescing"]["Cache Lines"], 2048)
        self.assertEqual((six["executions"], six["excess"]), (64 + 32, 1080 + 1920))
        self.assertIn("// \"x\", y", six["source"])
        self.assertEqual(self.json("annotate", self.db, "transpose.hip")["files"], root["files"])
        self.expect(1, "annotate", "--json", self.db, "none.hip")
        self.expect(0, "annotate", "--json", "-o", self.path("out.json"), self.db)
        self.assertEqual(self.load("out.json"), root)

    def test_query_and_explain(self):
        self.rename(self.db, NAME)
        sql = "SELECT name, 1 AS n FROM kernel ORDER BY name DESC"
        rows = self.json("query", self.db, sql)
        self.assertIn({"name": NAME, "n": 1}, rows)
        self.assertEqual(rows, json.loads(self.expect(0, "query", "--format", "json", self.db, sql).stdout))
        root = self.json("explain", self.db)
        self.assertEqual((root["findings"][0]["line"], root["omitted"]), (6, 0))
        self.assertEqual(root, json.loads(self.expect(0, "explain", "--format", "json", self.db).stdout))

    def test_diff_and_report(self):
        self.rename(self.db, NAME)
        other = self.sample("b.db")
        self.rename(other, NAME)
        self.assertEqual({k["name"] for k in self.json("diff", self.db, other)["kernels"] if k["lines"]}, {NAME})
        self.assertIn(NAME, [k["name"] for k in self.json("report", self.db)["kernels"]])

    def test_gate(self):
        new = self.sample("new.db")
        with sqlite3.connect(new) as db:
            db.execute("UPDATE value SET value = 2 * value WHERE value = 480")  # site 2: conflicts of one dispatch, twice
        db.close()
        root = self.json("gate", self.db, new, "--json", "-", code=1)
        self.assertEqual((root["open"], root["failed"], root["fail_on"]), (False, 1, "worse"))
        (failed,) = [c for c in root["checks"] if c["state"] == "failed"]
        self.assertEqual((failed["line"], failed["access"], failed["address_space"]), (6, "load", "LDS"))
        (number,) = failed["numbers"]
        # 1,080 before; site 2 has 2 * 480 of them, twice as much is 2 * 480 more.
        self.assertEqual((number["metric"], number["before"], number["after"], number["verdict"]),
                         ("Bank Conflict", 1080, 1080 + 960, "worse"))
        self.assertAlmostEqual(number["change_percent"], 100 * 960 / 1080)
        r = self.expect(0, "gate", self.db, self.db, "--json", "gate.json")
        self.assertIn("ok: none of", r.stdout)
        root = self.load("gate.json")
        self.assertEqual((root["open"], root["failed"], root["baseline"]), (True, 0, [self.db]))

    def test_config(self):
        self.assertEqual(json.loads(self.expect(0, "config", "--json", "--gpu", "soft").stdout)["gpu"], "soft:gfx90a")


if __name__ == "__main__":
    unittest.main()
