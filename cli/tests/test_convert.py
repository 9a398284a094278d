"""`lanescope convert`. The recording has the times of test_times.py, process 11, and ends at 9000000 ns. Sums: convert_case.py."""
import csv
import itertools
import json
import os
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import time
import unittest

import test_times
from common import LANESCOPE, environment
from convert_case import SUMS, ConvertCase

# Columns of rocprofv3 1.0.0 (ROCm 7), out of its CSV writer.
HEADS = {
    "kernel_trace": "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,"
                    "End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,"
                    "Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z",
    "memory_copy_trace": "Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,"
                         "End_Timestamp",
    "marker_api_trace": "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp",
    "counter_collection": "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Id,Kernel_Name,"
                          "Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Counter_Name,"
                          "Counter_Value,Start_Timestamp,End_Timestamp",
    "agent_info": "Node_Id,Logical_Node_Id,Agent_Type,Cpu_Cores_Count,Simd_Count,Cpu_Core_Id_Base,Simd_Id_Base,"
                  "Max_Waves_Per_Simd,Lds_Size_In_Kb,Gds_Size_In_Kb,Num_Gws,Wave_Front_Size,Num_Xcc,Cu_Count,Array_Count,"
                  "Num_Shader_Banks,Simd_Arrays_Per_Engine,Cu_Per_Simd_Array,Simd_Per_Cu,Max_Slots_Scratch_Cu,Gfx_Target_Version,"
                  "Vendor_Id,Device_Id,Location_Id,Domain,Drm_Render_Minor,Num_Sdma_Engines,Num_Sdma_Xgmi_Engines,"
                  "Num_Sdma_Queues_Per_Engine,Num_Cp_Queues,Max_Engine_Clk_Ccompute,Max_Engine_Clk_Fcompute,Sdma_Fw_Version,"
                  "Fw_Version,Capability,Cu_Per_Engine,Max_Waves_Per_Cu,Family_Id,Workgroup_Max_Size,Grid_Max_Size,"
                  "Local_Mem_Size,Hive_Id,Gpu_Id,Workgroup_Max_Dim_X,Workgroup_Max_Dim_Y,Workgroup_Max_Dim_Z,Grid_Max_Dim_X,"
                  "Grid_Max_Dim_Y,Grid_Max_Dim_Z,Name,Vendor_Name,Product_Name,Model_Name"}


class Convert(ConvertCase):
    def convert(self, *databases, out="out"):
        return self.expect(0, "convert", *databases, "--to", "csv", "-o", out)

    def raw(self, name, out="out"):
        with open(os.path.join(self.path(out), name + ".csv"), newline="") as f:
            return f.read()

    def rows(self, name, out="out"):
        return list(csv.reader(self.raw(name, out).splitlines()))[1:]

    def test_heads(self):
        self.convert(self.recording())
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(f"11_{name}.csv" for name in HEADS))
        for name, head in HEADS.items():
            with self.subTest(name):
                table = list(csv.reader(self.raw("11_" + name).splitlines()))
                self.assertEqual(table[0], head.split(","))
                self.assertEqual({len(row) for row in table}, {len(table[0])})

    def test_kernels(self):
        self.convert(self.recording())
        lines = self.raw("11_kernel_trace").split("\r\n")
        self.assertEqual(lines[1], '"KERNEL_DISPATCH","Agent 1",1,0,7,1,1,"transpose(float*, float const*)",1,1000000,1001500,'
                                   '4096,0,8,0,16,256,1,1,1024,1,1')
        self.assertEqual(lines[4], '"KERNEL_DISPATCH","Agent 1",2,0,7,4,2,"Cijk_gemm",4,4000000,4001500,'
                                   '4096,0,0,0,0,256,1,1,1024,1,1')
        self.assertEqual(len(lines), 6)  # after the last one nothing follows

    def test_copies_and_markers(self):
        """Four dispatches come first: copies are correlated from 5, markers from 9."""
        self.convert(self.recording())
        self.assertEqual([",".join(row) for row in self.rows("11_memory_copy_trace")],
                         ["MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,0,Agent 0,Agent 1,5,1000500,1002500",
                          "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,0,Agent 0,Agent 1,6,1001000,1003000",
                          "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_HOST,0,Agent 1,Agent 0,7,2001000,2001500",
                          "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_HOST,0,Agent 1,Agent 0,8,0,0"])
        self.assertEqual([",".join(row) for row in self.rows("11_marker_api_trace")],
                         ["MARKER_CORE_API,here,11,7,9,950000,950000", "MARKER_CORE_RANGE_API,step,11,7,10,999000,2500000",
                          "MARKER_CORE_RANGE_API,step,11,8,11,2900000,3000000",
                          "MARKER_CORE_RANGE_API,late,11,7,12,3900000,9000000"])

    def test_counters(self):
        self.convert(self.recording())
        rows = self.rows("11_counter_collection")
        times = {1: ["1000000", "1001500"], 2: ["2000000", "2002500"]}
        expected = [[str(d), str(d), "Agent 1", "1", "11", "7", "1024", "1", test_times.TRANSPOSE, "256", "4096", "0", "8",
                     "0", "16", f"{handler}.{metric}", str(value), *times[d]]
                    for d in times for handler, metrics in SUMS.items() for metric, value in metrics.items()]
        self.assertEqual(sorted(rows), sorted(expected))

    def test_agents(self):
        self.convert(self.recording())
        host, gpu = csv.DictReader(self.raw("11_agent_info").splitlines())
        self.assertEqual({k: v for k, v in host.items() if v}, {"Node_Id": "0", "Logical_Node_Id": "0", "Agent_Type": "CPU"})
        self.assertEqual({k: v for k, v in gpu.items() if v},
                         {"Node_Id": "1", "Logical_Node_Id": "1", "Agent_Type": "GPU", "Wave_Front_Size": "64", "Cu_Count": "4",
                          "Name": "gfx90a", "Product_Name": "soft"})

    def test_processes_stay_apart(self):
        """Two processes with one number, as of two hosts: alike from two files and from their merge, but for ids of kernels."""
        a, b = self.recording(), self.recording("b.db", "DELETE FROM marker", "UPDATE copy SET bytes = 1, end_ns = 1003500"
                                                " WHERE number = 1")
        self.expect(0, "merge", a, b, "-o", "all.db")
        self.convert(a, b)
        self.convert("all.db", out="merged")
        self.assertEqual(len(os.listdir(self.path("out"))), 10)
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(os.listdir(self.path("merged"))))
        for name in HEADS:
            for prefix in ("11_", "11-2_"):
                parts, merged = [list(csv.DictReader(self.raw(prefix + name, out).splitlines())) for out in ("out", "merged")]
                for row in parts + merged:
                    row.pop("Kernel_Id", None)
                self.assertEqual(parts, merged, prefix + name)
        self.assertEqual(len(self.rows("11_marker_api_trace")), 4)
        self.assertEqual(self.rows("11-2_marker_api_trace"), [])
        self.assertEqual(self.rows("11-2_memory_copy_trace")[0][-1], "1003500")

    def test_texts_of_others(self):
        """Rows stay rows, and no cell becomes a formula."""
        path = self.recording("a.db", "UPDATE kernel SET name = '=1+1' WHERE id = 2",
                              "UPDATE marker SET text = 'a \"b\", c' || char(10) || 'd' WHERE text = 'late'")
        self.convert(path)
        self.assertEqual(self.rows("11_kernel_trace")[3][7], "'=1+1")
        self.assertEqual(self.rows("11_marker_api_trace")[3][1], 'a "b", c\\nd')

    def test_software_times_are_told(self):
        path = self.recording("a.db", "UPDATE process SET gpu = 'soft:gfx90a'")
        self.assertIn("the software GPU's", self.convert(path).stderr)
        self.change(path, "UPDATE process SET gpu = 'gfx90a'")
        self.assertEqual(self.convert(path, out="other").stderr, "")

    def test_estimates_are_told(self):
        path = self.recording("a.db", "UPDATE process SET gpu = 'gfx90a'")
        self.change(path, "UPDATE site SET isa_join = 0, estimate = 'it is not clear' WHERE number = 2")
        self.assertIn("may hold estimates", self.convert(path).stderr)
        for part in ("UPDATE process SET options = '{\"sample_waves\": \"4\"}'", "UPDATE dispatch SET dropped = 1 WHERE observed"):
            path = self.recording("b.db", "UPDATE process SET gpu = 'gfx90a'", part)
            self.assertIn("a part of the wavefronts", self.convert(path, out=str(len(part))).stderr)

    def test_modes(self):
        path = self.recording()
        os.chmod(path, 0o600)
        self.convert(path)
        for name in os.listdir(self.path("out")):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.path("out"), name)).st_mode), 0o600, name)

    def refuse(self, code, said, *args):
        self.assertIn(said, self.expect(code, "convert", *args).stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_nothing_is_replaced(self):
        path = self.recording()
        os.mkdir(self.path("full"))
        self.write("full/11_kernel_trace.csv", "mine")
        self.write("file", "mine")
        for name in ("full", "file"):
            r = self.expect(1, "convert", path, "--to", "csv", "-o", name)
            self.assertIn(name, r.stderr)
        self.assertEqual(os.listdir(self.path("full")), ["11_kernel_trace.csv"])
        for name in ("full/11_kernel_trace.csv", "file"):
            with open(self.path(name)) as f:
                self.assertEqual(f.read(), "mine")
        os.mkdir(self.path("empty"))
        self.convert(path, out="empty")
        self.assertEqual(len(os.listdir(self.path("empty"))), 5)

    FORMS = (["csv"], ["rocpd"], ["json"], ["pftrace"], ["speedscope"], ["folded", "--metric", "Bank Conflict"])

    def contents(self, name):
        """Of a file, or of the files in a folder."""
        path = self.path(name)
        names = sorted(os.listdir(path)) if os.path.isdir(path) else [None]
        files = {}
        for inner in names:
            with open(os.path.join(path, inner) if inner else path, "rb") as f:
                files[inner] = f.read()
        return files

    def test_force(self):
        """What is replaced is replaced when all is written; what has other names stays, as do recordings and what links lead to."""
        path = self.recording()
        for form in self.FORMS:
            with self.subTest(form):
                folder = form[0] in ("csv", "rocpd")
                out = "out-" + form[0]
                args = ["convert", path, "--to", *form, "-o", out]
                self.expect(0, *args)
                first = self.contents(out)
                self.assertIn("--force", self.expect(1, *args).stderr)
                mine = sorted(first)[0]
                if folder:
                    self.write(out + "/notes", "mine")
                    self.write(f"{out}/{mine}", "old")
                else:
                    self.write(out, "old")
                os.chmod(self.path(f"{out}/{mine}" if folder else out), 0o600)
                self.expect(0, *args, "--force")
                after = self.contents(out)
                if folder:
                    self.assertEqual(after.pop("notes"), b"mine")
                self.assertEqual(list(after), list(first))
                if form[0] != "rocpd":
                    self.assertEqual(after, first)
                self.assertEqual(os.stat(self.path(f"{out}/{mine}" if folder else out)).st_mode & 0o777, 0o600)
                # A failure leaves what was there.
                self.expect(3, "convert", path, "none.db", *args[2:], "--force")
                self.assertEqual({**after, **({"notes": b"mine"} if folder else {})}, self.contents(out))

    def test_force_has_bounds(self):
        path = self.recording()
        self.write("precious", "mine")
        os.mkdir(self.path("folder"))
        for form in self.FORMS:
            with self.subTest(form):
                folder = form[0] in ("csv", "rocpd")
                name = {"csv": "folder/11_kernel_trace.csv", "rocpd": "folder/11_results.db"}.get(form[0], "out")
                args = ["convert", path, "--to", *form, "--force", "-o", "folder" if folder else "out"]
                os.symlink(self.path("precious"), self.path(name))
                self.assertIn("symbolic link", self.expect(1, *args).stderr)
                os.remove(self.path(name))
                other = self.sample(name, "12")
                before = self.contents(name)
                self.assertIn("is a recording", self.expect(1, *args).stderr)
                self.assertEqual(self.contents(name), before)
                os.remove(other)
                os.mkdir(self.path(name))
                self.expect(1, *args)
                os.rmdir(self.path(name))
                self.assertEqual(os.listdir(self.path("folder")), [])
        self.assertIn("no folder", self.expect(1, "convert", path, "--to", "csv", "--force", "-o", "precious").stderr)
        self.assertEqual(self.text("precious"), "mine")
        self.assertIn("is a recording", self.expect(1, "convert", path, "--to", "json", "--force", "-o", path).stderr)

    def test_errors_leave_nothing(self):
        path = self.recording()
        self.refuse(3, "none.db", path, "none.db", "--to", "csv", "-o", "out")
        self.refuse(3, "would count twice", path, path, "--to", "csv", "-o", "out")
        self.refuse(2, "give csv, ", path, "--to", "xml", "-o", "out")
        self.refuse(2, "--to", path, "-o", "out")
        self.refuse(2, "-o OUT", path, "--to", "csv")
        self.refuse(2, "no database", "--to", "csv", "-o", "out")

    def of_processes(self, n):
        """With a GPU, code and a kernel of their own, as of a merge."""
        path = self.recording()
        many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT %d) " % n
        db = sqlite3.connect(path)

        def copies(table, **columns):
            names = [row[1] for row in db.execute("PRAGMA table_info(%s)" % table)]
            chosen = ", ".join(columns.get(name, '"%s"' % name) for name in names)
            db.execute(many + "INSERT INTO %s SELECT %s FROM n, (SELECT * FROM %s LIMIT 1)" % (table, chosen, table))

        copies("process", id="1000 + x", pid="1000 + x", guid="'g' || x")
        copies("agent", id="100000 + x", process="1000 + x")
        copies("code_object", id="100000 + x", agent="100000 + x")
        copies("kernel", id="100000 + x", code_object="100000 + x")
        copies("dispatch", id="100000 + x", process="1000 + x", kernel="100000 + x", agent="100000 + x")
        copies("handler_row", id="100000 + x", dispatch="100000 + x", handler="'wave_timeline'", table_name="'waves'", site="NULL")
        db.commit()
        db.close()
        return path

    def test_as_many_processes_as_a_file_may_hold(self):
        """A look at what all have for each of them took ten minutes."""
        n = 30000
        self.expect(0, "convert", self.of_processes(n), "--to", "pftrace", "-o", "out")
        self.assertGreater(os.path.getsize(self.path("out")), 100 * n)

    def test_processes_have_code_of_their_own(self):
        n = 30
        path = self.of_processes(n)
        code = json.loads(self.expect(0, "convert", path, "--to", "json", "-o", "-").stdout)["rocprofiler-sdk-tool"]
        self.assertEqual(len(code), n + 1)
        for one in code[1:]:
            self.assertEqual((len(one["code_objects"]), [k["code_object_id"] for k in one["kernel_symbols"] if k["kernel_name"]]),
                             (1, [one["code_objects"][0]["code_object_id"]]))

    def test_sums_saturate(self):
        """Of three sites each with the largest number."""
        largest = (1 << 63) - 1
        path = self.recording("a.db", f"UPDATE value SET value = {largest} WHERE metric = 4")
        self.convert(path)
        self.assertEqual({row[16] for row in self.rows("11_counter_collection") if row[15].endswith("Bank Conflict")}, {str(largest)})

    def test_no_room(self):
        """A limit on the size of files, as of a full disk: told, and nothing is left. Each form needs more than 1 KiB."""
        path = self.recording()
        for form, force in itertools.product(("csv", "rocpd", "json", "pftrace", "speedscope"), ([], ["--force"])):
            done = subprocess.run([LANESCOPE, "convert", path, "--to", form, *force, "-o", "out"], cwd=self.dir, capture_output=True, text=True,
                                  env=environment(), timeout=60, preexec_fn=lambda: (
                                      signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))))
            self.assertEqual(done.returncode, 1, (form, done.stderr))
            self.assertRegex(done.stderr, r"(out|/11_\w+\.(csv|db)): cannot write the (output: File too large|file: )", form)
            self.assertFalse(os.path.exists(self.path("out")), form)

    def test_an_interrupt_leaves_nothing(self):
        """While another process writes the second database, reading it waits: then comes the signal. Should all have been written
        already, it is tried again."""
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")
        for form in ("csv", "rocpd", "json", "pftrace"):
            for _ in range(20):
                writer = sqlite3.connect(b)
                writer.execute("BEGIN EXCLUSIVE")
                convert = subprocess.Popen([LANESCOPE, "convert", a, b, "--to", form, "-o", "out"], cwd=self.dir, env=environment(),
                                           stderr=subprocess.DEVNULL)
                while convert.poll() is None and not os.path.exists(self.path("out")):
                    time.sleep(0.01)
                convert.send_signal(signal.SIGTERM)
                convert.wait(300)
                writer.rollback()
                writer.close()
                if convert.returncode == -signal.SIGTERM:
                    break
                shutil.rmtree(self.path("out"), True)
            self.assertEqual((form, convert.returncode), (form, -signal.SIGTERM))
            self.assertFalse(os.path.exists(self.path("out")), form)

    def test_dangling_rows_are_not_dropped(self):
        for i, statement in enumerate(("UPDATE dispatch SET kernel = 99 WHERE number = 4", "UPDATE copy SET source = 99",
                                       "UPDATE marker SET process = 99", "UPDATE dispatch SET agent = 99",
                                       "UPDATE value SET metric = 99 WHERE metric = 1",
                                       "DELETE FROM dispatch WHERE number = 1", "DELETE FROM site WHERE number = 5",
                                       "DELETE FROM kernel WHERE id = 1", "DELETE FROM metric WHERE id = 1")):
            path = self.recording(f"{i}.db", statement)
            for form in ("csv", "rocpd", "json", "pftrace", "speedscope", "folded --metric Executions"):
                with self.subTest(statement, form=form):
                    self.refuse(3, "nothing; `lanescope check` tells more", path, "--to", *form.split(" "), "-o", "out")


class Folded(ConvertCase):
    """Cache lines, twice (two dispatches): line 4 64, line 6 1024, line 9 as inlined at line 7 128. No other kernel has numbers."""

    def folded(self, metric, *databases):
        out = self.expect(0, "convert", *databases, "--to", "folded", "--metric", metric, "-o", "-").stdout
        return out.replace(self.path("transpose.hip"), "FILE").splitlines()

    def test_stacks(self):
        kernel = test_times.TRANSPOSE
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")
        self.assertEqual(sorted(self.folded("Cache Lines", a)),
                         [f"{kernel};transpose FILE:4 128", f"{kernel};transpose FILE:6 2048",
                          f"{kernel};transpose FILE:7;helper FILE:9 256"])
        self.assertEqual(sorted(self.folded("Cache Lines", a, b)),
                         [f"{kernel};transpose FILE:4 256", f"{kernel};transpose FILE:6 4096",
                          f"{kernel};transpose FILE:7;helper FILE:9 512"])
        self.assertEqual(self.folded("Bank Conflict", a), [f"{kernel};transpose FILE:6 1080"])  # line 4 has none

    def test_what_is_of_no_place(self):
        """5 of a whole dispatch stand at the kernel itself; semicolons in a name make no frames."""
        path = self.sample()
        self.change(path, "INSERT INTO dispatch_value SELECT d.id, m.id, 5 FROM dispatch d, metric m"
                          " WHERE d.number = 1 AND m.name = 'Bank Conflict'")
        self.change(path, "UPDATE kernel SET name = 'a;b' WHERE id = 1")
        self.assertEqual(self.folded("Bank Conflict", path), ["a,b;transpose FILE:6 1080", "a,b 5"])

    def test_estimates_are_marked(self):
        path = self.sample()
        self.change(path, "UPDATE site SET isa_join = 0, estimate = 'it is not clear' WHERE number = 2")
        self.assertEqual(self.folded("Bank Conflict", path), [f"{test_times.TRANSPOSE};transpose FILE:6 ~ 1080"])
        path = self.sample("part.db")
        self.change(path, "UPDATE dispatch SET dropped = 1 WHERE observed")
        self.assertEqual(self.folded("Bank Conflict", path), [f"{test_times.TRANSPOSE};transpose FILE:6 ~ 1080"])

    def test_files(self):
        path = self.sample()
        os.chmod(path, 0o600)
        args = ["convert", path, "--to", "folded", "--metric", "Bank Conflict", "-o", "out"]
        self.expect(0, *args)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out")).st_mode), 0o600)
        with open(self.path("out")) as f:
            self.assertTrue(f.read().endswith(":6 1080\n"))
        self.write("out", "mine")
        self.assertIn("--force to replace it", self.expect(1, *args).stderr)
        with open(self.path("out")) as f:
            self.assertEqual(f.read(), "mine")

    def test_metrics_that_make_no_stacks(self):
        path = self.sample()
        for code, said, more in ((2, "is a ratio", ["--metric", "Coalescing"]), (2, "is no metric", ["--metric", "x"]),
                                 (2, "--metric is missing", [])):
            self.assertIn(said, self.expect(code, "convert", path, "--to", "folded", "-o", "out", *more).stderr)
        self.change(path, "UPDATE value SET value = -1000 WHERE metric = 4")  # Bank Conflict
        self.assertIn("negative", self.expect(1, "convert", path, "--to", "folded", "-o", "out", "--metric",
                                              "Bank Conflict").stderr)
        self.assertIn("has all", self.expect(2, "convert", path, "--to", "csv", "-o", "out", "--metric", "Bytes").stderr)
        self.assertIn("--to is missing", self.expect(2, "convert", path, "-o", "out").stderr)
        self.assertIn("--output is missing", self.expect(2, "convert", path, "--to", "csv").stderr)
        self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main()
