"""`lanescope convert --to json` as scripts read rocprofv3's JSON: kernels by their place in kernel_symbols, kinds by their place in
strings, counters and agents by handle. Times as in test_times.py; sums as in convert_case.py."""
import json
import os
import stat
import unittest

import test_times
from convert_case import SUMS, ConvertCase


class Json(ConvertCase):
    def convert(self, *databases, out="out.json"):
        self.told = self.expect(0, "convert", *databases, "--to", "json", "-o", out).stderr
        with open(self.path(out), encoding="utf-8") as f:
            self.text = f.read()
        return json.loads(self.text)["rocprofiler-sdk-tool"]

    def kind(self, data, record):
        kind = data["strings"]["buffer_records"][record["kind"]]
        return kind["kind"], kind["operations"][record["operation"]]

    def test_kernels(self):
        [data] = self.convert(self.recording())
        found = []
        for d in data["buffer_records"]["kernel_dispatch"]:
            info = d["dispatch_info"]
            self.assertEqual(self.kind(data, d), ("KERNEL_DISPATCH", "KERNEL_DISPATCH_COMPLETE"))
            self.assertEqual((info["workgroup_size"], info["grid_size"], info["group_segment_size"], info["private_segment_size"]),
                             ({"x": 256, "y": 1, "z": 1}, {"x": 1024, "y": 1, "z": 1}, 4096, 0))
            symbol = data["kernel_symbols"][info["kernel_id"]]
            self.assertEqual(symbol["kernel_id"], info["kernel_id"])
            found.append((d["start_timestamp"], d["end_timestamp"], info["queue_id"]["handle"], d["thread_id"],
                          d["submit_timestamp"], info["dispatch_id"], symbol["formatted_kernel_name"]))
            [agent] = [a for a in data["agents"] if a["id"] == info["agent_id"]]
            self.assertEqual((agent["type"], agent["name"], agent["cu_count"], agent["wave_front_size"]), (2, "gfx90a", 4, 64))
        self.assertEqual(found, [(*d, name) for d, name in zip(test_times.DISPATCHES, [test_times.TRANSPOSE] * 3 + ["Cijk_gemm"])])
        regions = {e["key"]: e["value"] for e in data["strings"]["correlation_id"]["external"]}
        self.assertEqual(regions, {1: "step", 2: "step", 3: "step"})

    def test_counters(self):
        [data] = self.convert(self.recording())
        names = {c["id"]["handle"]: c["name"] for c in data["counters"]}
        expected = {f"{handler}.{metric}": value for handler, metrics in SUMS.items() for metric, value in metrics.items()}
        found = {c["dispatch_data"]["dispatch_info"]["dispatch_id"]: {names[r["counter_id"]["handle"]]: r["value"] for r in c["records"]}
                 for c in data["callback_records"]["counter_collection"]}
        self.assertEqual(found, {1: expected, 2: expected})

    def test_copies_and_markers(self):
        [data] = self.convert(self.recording())
        self.assertEqual([(self.kind(data, c)[1], c["src_agent_id"]["handle"], c["dst_agent_id"]["handle"], c["bytes"],
                           c["start_timestamp"], c["end_timestamp"], c["correlation_id"]["internal"])
                          for c in data["buffer_records"]["memory_copy"]],
                         [("MEMORY_COPY_HOST_TO_DEVICE", 0, 1, 4096, 1000500, 1002500, 5),
                          ("MEMORY_COPY_HOST_TO_DEVICE", 0, 1, 1000, 1001000, 1003000, 6),
                          ("MEMORY_COPY_DEVICE_TO_HOST", 1, 0, 8, 2001000, 2001500, 7),
                          ("MEMORY_COPY_DEVICE_TO_HOST", 1, 0, 2, 0, 0, 8)])
        texts = {m["key"]: m["value"] for m in data["strings"]["marker_api"]}
        self.assertEqual([(*self.kind(data, m), texts[m["correlation_id"]["internal"]], m["thread_id"], m["start_timestamp"],
                           m["end_timestamp"], m.get("lanescope_open", False)) for m in data["buffer_records"]["marker_api"]],
                         [("MARKER_CORE_API", "roctxMarkA", "here", 7, 950000, 950000, False),
                          ("MARKER_CORE_RANGE_API", "roctxThreadRangeA", "step", 7, 999000, 2500000, False),
                          ("MARKER_CORE_RANGE_API", "roctxThreadRangeA", "step", 8, 2900000, 3000000, False),
                          ("MARKER_CORE_RANGE_API", "roctxProcessRangeA", "late", 7, 3900000, 9000000, True)])

    def test_metadata(self):
        [data] = self.convert(self.recording())
        meta = data["metadata"]
        self.assertEqual((meta["pid"], meta["node"]["hostname"], meta["command"], meta["fini_time"]),
                         (11, "node1", ["./app", "--size", "a b"], 9000000))
        self.assertEqual(meta["lanescope"]["schema"], "lanescope-rocprofv3/1")
        self.assertEqual((meta["lanescope"]["time_source"], meta["lanescope"]["times_tell_about_a_gpu"]), ("software GPU", False))

    def test_source_lines(self):
        """Cache lines of two dispatches, as in Folded of test_convert.py: line 4 128, line 6 2048, line 9 inlined at line 7 256."""
        [data] = self.convert(self.recording())
        [counter] = [c["id"] for c in data["counters"] if c["name"] == "memory_coalescing.Cache Lines"]
        found = [([(f["function"], f["line"]) for f in a["frames"]], a["kind"], a["address_space"], a["isa"], r["value"])
                 for a in data["source_lines"] for r in a["records"] if r["counter_id"] == counter]
        self.assertEqual(sorted(found), sorted([
            ([("transpose", 4)], "load", "global", "global_load_dword", 128),
            ([("transpose", 6)], "store", "global", "global_store_dword", 2048),
            ([("helper", 9), ("transpose", 7)], "load", "global", "global_load_dword", 256)]))
        self.assertEqual({a["kernel_id"] for a in data["source_lines"]}, {1})
        self.assertEqual({f["file"] for a in data["source_lines"] for f in a["frames"]}, {self.path("transpose.hip")})

    def test_several(self):
        a, b = self.recording(), self.recording("b.db", "DELETE FROM marker", "UPDATE value SET value = 3 * value WHERE metric = 9")
        self.expect(0, "merge", a, b, "-o", "all.db")
        parts, merged = self.convert(a, b), self.convert("all.db", out="merged.json")
        self.assertEqual(len(parts), 2)
        self.assertEqual(parts[1]["strings"]["marker_api"], [])
        for part, one in zip(parts, merged):
            for key in ("counters", "kernel_symbols", "callback_records", "buffer_records", "agents"):
                for x in (part, one):
                    for symbol in x["kernel_symbols"]:
                        symbol.pop("code_object_id", None)
                self.assertEqual(part[key], one[key], key)
        sums = [sum(r["value"] for a in p["source_lines"] for r in a["records"] if r["counter_id"]["handle"] == 9) for p in merged]
        self.assertEqual(sums, [2432, 3 * 2432])  # 1216 cache lines, two dispatches

    def test_odd(self):
        largest = (1 << 63) - 1
        path = self.recording("a.db", f"UPDATE value SET value = {largest} WHERE metric = 4")
        self.change(path, ("UPDATE kernel SET name = CAST(? AS TEXT) WHERE id = 2", (b"=a\xff\x1b[31m\"b",)),
                    ("UPDATE marker SET text = ? WHERE text = 'late'", ("x\n\u202ey\u00e4</script>",)),
                    ("UPDATE process SET argv = ?", ('["a", 1, ["b"], "c\\u0007"]',)))
        [data] = self.convert(path)
        self.assertEqual(data["kernel_symbols"][2]["formatted_kernel_name"], "=a\ufffd\x1b[31m\"b")
        self.assertIn("x\n\u202ey\u00e4</script>", [m["value"] for m in data["strings"]["marker_api"]])
        self.assertEqual(data["metadata"]["command"], ["a", "c\x07"])
        self.assertFalse([c for c in self.text if c in "\x1b\u202e\x07"])  # fit to be printed
        self.assertEqual({r["value"] for c in data["callback_records"]["counter_collection"] for r in c["records"]
                          if r["counter_id"]["handle"] == 4}, {largest})

    def test_older_and_empty(self):
        self.old("old.db", self.recording())
        empty = self.recording("b.db", *(f"DELETE FROM {t}" for t in ("value", "dispatch_value", "handler_row", "dispatch", "copy",
                                                                       "marker")))
        old, none = self.convert("old.db", empty)
        self.assertEqual([d["submit_timestamp"] for d in old["buffer_records"]["kernel_dispatch"]], [None] * 4)
        self.assertEqual((none["buffer_records"]["kernel_dispatch"], none["source_lines"]), ([], []))

    def test_files(self):
        path = self.recording()
        os.chmod(path, 0o600)
        args = ["convert", path, "--to", "json", "-o"]
        out = self.expect(0, *args, "-").stdout
        self.assertEqual(json.loads(out), {"rocprofiler-sdk-tool": self.convert(path)})
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.json")).st_mode), 0o600)
        self.assertIn("--force to replace it", self.expect(1, *args, "out.json").stderr)
        self.assertIn("would count twice", self.expect(3, "convert", path, path, "--to", "json", "-o", "new").stderr)
        self.assertIn("lead to nothing", self.expect(3, "convert", self.recording("c.db", "UPDATE kernel SET code_object = 99"),
                                                       "--to", "json", "-o", "new").stderr)
        self.assertFalse(os.path.exists(self.path("new")))


if __name__ == "__main__":
    unittest.main()
