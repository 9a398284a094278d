"""The runner of AMD's suites, with stand-ins for their binaries: every way in which a test can end has its own verdict."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cases  # noqa: E402
import gtest  # noqa: E402
import known  # noqa: E402
import ops  # noqa: E402
import script  # noqa: E402

loader = importlib.machinery.SourceFileLoader("suites_run", str(HERE / "run"))
suites_run = importlib.util.module_from_spec(importlib.util.spec_from_loader("suites_run", loader))
sys.modules["suites_run"] = suites_run
loader.exec_module(suites_run)

LIST = "Running main()\nAdd/0.  # TypeParam = int\n  Small\n  DISABLED_Old\nMul.\n  One  # GetParam() = 1\n"

# Tells timeout(1) that its time is over, once it waits for its child: one that does not know it yet would end and leave it behind.
OVER = "until grep -q '^State:.S' /proc/$PPID/status; do :; done; kill -ALRM $PPID"

FAKE = """#!/usr/bin/env python3
import json, os, signal, sys, time
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
        while "State:\\tS" not in open(f"/proc/{{os.getppid()}}/status").read():
            pass  # it waits by then: before it knows its child, timeout(1) would end and leave it behind
        os.kill(os.getppid(), signal.SIGALRM)  # it takes its time for over
        time.sleep(600)
    while how == "spin" and test.startswith("Mul"):
        pass
    print("[       OK ] " + test + " (0 ms)", flush=True)
suites = [dict(name="Add/0", testsuite=[dict(name="Small", status="RUN", time="0.5s")]),
          dict(name="Mul", testsuite=[dict(name="One", status="RUN", time="1s", failures=[dict(failure="1\\n!= 2")])])]
json.dump(dict(testsuites=suites), open(options["gtest_output"][5:], "w"))
sys.exit(1)
"""


THRUST = r"""#!/bin/sh
if [ "$1" = --list ]; then printf 'TestA\nTestB\nTestBig\nTest<a, b::c>\n'; exit 0; fi
printf 'Running 3 unit tests.\nRunning TestA...\r[PASS]      0.006 ms TestA\n'
printf 'Running TestB...\r[FAILURE]           TestB\n[b.cu:7] not equal\nRunning Test<a, b::c>...\r[KNOWN FAILURE]     Test<a, b::c>\n'
HOW
"""


# Runs a test for each record of its file, named after function and number; "bad1" fails, "die1" ends the process.
CASES = """#!/usr/bin/env python3
import json, os, sys
data = open(sys.argv[sys.argv.index("--data") + 1], "rb").read()
result = [a for a in sys.argv if a.startswith("--gtest_output=json:")][0][20:]
assert data.startswith(b"libX\\0" + bytes(range(200)) + b"LIBx\\0")
tests = []
for at in range(210, len(data), 200):
    name = data[at + 4 : at + 68].split(b"\\0")[0].decode() + str(data[at])
    print("[ RUN      ] S." + name, flush=True)
    if name == "die1":
        os.abort()
    tests.append(dict(name=name, time="1s", failures=[dict(failure="wrong")] if name == "bad1" else []))
    print("[       OK ] S." + name + " (0 ms)", flush=True)
json.dump(dict(testsuites=[dict(name="S", testsuite=tests)]), open(result, "w"))
sys.exit(any(t["failures"] for t in tests))
"""


def record(function, category, number):
    """200 bytes: 4 of other fields, three texts of 64, 4 of others."""
    texts = b"".join(text.encode().ljust(64, b"\0") for text in (function, "test", category))
    return number.to_bytes(4, "little") + texts + bytes(4)


class LocalRoot:
    """Runs in place of chroot."""

    prefix = "/nowhere"

    def inside(self, path):
        return pathlib.Path(path)

    def run(self, *command, **env):
        env.pop("LD_PRELOAD", None)
        done = subprocess.run(command, env={"PATH": os.environ["PATH"], **env}, capture_output=True, text=True)
        return argparse.Namespace(code=done.returncode, out=done.stdout, err=done.stderr)


class Suites(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix="lanescope-suites-")
        self.addCleanup(self.dir.cleanup)
        suites_run.Runner.folder = self.dir.name
        suites_run.LIST_SECONDS = 60  # a busy machine ends nothing that would end by itself

    def runner(self, text, kind="gtest", chosen="", seconds=60):
        path = pathlib.Path(self.dir.name, "test_fake")
        path.write_text(text)
        path.chmod(0o755)
        suite = suites_run.Suite("fake", kind, "sid", ["gfx90a"], [], f"{self.dir.name}/test_*", chosen, {})
        args = argparse.Namespace(jobs=1, seconds=seconds, binary=None, sample=9, seed="1", observe=False)
        return suites_run.Runner(LocalRoot(), suite, "gfx90a", args)

    def verdicts(self, how, seconds=60):
        runner = self.runner(FAKE.format(list=LIST, how=how), seconds=seconds)
        self.assertEqual(runner.binaries(), ["test_fake"])
        return [(o.test, o.verdict, o.reason) for o in runner.binary("test_fake")]

    def test_list(self):
        self.assertEqual(gtest.parse_list(LIST, ""), ["Add/0.Small", "Mul.One"])

    def test_failure(self):
        self.assertEqual(self.verdicts("end"), [("Add/0.Small", "passed", ""), ("Mul.One", "failed", "1 != 2")])

    def test_crash(self):
        self.assertEqual([v[:2] for v in self.verdicts("crash")], [("Add/0.Small", "passed"), ("Mul.One", "crashed")])

    def test_hang(self):
        self.assertEqual([v[:2] for v in self.verdicts("hang")], [("Add/0.Small", "passed"), ("Mul.One", "timed out")])

    @unittest.mock.patch.object(suites_run, "WALL", 300)
    def test_processor_time_is_limited(self):
        self.assertEqual([v[:2] for v in self.verdicts("spin", 2)], [("Add/0.Small", "passed"), ("Mul.One", "timed out")])

    def test_empty_lists_are_no_success(self):
        for text, verdict in (("exit 0", "crashed"), ("exit 3", "crashed"), (f"{OVER}; exec sleep 600", "timed out")):
            outcomes = self.runner(f"#!/bin/sh\n{text}\n").binary("test_fake")
            self.assertEqual([(o.test, o.verdict) for o in outcomes], [("(list)", verdict)], text)

    def test_filters_that_leave_nothing(self):
        text = "#!/bin/sh\n[ $# = 2 ] || printf 'Add.\\n  One\\n'\n"
        outcomes = self.runner(text, chosen="-*").binary("test_fake")
        self.assertEqual([(o.test, o.verdict) for o in outcomes], [("(list)", "skipped")])

    def test_suites_without_binaries_fail(self):
        runner = self.runner("")
        results = {}
        with contextlib.redirect_stderr(io.StringIO()):
            args = argparse.Namespace(**{**vars(runner.args), "binary": "nothing", "results": None})
            suites_run.run_suite(runner.root, runner.suite, "gfx90a", args, results)
        self.assertEqual(suites_run.summarise(results, io.StringIO()), 1)

    def test_thrust(self):
        text = THRUST.replace("HOW", "exit 1")
        self.assertEqual([(o.test, o.verdict, o.reason) for o in self.runner(text, "thrust", "-*Big*").binary("test_fake")],
                         [("Test<a, b::c>", "skipped", ""), ("TestA", "passed", ""), ("TestB", "failed", "[b.cu:7] not equal")])
        text = THRUST.replace("HOW", "printf 'Running TestD...'; kill -ABRT $$").replace("TestB", "TestD\nTestB", 1)
        self.assertEqual({o.test: o.verdict for o in self.runner(text, "thrust", "-*Big*").binary("test_fake")}["TestD"], "crashed")

    def test_scripts(self):
        text = "PASSED q8_0\nnoise\nSKIPPED f16: no\nFAILED f32: 'a' is not 'b: c'\n"
        self.assertEqual([(o.test, o.verdict, o.reason) for o in script.parse("llama.py", text)],
                         [("q8_0", "passed", ""), ("f16", "skipped", "no"), ("f32", "failed", "'a' is not 'b: c'")])

    def test_what_is_not_observed(self):
        runner = self.runner("")
        runner.note_unobserved("lanescope:   not observed: copyBuffer: compiled without Lanescope\n"
                               "lanescope:   not observed: 27 kernels of liba.so.0: compiled without Lanescope\n")
        runner.note_unobserved("lanescope:   not observed: 2 kernels of liba.so.0: compiled without Lanescope\n"
                               "lanescope:   not observed: 1 kernel of the runtime itself (as for fills and copies): compiled without Lanescope\n")
        self.assertEqual(runner.unobserved, {"copyBuffer": 1, "liba.so.0": 27, "the runtime itself (as for fills and copies)": 1})
        with self.assertRaises(SystemExit):
            runner.note_unobserved(2 * "lanescope:   not observed: 2 kernels of liba.so.0: compiled without Lanescope\n")

    def cases(self, *records, count=9):
        data = pathlib.Path(self.dir.name, "all.data")
        data.write_bytes(b"libX\0" + bytes(range(200)) + b"LIBx\0" + b"".join(records))
        runner = self.runner(CASES, "cases", f"quick {data}")
        runner.args.sample = count
        return [(o.test, o.verdict) for o in runner.binary("test_fake")]

    def test_cases(self):
        self.assertEqual(self.cases(record("good", "quick", 1), record("late", "nightly", 2)), [("S.good1", "passed")])
        self.assertEqual(self.cases(record("bad", "quick", 1)), [("S.bad1", "failed")])
        self.assertEqual(self.cases(record("die", "quick", 1)), [("S.die1", "crashed")])
        self.assertEqual(self.cases(record("late", "nightly", 2)), [("(all)", "crashed")])

    def test_samples_of_cases_are_broad(self):
        records = [record("many", "quick", n) for n in range(50)] + [record("one", "quick", 1), record("two", "quick", 1)]
        self.assertEqual({test[2:5] for test, _ in self.cases(*records, count=3)}, {"man", "one", "two"})
        self.assertEqual(len(self.cases(*records, count=10)), 10)

    def test_other_files_are_no_cases(self):
        source = pathlib.Path(self.dir.name, "other.data")
        for content in (b"", b"text\n", b"libX\0" + bytes(99), b"libX\0" + bytes(200) + b"LIBx\0" + bytes(150)):
            source.write_bytes(content)
            with self.assertRaises(ValueError, msg=content):
                cases.sample(source, source.with_suffix(".some"), "quick", 3, "1")

    def test_dashes_in_names(self):
        self.assertEqual(gtest.run_options(["a.b_-1", "c.d"], "x")[0], "--gtest_filter=a.b_?1:c.d")

    def test_lists_are_kept(self):
        runner = self.runner(FAKE.format(list=LIST, how="end"))
        os.utime(pathlib.Path(self.dir.name, "test_fake"), (1, 1))
        for _ in range(2):
            self.assertEqual(len(runner.binary("test_fake")), 2)
        self.assertEqual(pathlib.Path(self.dir.name, "fake", "lists").read_text(), "x")
        runner.gpu = "gfx1201"  # some suites have other tests for it
        runner.binary("test_fake")
        self.assertEqual(pathlib.Path(self.dir.name, "fake", "lists").read_text(), "xx")

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
        rows = [["s", "test_*", "Mul.*", "failed", "a reason"], ["u gfx1100", "*", "*", "failed", "another"]]
        self.assertEqual(known.cause(rows, "s", "gfx90a", gtest.Outcome("test_a", "Mul.One", "failed")), "a reason")
        self.assertIsNone(known.cause(rows, "s", "gfx90a", gtest.Outcome("test_a", "Mul.One", "crashed")))
        self.assertIsNone(known.cause(rows, "t", "gfx90a", gtest.Outcome("test_a", "Mul.One", "failed")))
        self.assertEqual(known.cause(rows, "u", "gfx1100", gtest.Outcome("test_a", "Mul.One", "failed")), "another")
        self.assertIsNone(known.cause(rows, "u", "gfx90a", gtest.Outcome("test_a", "Mul.One", "failed")))

    def test_tables(self):
        known.load()
        for suite in suites_run.load_suites():
            self.assertIn(suite.kind, ("gtest", "cases", "ops", "thrust", "script"))
            self.assertTrue(suite.kind != "ops" or suite.filter)
            self.assertTrue(suite.kind != "cases" or len(suite.filter.split()) == 2)
            if suite.kind == "script":
                self.assertTrue(all((HERE / "programs" / b).is_file() for b in suite.binaries.split(",")))
            self.assertEqual(suite.root == "host", not suite.packages)  # what is compiled here installs nothing

    def test_scripts_bring_their_packages(self):
        for suite in (s for s in suites_run.load_suites() if s.kind == "script"):
            for name in suite.binaries.split(","):
                text = (HERE / "programs" / name).read_text()
                for package in re.findall(r"/usr/libexec/\S*?([\w.]+-tests)/", text):
                    self.assertIn(package, suite.packages, name)

    def test_host(self):
        root = suites_run.Host("/made")
        self.assertEqual(root.inside("/tmp/x"), pathlib.Path("/tmp/x"))
        done = root.run("sh", "-c", 'echo "${PATH%%:*} $GPU $HERE"', GPU="soft")
        self.assertEqual((done.code, done.out), (0, "/made/stage/bin soft \n"))  # nothing of our environment


if __name__ == "__main__":
    unittest.main()
