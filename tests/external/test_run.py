#!/usr/bin/env python3
"""Tests of the runner: the made-up programs, and verdicts on lines that real programs print."""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import corpus  # noqa: E402
import hardware_lines  # noqa: E402
import processes  # noqa: E402
import results  # noqa: E402
import sizes  # noqa: E402
import verdicts  # noqa: E402
import hardware  # noqa: E402  (its folder: from hardware_lines)

EXPECTED = {
    "absent.hip": "not run", "broken.hip": "not compiled", "crash.hip": "failed", "exit.hip": "failed",
    "fail.hip": "failed", "hang.hip": "timed out", "pass.hip": "passed", "silent.hip": "unchecked",
    "with-makefile/program": "passed",
}


def run(*options):
    command = [HERE / "run", HERE / "made-up", "--sizes", HERE / "made-up" / "sizes.tsv", "--timeout", "6", *options]
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


class Benchmarks(unittest.TestCase):
    """A checkout of rocPRIM, as folders that the runner takes for programs, and for which sizes.tsv has constants."""

    def test_programs_with_constants(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder) / "checkout" / "benchmark"
            sources.mkdir(parents=True)
            (sources / "benchmark_warp_scan.cpp").write_text("unsigned int Trials = 100\n")
            (sources / "benchmark_utils.hpp").write_text("engine_type gen{std::random_device{}()};\n")
            programs = pathlib.Path(folder) / "programs"
            subprocess.run([HERE / "rocprim-benchmarks", sources.parent, programs], check=True)
            self.assertEqual([(p.name, p.makefile) for p in corpus.find_programs(programs)], [("rocprim-warp_scan", "Makefile")])
            arguments, _, constants = sizes.find(sizes.read(), "rocprim-warp_scan")
            self.assertIsNone(arguments)
            sizes.change_constants([programs], constants)
            changed = programs / "rocprim-warp_scan"
            self.assertEqual((changed / "benchmark_warp_scan.cpp").read_text(), "unsigned int Trials=1\n")
            self.assertEqual((changed / "benchmark_utils.hpp").read_text(), "engine_type gen{1};\n")


def runner_module():
    loader = importlib.machinery.SourceFileLoader("runner", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
    loader.exec_module(module)
    return module


class Compiler(unittest.TestCase):
    """What stands in hipcc's place. Sources of C++ are HIP; `lanescope` says so itself, but not with -fopenmp (docs/cli.md)."""

    def words(self, compiler, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / compiler
            path.write_text('#!/bin/sh\necho "$@"\n')
            path.chmod(0o755)
            environment = {**os.environ, "EXTERNAL_COMPILER": f"{path} clang++ --offload-arch=gfx90a"}
            command = [HERE / "hip-compiler", "-c", *arguments]
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    def test_sources_are_hip(self):
        marked = "-x hip main.cu -x none"
        self.assertIn(marked, self.words("other", "main.cu"))
        self.assertIn(marked, self.words("other", "-fopenmp", "main.cu"))
        self.assertIn(marked, self.words("lanescope", "-fopenmp", "main.cu"))
        self.assertNotIn("-x", self.words("lanescope", "main.cu"))


class MadeUpPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = pathlib.Path(cls.folder.name) / "results.json"
        cls.done = run("--summary", "--weak", "2", "-j", "2", "--results", cls.file)
        cls.results = json.loads(cls.file.read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_verdicts(self):
        self.assertEqual({n: e["plain"]["verdict"] for n, e in self.results.items()}, EXPECTED)

    def test_profiled_runs_agree(self):
        profiled = {n: e["profile"]["verdict"] for n, e in self.results.items() if "profile" in e}
        self.assertEqual(profiled, {n: v for n, v in EXPECTED.items() if v not in ("not run", "not compiled")})

    def test_lines_are_those_of_the_original(self):
        for kind in ("lines", "summary"):
            have = self.results["pass.hip"][kind]
            # one wavefront loads and stores once
            self.assertEqual((have["verdict"], have["counted"], have["not_joined"], have["wrong"]), ("passed", 2, 0, []))
        self.assertNotIn("lines", self.results["exit.hip"])

    def test_weak_memory_changes_nothing(self):
        weak = {n: e["weak"]["verdict"] for n, e in self.results.items() if "weak" in e}
        self.assertEqual(weak, {n: v for n, v in EXPECTED.items() if v in ("passed", "unchecked")})

    def test_reasons(self):
        reasons = {n: e["plain"]["reason"] for n, e in self.results.items()}
        self.assertEqual(reasons["broken.hip"], "no header no/such/header.h")
        self.assertEqual(reasons["absent.hip"], "needs no/such/library.hpp")
        self.assertEqual(reasons["crash.hip"], "signal 6: this fails")
        self.assertEqual(reasons["exit.hip"], "exit code 3")
        self.assertEqual(reasons["fail.hip"], "value 3 is wrong")

    def test_table(self):
        self.assertEqual(self.done.returncode, 1)  # something failed
        self.assertIn("plain: 9 programs\n  passed            2   22.2 %", self.done.stdout)
        self.assertIn("40.0 % passed", self.done.stdout)  # 2 of 5
        self.assertNotIn("pass.hip", self.done.stdout)

    def test_what_is_in_the_results_is_not_run_again(self):
        before = self.file.stat().st_mtime_ns
        done = run("--results", self.file)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.file.stat().st_mtime_ns, before)
        self.assertIn("plain: 9 programs", done.stdout)

    def test_exit_code(self):
        passed, unchecked, failed = ({"plain": {"verdict": v}} for v in (verdicts.PASSED, verdicts.UNCHECKED, verdicts.FAILED))
        self.assertTrue(results.good({"a": passed, "b": unchecked}))
        self.assertFalse(results.good({"a": passed, "b": unchecked}, strict=True))
        self.assertTrue(results.good({"a": passed}, strict=True))
        self.assertFalse(results.good({"a": failed, "b": passed}))

    def test_filter_and_again(self):
        done = run("--filter", "^silent", "--results", self.file, "--again", "^unchecked: $", "-v")
        self.assertEqual(done.returncode, 0)
        self.assertIn("[1/1] silent.hip", done.stderr)


class Ended(unittest.TestCase):
    def test_programs_do_not_outlive_the_runner(self):
        with tempfile.TemporaryDirectory() as work:
            words = [HERE / "run", HERE / "made-up", "--filter", "^hang", "--timeout", "300", "--work", work]
            runner = subprocess.Popen([str(w) for w in words], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            self.wait_for(lambda: self.hanging(work) == 2)  # the program and its child
            runner.send_signal(signal.SIGTERM)
            self.assertEqual(runner.wait(30), 128 + signal.SIGTERM)
            self.wait_for(lambda: self.hanging(work) == 0)

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    @staticmethod
    def hanging(work):
        def executable(process):
            try:
                return os.readlink(process / "exe")
            except OSError:  # ended, or not ours
                return ""

        return sum(executable(p).startswith(f"{work}/plain/hang") for p in pathlib.Path("/proc").glob("[0-9]*"))


class Limits(unittest.TestCase):
    BUSY = ["sh", "-c", "(while :; do :; done) & wait"]

    def test_processor_time_of_all_processes_is_limited(self):
        done = processes.call(self.BUSY, "/", seconds=600, processor_seconds=0.2)
        self.assertEqual(done.late, "0.2 s of processor time")
        self.assertGreater(done.processor_seconds, 0.2)

    def test_time_is_limited(self):
        self.assertEqual(processes.call(["sleep", "1000"], "/", seconds=0.3, processor_seconds=9).late, "0.3 s")

    def test_size_of_output_is_limited(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["sh", "-c", "head -c 3000000 /dev/zero > log; sleep 1000"]
            done = processes.call(words, folder, output=folder, output_limit=2 << 20)
            self.assertEqual(done.late, f"2 MB in {os.path.basename(folder)}")

    def test_no_limit_reached(self):
        done = processes.call(["sh", "-c", "echo x; exit 4"], "/")
        self.assertEqual((done.late, done.status, done.output), ("", 4, "x\n"))


class Lines(unittest.TestCase):
    """What is made of several comparisons; the runs themselves are left out."""

    def lines(self, threads, verdicts_of):
        """The entry of a program that has verdicts_of[n] on n threads."""
        runner = object.__new__(runner_module().Runner)
        runner.args, runner.threads = argparse.Namespace(work=pathlib.Path("/nowhere"), summary=False), threads
        runner.execute = lambda *_, **__: processes.Result(0, "", 0, "")
        runner.original = lambda folder, script, n, kinds: {
            kind: {"verdict": verdicts_of[n], "reason": f"run on {n}"} for kind in kinds}
        return runner.lines(corpus.Program("x", "Makefile"), "./x")["lines"]

    def test_waves_that_race_are_compared_on_one_thread(self):
        have = self.lines(2, {2: verdicts.FAILED, 1: verdicts.PASSED})
        self.assertEqual(have, {"verdict": verdicts.PASSED, "reason": "run on 1 on one thread; on 2: run on 2"})

    def test_difference_on_one_thread_stays(self):
        have = self.lines(2, {2: verdicts.FAILED, 1: verdicts.FAILED})
        self.assertEqual(have, {"verdict": verdicts.FAILED, "reason": "run on 2"})
        self.assertEqual(self.lines(1, {1: verdicts.FAILED})["verdict"], verdicts.FAILED)

    def test_where_code_objects_are(self):
        code = b"\x7fELF".ljust(16, b"\0") + struct.pack("<HH", 3, hardware.EM_AMDGPU) + b"code"
        head = hardware.BUNDLE + struct.pack("<Q", 1)
        entry = b"hipv4-amdgcn-amd-amdhsa--gfx90a"
        at = len(head) + 24 + len(entry)
        bundle = head + struct.pack("<QQQ", at, len(code), len(entry)) + entry + code
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("a.hsaco", code), ("b.co", bundle), ("text", b"x"), ("empty", b"")):
                file = pathlib.Path(folder) / name
                file.write_bytes(content)
                self.assertEqual(hardware_lines.has_code_objects(file), name in ("a.hsaco", "b.co"))
                if name in ("a.hsaco", "b.co"):
                    self.assertEqual(hardware.code_objects(file), [code])


class Weak(unittest.TestCase):
    """What is made of runs under weak memory, which are left out."""

    def weak(self, outputs, strong=("fine", "fine")):
        """The entry of a program that prints `fine`, and outputs[n] with seed n + 1; without seeds, later, `strong`."""
        runner, again = object.__new__(runner_module().Runner), iter(strong)
        runner.args, runner.threads = argparse.Namespace(work=pathlib.Path("/nowhere"), weak=len(outputs)), 2

        def execute(*_, memory="strong", **__):
            text = next(again) if memory == "strong" else outputs[int(memory.removeprefix("weak:")) - 1]
            return processes.Result(0, text, 0, "")

        runner.execute = execute
        return runner.weak(corpus.Program("x", "Makefile"), "./x", {"status": 0, "verdict": verdicts.PASSED}, "fine")

    def test_same_output(self):
        self.assertEqual(self.weak(["fine", "fine"])["verdict"], verdicts.PASSED)

    def test_another_output_with_one_seed(self):
        have = self.weak(["fine", "not so"])
        self.assertEqual((have["verdict"], have["reason"]), (verdicts.FAILED, "other output with seeds [2]"))

    def test_output_that_always_differs(self):
        self.assertEqual(self.weak(["fine", "1"], ("fine", "2"))["verdict"], verdicts.UNCHECKED)


class Reuse(unittest.TestCase):
    def test_programs_are_built_once(self):
        with tempfile.TemporaryDirectory() as work:
            built = pathlib.Path(work) / "plain" / "with-makefile" / "program" / "external-build.log"
            words = ("--filter", "^with", "--work", work, "--reuse")
            self.assertEqual(run(*words).returncode, 0)
            before = built.stat().st_mtime_ns
            self.assertEqual(run(*words).returncode, 0)
            self.assertEqual(built.stat().st_mtime_ns, before)
            self.assertEqual(run(*words[:-1]).returncode, 0)
            self.assertNotEqual(built.stat().st_mtime_ns, before)


class Selection(unittest.TestCase):
    def test_samples_depend_on_names_and_grow(self):
        programs = [corpus.Program(f"src/{i}-hip", "Makefile") for i in range(1000)]
        half = [p for p in programs if corpus.percentile(p) < 50]
        self.assertTrue(450 < len(half) < 550)  # within three standard deviations of 500
        self.assertLessEqual({p for p in programs if corpus.percentile(p) < 20}, set(half))
        # echo -n src/0-hip | sha256sum | head -c 8: 0b18e31f
        self.assertAlmostEqual(corpus.percentile(programs[0]), 100 * 0x0B18E31F / 2**32, 6)

    def test_programs_are_found(self):
        found = {p.name: p.makefile for p in corpus.find_programs(HERE / "made-up")}
        self.assertEqual(found, {n: "Makefile" if n.startswith("with") else None for n in EXPECTED})

    def test_nothing_found_is_an_error(self):
        done = run("--filter", "^nothing")
        self.assertEqual((done.returncode, done.stderr.endswith("no program found\n")), (1, True))

    def test_shards_divide_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"{i}.json" for i in (1, 2)]
            for i, file in enumerate(files, 1):
                run("--shard", f"{i}/2", "--filter", "^(absent|broken|exit)", "--results", file)
            names = [sorted(json.loads(f.read_text())) for f in files]
        self.assertEqual(names, [["absent.hip", "exit.hip"], ["broken.hip"]])


class Sizes(unittest.TestCase):
    TABLE = {"a-hip": ("1 2", None, ""), "src/b-hip": ("-", "fine", "N=4")}

    def test_an_entry_names_the_end_of_the_path(self):
        self.assertEqual(sizes.find(self.TABLE, "src/a-hip"), ("1 2", None, ""))
        self.assertEqual(sizes.find(self.TABLE, "x/src/b-hip"), (None, "fine", "N=4"))
        self.assertEqual(sizes.find(self.TABLE, "src/aa-hip"), (None, None, ""))

    def test_arguments_of_the_last_command_are_replaced(self):
        self.assertEqual(sizes.apply("./main 100 5\n", "8"), "./main 8\n")
        self.assertEqual(sizes.apply("cp a b\n ./main 100 > log\n", "8"), "cp a b\n./main 8> log\n")
        self.assertEqual(sizes.apply("./main 9 9\ncp a b\n./main 100", "8"), "cp a b\n./main 8")
        self.assertEqual(sizes.apply("./main 100\n#./main 200\n", "8"), "./main 8\n#./main 200\n")
        self.assertEqual(sizes.apply("./main 100", None), "./main 100")

    def test_constants_are_changed_where_they_are_defined(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cu"
            source.write_text("#define N 100 // points\nconst int REPEAT = 2e3;\nint x = N * REPEAT;\n")
            sizes.change_constants([folder], "N=8 REPEAT=1")
            self.assertEqual(source.read_text(), "#define N 8 // points\nconst int REPEAT = 1 ;\nint x = N * REPEAT;\n")
            self.assertRaises(ValueError, sizes.change_constants, [folder], "M=1")

    def test_sizes_without_a_name_are_changed_everywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cu"
            source.write_text("for (i = 0; i < 1 << 20; i++) f(1 << 20);\n")
            sizes.change_constants([folder], r"/1\s<<\s20/64/")
            self.assertEqual(source.read_text(), "for (i = 0; i < 64; i++) f(64);\n")
            self.assertRaises(ValueError, sizes.change_constants, [folder], "/1<<20/64/")

    def test_constants_of_a_folder_beside_are_changed_in_a_copy(self):
        root, program = HERE / "made-up", corpus.Program("with-makefile/program", "Makefile")
        with tempfile.TemporaryDirectory() as work:
            folder = corpus.make_copy(root, program, work)
            for value in ("4", "8"):  # a second time from the original again
                (beside,) = corpus.copy_neighbours(root, program, work)
                sizes.change_constants([folder, beside], f"LIMIT={value}")
                self.assertEqual((folder.parent / "beside" / "limit.h").read_text().split()[-1], value)
        self.assertIn("LIMIT 16", (root / "with-makefile" / "beside" / "limit.h").read_text())

    def test_the_committed_table_is_well_formed(self):
        self.assertTrue(sizes.read())


class Verdicts(unittest.TestCase):
    def verdict(self, output, status=0):
        return verdicts.judge(output, status)[0]

    def test_success(self):
        for text in ("PASS", "Test passed\n", "Results match", "0 errors\nSUCCESS", "errors: 0, verified", "PASS\nerror rate 0.1"):
            self.assertEqual(self.verdict(text), "passed", text)

    def test_failure(self):
        for text in (
            "FAIL", "PASS\nFAIL", "ERROR at 5: 3 != 4", "Mismatch at 7", "12 errors", "errors: 3", "errors: 0.5",
            "results do not match", "NOT PASSED", "hipErrorOutOfMemory", "HIP error: 700", "verification failed", "incorrect",
        ):
            self.assertEqual(self.verdict("correct\n" + text), "failed", text)

    def test_colours_hide_no_words(self):
        self.assertEqual(self.verdict("\x1b[0;32mPASSED!\x1b[0m"), "passed")
        self.assertEqual(self.verdict("PASSED\n\x1b[1mFAILED!\x1b[0m"), "failed")

    def test_measured_errors_are_no_verdict(self):
        for text in ("max error: 1.2e-7", "L2 error = 0.25", "Error: 0.001", "mean absolute error 3", "Error (L2norm): 6e-09"):
            self.assertEqual(self.verdict(text), "unchecked", text)

    def test_exit_status_counts_more_than_claims(self):
        self.assertEqual(verdicts.judge("PASS", 2), ("failed", "exit code 2"))
        self.assertEqual(verdicts.judge("PASS", -11), ("failed", "signal 11"))
        self.assertEqual(verdicts.judge("PASS", 139), ("failed", "signal 11"))  # as a shell tells it
        self.assertEqual(verdicts.judge("PASS", 255), ("failed", "exit code 255"))

    def test_absent_input_is_no_failure(self):
        for text in ("Error Reading graph file ../data/x.txt", "Failed to open file x.bin. Exit", "cannot open data/a.mtx",
                     "error opening a db"):
            self.assertEqual(self.verdict(text, 1), "not run", text)
        self.assertEqual(self.verdict("Error: The file was not opened", -11), "not run")
        self.assertEqual(self.verdict("File input.hpp cannot be opened for read.", 255), "not run")
        self.assertEqual(self.verdict("Invalid infile.\nUsage: ./main infile", 1), "not run")
        self.assertEqual(verdicts.judge("sh: 1: convert: not found\nAborted", -6), ("not run", "no command convert"))
        self.assertEqual(self.verdict("cannot open /dev/kfd", 1), "failed")
        self.assertEqual(self.verdict("cannot open data/a.mtx\nFAIL", 0), "failed")

    def test_input_beside_the_program_must_exist(self):
        folder = HERE / "made-up" / "with-makefile" / "program"
        self.assertIsNone(verdicts.absent_input("./main ../beside/limit.h out/../new.txt -o ./x", folder))
        self.assertEqual(verdicts.absent_input("./main ../beside/limit.h -f ../beside/b.txt", folder), "../beside/b.txt")
        self.assertIsNone(verdicts.absent_input("echo running ../beside/limit.h...", folder))
        self.assertIsNone(verdicts.absent_input('if [ -f "../beside/b.txt" ]; then cat ../beside/b.txt; fi', folder))
        self.assertIsNone(verdicts.absent_input("cd ../beside && ../main/main -f ../beside/b.txt", folder))

    def test_times_are_not_compared(self):
        first, second = "sum 5\nkernel time: 3.1 ms\n", "sum 5\nkernel time: 4.0 ms\n"
        self.assertEqual(verdicts.comparable(first), verdicts.comparable(second))
        self.assertNotEqual(verdicts.comparable("sum 5"), verdicts.comparable("sum 6"))


class Compared(unittest.TestCase):
    """`compare`: two results files."""

    def compare(self, second, *options):
        first = {"a": ("passed", "sum 5"), "b": ("passed", "sum 6\ntime 3 ms"), "c": ("failed", "sum 7")}
        with tempfile.TemporaryDirectory() as folder:
            for name, programs in (("first", first), ("second", second)):
                entries = {n: {"plain": {"verdict": v, "reason": "", "status": 0, "output": o}} for n, (v, o) in programs.items()}
                pathlib.Path(folder, name).write_text(json.dumps(entries))
            done = subprocess.run([HERE / "compare", *options, "first", "second"], cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_alike(self):
        code, out = self.compare({"a": ("passed", "sum 5"), "b": ("passed", "sum 6\ntime 4 ms"), "d": ("passed", "")})
        self.assertEqual((code, out), (0, ["2 programs in both; of 2 that passed in the first and ended in the second, 2 passed there, too"]))

    def test_verdict_and_output(self):
        second = {"a": ("failed", "sum 4"), "b": ("passed", "sum 6"), "c": ("passed", "sum 7")}
        code, out = self.compare(second)
        self.assertEqual(out[:6], ["a", "    passed / failed", "    -sum 5", "    +sum 4", "c", "    failed / passed"])
        self.assertEqual((code, len(out)), (1, 7))
        self.assertEqual(self.compare(second, "--least", "50")[0], 0)


if __name__ == "__main__":
    unittest.main()
