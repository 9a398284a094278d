"""The runner of AMD's suites, with stand-ins for their binaries: every way in which a test can end has its own verdict."""

import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gtest  # noqa: E402
import known  # noqa: E402
import ops  # noqa: E402

loader = importlib.machinery.SourceFileLoader("suites_run", str(HERE / "run"))
suites_run = importlib.util.module_from_spec(importlib.util.spec_from_loader("suites_run", loader))
sys.modules["suites_run"] = suites_run
loader.exec_module(suites_run)

LIST = "Running main()\nAdd/0.  # TypeParam = int\n  Small\n  DISABLED_Old\nMul.\n  One  # GetParam() = 1\n"

FAKE = """#!/usr/bin/env python3
import json, os, sys, time
options = dict(a[2:].split("=", 1) if "=" in a else (a[2:], "") for a in sys.argv[1:])
if "gtest_list_tests" in options:
    open("lists", "a").write("x")
    print({list!r}, end="")
    sys.exit(0)
how = {how!r}
for test in options["gtest_filter"].split(":"):
    print("[ RUN      ] " + test, flush=True)
    if how == "crash" and test.startswith("Mul"):
        os.abort()
    if how == "hang" and test.startswith("Mul"):
        time.sleep(60)
    print("[       OK ] " + test + " (0 ms)", flush=True)
suites = [dict(name="Add/0", testsuite=[dict(name="Small", status="RUN", time="0.5s")]),
          dict(name="Mul", testsuite=[dict(name="One", status="RUN", time="1s", failures=[dict(failure="1\\n!= 2")])])]
json.dump(dict(testsuites=suites), open(options["gtest_output"][5:], "w"))
sys.exit(1)
"""


class LocalRoot:
    """Runs in place of chroot."""

    def inside(self, path):
        return pathlib.Path(path)

    def run(self, *command, **env):
        env.pop("LD_PRELOAD")
        done = subprocess.run(command, env={"PATH": os.environ["PATH"], **env}, capture_output=True, text=True)
        return argparse.Namespace(code=done.returncode, out=done.stdout, err=done.stderr)


class Suites(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix="lanescope-suites-")
        self.addCleanup(self.dir.cleanup)
        suites_run.Runner.folder = self.dir.name

    def runner(self, text, kind="gtest", chosen="", seconds=2):
        path = pathlib.Path(self.dir.name, "test_fake")
        path.write_text(text)
        path.chmod(0o755)
        suite = suites_run.Suite("fake", kind, "sid", ["gfx90a"], [], f"{self.dir.name}/test_*", chosen, {})
        args = argparse.Namespace(jobs=1, seconds=seconds, binary=None, sample=9, seed="1")
        return suites_run.Runner(LocalRoot(), suite, "gfx90a", args)

    def verdicts(self, how):
        runner = self.runner(FAKE.format(list=LIST, how=how), seconds=2)
        self.assertEqual(runner.binaries(), ["test_fake"])
        return [(o.test, o.verdict, o.reason) for o in runner.binary("test_fake")]

    def test_list(self):
        self.assertEqual(gtest.parse_list(LIST), ["Add/0.Small", "Mul.One"])

    def test_failure(self):
        self.assertEqual(self.verdicts("end"), [("Add/0.Small", "passed", ""), ("Mul.One", "failed", "1 != 2")])

    def test_crash(self):
        self.assertEqual([v[:2] for v in self.verdicts("crash")], [("Add/0.Small", "passed"), ("Mul.One", "crashed")])

    def test_hang(self):
        self.assertEqual([v[:2] for v in self.verdicts("hang")], [("Add/0.Small", "passed"), ("Mul.One", "timed out")])

    def test_lists_are_kept(self):
        runner = self.runner(FAKE.format(list=LIST, how="end"))
        os.utime(pathlib.Path(self.dir.name, "test_fake"), (1, 1))
        for _ in range(2):
            self.assertEqual(len(runner.binary("test_fake")), 2)
        self.assertEqual(pathlib.Path(self.dir.name, "fake", "lists").read_text(), "x")

    def test_samples_have_a_seed(self):
        names = [f"T.{i}" for i in range(100)]
        self.assertEqual(gtest.sample(names, 5, "1"), gtest.sample(reversed(names), 5, "1"))
        self.assertNotEqual(gtest.sample(names, 5, "1"), gtest.sample(names, 5, "2"))

    def test_operations(self):
        text = ("  ADD(type=f32,ne=[1,1,8,1]): \x1b[1;32mOK\x1b[0m\n  ADD(type=f16): not supported [ROCm0] \n"
                "  MUL(type=f32): [MUL] NMSE = 0.5 > 0.0000001 \x1b[1;31mFAIL\x1b[0m\n  MUL(type=f16): ")
        self.assertEqual([(o.test, o.verdict) for o in ops.parse("b", text)],
                         [("ADD(type=f32,ne=[1,1,8,1])", "passed"), ("ADD(type=f16)", "skipped"),
                          ("MUL(type=f32)", "failed"), ("MUL(type=f16)", "crashed")])

    def test_operations_that_end_badly(self):
        runner = self.runner('#!/bin/sh\necho "  $3(a): OK"\n[ $3 = ADD ] || exit 3\n', "ops", "ADD,MUL,SUB")
        self.assertEqual([(o.test, o.verdict) for o in runner.binary("test_fake")],
                         [("ADD(a)", "passed"), ("MUL(a)", "passed"), ("MUL", "crashed"), ("SUB(a)", "passed"),
                          ("SUB", "crashed")])

    def test_causes(self):
        rows = [["s", "test_*", "Mul.*", "failed", "a reason"]]
        self.assertEqual(known.cause(rows, "s", gtest.Outcome("test_a", "Mul.One", "failed")), "a reason")
        self.assertIsNone(known.cause(rows, "s", gtest.Outcome("test_a", "Mul.One", "crashed")))
        self.assertIsNone(known.cause(rows, "t", gtest.Outcome("test_a", "Mul.One", "failed")))

    def test_tables(self):
        known.load()
        for suite in suites_run.load_suites():
            self.assertIn(suite.kind, ("gtest", "ops"))
            self.assertTrue(suite.kind == "gtest" or suite.filter)


if __name__ == "__main__":
    unittest.main()
