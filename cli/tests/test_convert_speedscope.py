"""`lanescope convert --to speedscope`: checked by the rules of its file-format-spec.ts and importer, and against the folded stacks
of the same metric. Sums as in Folded of test_convert.py: cache lines, line 4 128, line 6 2048, line 9 inlined at line 7 256."""
import json
import os
import stat
import unittest

import test_times
from convert_case import ConvertCase

UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")


class Speedscope(ConvertCase):
    def convert(self, *databases, more=(), out="out.json"):
        self.told = self.expect(0, "convert", *databases, "--to", "speedscope", "-o", out, *more).stderr
        with open(self.path(out), encoding="utf-8") as f:
            self.text = f.read()
        return self.check(json.loads(self.text))

    def check(self, file):
        self.assertEqual(file["$schema"], "https://www.speedscope.app/file-format-schema.json")
        frames = file["shared"]["frames"]
        self.assertEqual(len({json.dumps(f, sort_keys=True) for f in frames}), len(frames))
        for f in frames:
            self.assertIsInstance(f["name"], str)
            self.assertLessEqual(set(f), {"name", "file", "line", "col"})
        used = set()
        for p in file["profiles"]:
            self.assertEqual((p["type"], p["startValue"]), ("sampled", 0))
            self.assertIn(p["unit"], UNITS)
            self.assertEqual(len(p["samples"]), len(p["weights"]))
            self.assertEqual(p["endValue"], min(sum(p["weights"]), (1 << 63) - 1))
            self.assertTrue(all(isinstance(w, int) and w > 0 for w in p["weights"]))
            for s in p["samples"]:
                self.assertTrue(s and all(0 <= i < len(frames) for i in s))
                used.update(s)
        self.assertEqual(used, set(range(len(frames))))
        self.assertLessEqual(0, file["activeProfileIndex"])
        return file

    def stacks(self, file, profile):
        names = [f["name"] + (f" {f['file']}:{f['line']}" if "file" in f else "") for f in file["shared"]["frames"]]
        return sorted((";".join(names[i] for i in s), w) for s, w in zip(profile["samples"], profile["weights"]))

    def test_stacks(self):
        file = self.convert(self.recording())
        names = [p["name"] for p in file["profiles"]]
        # metrics with sums: 4 of LDS (no address conflicts) and 7 of global memory
        self.assertEqual(len(names), 11)
        lines = file["profiles"][names.index("memory_coalescing.Cache Lines (lines)")]
        t = self.path("transpose.hip")
        kernel = test_times.TRANSPOSE
        self.assertEqual(self.stacks(file, lines), sorted([(f"{kernel};transpose {t}:4", 128), (f"{kernel};transpose {t}:6", 2048),
                                                           (f"{kernel};transpose {t}:7;helper {t}:9", 256)]))
        self.assertEqual({p["name"]: p["unit"] for p in file["profiles"] if p["unit"] != "none"},
                         {"memory_coalescing.Bytes (bytes)": "bytes"})
        self.assertEqual(file["name"], "./app --size 'a b'")

    def test_as_folded(self):
        """The same stacks as the other form has, of two databases."""
        a, b = self.recording(), self.recording("b.db", pid="12")
        for metric in ("Bank Conflict", "TA Requests"):
            file = self.convert(a, b, more=("--metric", metric), out=metric + ".json")
            [profile] = file["profiles"]
            folded = self.expect(0, "convert", a, b, "--to", "folded", "--metric", metric, "-o", "-").stdout.splitlines()
            self.assertEqual(self.stacks(file, profile), sorted((s, int(n)) for s, n in (line.rsplit(" ", 1) for line in folded)))

    def test_whole_dispatches_and_estimates(self):
        path = self.recording("a.db", "INSERT INTO dispatch_value SELECT d.id, m.id, 5 FROM dispatch d, metric m WHERE d.number = 1"
                                      " AND m.name = 'Bank Conflict'",
                              "UPDATE site SET isa_join = 0, estimate = 'it is not clear' WHERE number = 2")
        file = self.convert(path, more=("--metric", "Bank Conflict"))
        [profile] = file["profiles"]
        self.assertIn((test_times.TRANSPOSE, 5), self.stacks(file, profile))
        self.assertEqual(profile["name"], "lds_bank_conflicts.Bank Conflict (cycles), ~ holds estimates")

    def test_odd(self):
        largest = (1 << 63) - 1
        path = self.recording("a.db", f"UPDATE value SET value = {largest} WHERE metric = 4",
                              "UPDATE value SET value = -1 WHERE metric = 3")
        self.change(path, ("UPDATE kernel SET name = CAST(? AS TEXT) WHERE id = 1", (b"a\xff\x1b[31m;b",)),
                    "UPDATE frame SET function = ''")
        file = self.convert(path)
        names = {f["name"] for f in file["shared"]["frames"]}
        self.assertEqual(names, {"a\ufffd\x1b[31m;b", "(unknown function)"})
        self.assertNotIn("\x1b", self.text)
        self.assertIn("'lds_bank_conflicts.Index Accesses' has a negative sum", self.told)
        [conflicts] = [p for p in file["profiles"] if "Bank Conflict" in p["name"]]
        self.assertEqual(conflicts["endValue"], largest)
        self.assertIn("negative", self.expect(1, "convert", path, "--to", "speedscope", "--metric", "Index Accesses", "-o", "b").stderr)
        self.assertIn("is a ratio", self.expect(2, "convert", path, "--to", "speedscope", "--metric", "Coalescing", "-o", "b").stderr)
        self.assertFalse(os.path.exists(self.path("b")))

    def test_older_and_empty(self):
        self.old("old.db", self.recording())
        self.assertEqual(len(self.convert("old.db")["profiles"]), 11)
        empty = self.recording("b.db", *(f"DELETE FROM {t}" for t in ("value", "dispatch_value", "handler_row", "dispatch")))
        self.assertEqual(self.convert(empty, out="other.json")["profiles"], [])
        self.assertIn("no metric has a sum", self.told)

    def test_files(self):
        path = self.recording()
        os.chmod(path, 0o600)
        args = ["convert", path, "--to", "speedscope", "-o"]
        self.assertEqual(json.loads(self.expect(0, *args, "-").stdout), self.convert(path))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.json")).st_mode), 0o600)
        self.assertIn("--force to replace it", self.expect(1, *args, "out.json").stderr)
        self.assertIn("none.db", self.expect(3, *args, "new", "none.db").stderr)
        self.assertFalse(os.path.exists(self.path("new")))


if __name__ == "__main__":
    unittest.main()
