"""lanescope run: what the program gets, what becomes of its exit, where results go."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

from common import Case, HERE, LANESCOPE, LIBDIR, environment, preloads

SHOW = [sys.executable, os.path.join(HERE, "show_env.py")]


@preloads
class Environment(Case):
    def shown(self, *options, **more):
        r = self.expect(0, "run", "--gpu", "soft", *options, "--", *SHOW, FAKE_TOOL="none", **more)
        return json.loads(r.stdout)

    def test_names_do_not_depend_on_the_programs_directory(self):
        os.mkdir(self.path("own"))
        for name in ("own/a.so", "b.so"):
            shutil.copy(os.path.join(LIBDIR, "handlers", "lds_bank_conflicts.so"), self.path(name))
        got = self.shown("--handlers", "own/a.so:x=1,advice,./b.so,memory_coalescing:file=c/d", "--access-log", "acc.log")["env"]
        here = os.path.realpath(self.dir)
        self.assertEqual(got["LANESCOPE_HANDLERS"],
                         f"{here}/own/a.so:x=1,advice,{here}/./b.so,memory_coalescing:file=c/d")
        self.assertEqual(got["LANESCOPE_SOFT_ACCESS_LOG"], here + "/acc.log")
        self.assertEqual(got["LANESCOPE_DIRECTORY"], here)

    def test_variables_of_the_tool_library(self):
        got = self.shown("-o", "x", "--kernel-include-regex", "gemm", "--kernel-exclude-regex", "^Cijk",
                         "--kernel-iteration-range", "[1-2],[5-8]", "--sample-waves", "1/8", "--blocks", "0:2,1",
                         "--ring-size", "64M", "--chunk-size", "8K", "--on-full", "drop", "--soft-threads", "3",
                         "--access-log", "log.%p", "--soft-poison=7", "--log-level", "debug",
                         "--handlers", "lds_bank_conflicts:opt=1", "--check=uninit")["env"]
        self.assertEqual(got["LANESCOPE_OUTPUT"], os.path.realpath(self.dir) + "/x_srclines.db")
        for name, value in {"KERNELS": "gemm", "KERNELS_EXCLUDE": "^Cijk", "DISPATCHES": "[1-2],[5-8]",
                            "SAMPLE_WAVES": "8", "BLOCKS": "0:2,1", "RING_BYTES": str(64 << 20),
                            "CHUNK_BYTES": "8192", "ON_FULL": "drop", "SOFT_THREADS": "3",
                            "SOFT_ACCESS_LOG": self.path("log.%p"), "SOFT_POISON": "7", "SOFT_CHECK": "uninit", "LOG": "debug", "GPU": "soft:gfx90a",
                            "HANDLERS": "lds_bank_conflicts:opt=1", "MODULE_DIR": LIBDIR + "/handlers"}.items():
            self.assertEqual(got["LANESCOPE_" + name], value, name)
        self.assertNotIn("LANESCOPE_SOFT_SHUFFLE", got)
        self.assertEqual(got["HSA_TOOLS_LIB"], LIBDIR + "/liblanescope-hsa.so")
        self.assertEqual(got["HSA_TOOLS_ROCPROFILER_V1_TOOLS"], "1")
        self.assertEqual(got["LD_PRELOAD"],
                         LIBDIR + "/liblanescope-preload.so:" + LIBDIR + "/liblanescope-softgpu.so")

    def test_unknown_variables_are_named(self):
        r = self.expect(0, "run", "--gpu", "soft", "--", "/bin/true", FAKE_TOOL="none", LANESCOPE_HANDLER="advice",
                        LANESCOPE_XYZZY="1", LANESCOPE_KERNEL="", LANESCOPE_CONFG="x", LANESCOPE_="x")
        said = [line for line in r.stderr.splitlines() if "in the environment" in line]
        self.assertEqual(sorted(said), [
            "lanescope: LANESCOPE_ in the environment is no setting, and has no effect; `lanescope config` lists all",
            "lanescope: LANESCOPE_CONFG in the environment is no setting, and has no effect; did you mean LANESCOPE_CONFIG?",
            "lanescope: LANESCOPE_HANDLER in the environment is no setting, and has no effect; did you mean LANESCOPE_HANDLERS?",
            "lanescope: LANESCOPE_XYZZY in the environment is no setting, and has no effect; `lanescope config` lists all"])

    def test_every_variable_that_is_read_is_known(self):
        """Those in the sources, and those that `run` sets for a run within the run."""
        root, names = os.path.dirname(os.path.dirname(HERE)), set()
        for folder in ("cli", "hsa-plugin", "host-handlers", "llvm-pass", "results", "soft-gpu", "triton-plugin", "python"):
            for path in glob.glob(os.path.join(root, folder, "**", "*"), recursive=True):
                if path.endswith((".c", ".cpp", ".h", ".py")) and "/tests/" not in path:
                    with open(path) as f:
                        names.update(re.findall(r'"(LANESCOPE_\w+)=?"', f.read()))
        self.assertGreater(len(names), 10)
        r = self.expect(0, "config", **{name: "1" for name in names - {"LANESCOPE_CONFIG", "LANESCOPE_GPU"}})
        self.assertEqual(r.stderr, "")
        r = self.expect(0, "run", "--gpu", "soft", "--check", "--", LANESCOPE, "config", FAKE_TOOL="none")
        self.assertNotIn("in the environment", r.stderr)

    def test_existing_values_are_kept_behind_ours(self):
        libm = next(p for p in glob.glob("/lib/*/libm.so.6") + glob.glob("/lib64/libm.so.6"))
        got = self.shown(HSA_TOOLS_LIB="other.so", LD_PRELOAD=libm)["env"]
        self.assertTrue(got["HSA_TOOLS_LIB"].endswith("liblanescope-hsa.so other.so"))
        self.assertTrue(got["LD_PRELOAD"].endswith(":" + libm))

    def test_arguments_reach_the_program_untouched(self):
        r = self.expect(0, "run", "--gpu", "soft", "--", *SHOW, "a b", "--gpu", "", "--", "-o", FAKE_TOOL="none")
        got = json.loads(r.stdout)
        self.assertEqual(got["argv"], ["a b", "--gpu", "", "--", "-o"])
        self.assertEqual(int(got["blocked"], 16), 0)

    def test_without_dashes(self):
        r = self.expect(0, "run", "--gpu=soft", "/bin/echo", "--gpu", "x", FAKE_TOOL="none")
        self.assertEqual(r.stdout, "--gpu x\n")

    def test_directories_between_processes_work_under_any_umask(self):
        for mask in (0, 0o377, 0o777):
            r = subprocess.run([LANESCOPE, "run", "--gpu", "soft", "--check", "--", "sh", "-c",
                                'stat -c %a "$LANESCOPE_RUN_DIRECTORY" "$LANESCOPE_SOFT_CHECK_DIRECTORY"'],
                               cwd=self.dir, env=environment(FAKE_TOOL="none"), capture_output=True, text=True, umask=mask, timeout=300)
            self.assertEqual(r.stdout, "700\n700\n", r.stderr)

    def test_directories_of_results_can_be_used_under_any_umask(self):
        """`run` makes those that it knows, the tool library those named after host and process."""
        for mask in (0o277, 0o777):
            r = subprocess.run([LANESCOPE, "run", "--gpu", "soft", "-d", f"d{mask}", "-o", "%hostname%/x.db", "--", "/bin/true"],
                               cwd=self.dir, env=environment(), capture_output=True, text=True, umask=mask, timeout=300)
            for name in (f"d{mask}", os.path.join(f"d{mask}", socket.gethostname())):
                self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o700, r.stderr)

    def test_a_directory_that_is_gone(self):
        """No name can be made of it: nothing is written to the root directory instead."""
        os.mkdir(self.path("gone"))
        run = 'cd gone && rmdir ../gone && exec "$@"'
        for more, code in (((), 2), (("-o", "x.db"), 2), (("-d", "sub"), 2), (("-d", self.dir), 0), (("-o", self.path("x.db")), 0)):
            os.makedirs(self.path("gone"), exist_ok=True)
            r = subprocess.run(["sh", "-c", run, "sh", LANESCOPE, "run", "--gpu", "soft", *more, "--", "/bin/true"], cwd=self.dir,
                               env=environment(FAKE_TOOL="none"), capture_output=True, text=True, timeout=300)
            self.assertEqual(r.returncode, code, r.stderr)
            self.assertEqual("the current directory cannot be named: No such file or directory; give a whole path" in r.stderr,
                             code == 2, r.stderr)

    def test_names_that_are_too_long_end_before_the_program(self):
        """A name has 255 bytes, of which ".partial-journal" takes 16; SQLite takes 512 of a path, with the byte that ends it."""
        name = "n" * (255 - 16 - len(".db")) + ".db"
        self.expect(0, "run", "--gpu", "soft", "-o", name, "--", "/bin/true")
        self.assertTrue(os.path.exists(self.path(name)))
        room = 511 - 16 - len(os.path.realpath(self.dir)) - 1
        path = "d" * 150 + "/" + "e" * 150 + "/"
        path += "f" * (room - len(path) - len(".db")) + ".db"
        self.expect(0, "run", "--gpu", "soft", "-o", path, "--", "/bin/true")
        self.assertTrue(os.path.exists(self.path(path)))
        for long in ("x" + name, path.replace("f.", "ff.")):
            r = self.expect(2, "run", "--gpu", "soft", "-o", long, "--", "/bin/echo", "started")
            self.assertEqual(r.stdout, "")
            self.assertIn("the name is too long for a database", r.stderr)

    def test_auto_says_once_what_it_took(self):
        if os.path.exists("/dev/kfd"):
            self.skipTest("there is a GPU")
        r = self.expect(0, "run", "--", "/bin/true", FAKE_TOOL="none")
        self.assertEqual(r.stderr.count("no /dev/kfd: running on the software GPU"), 1)
        got = self.expect(0, "run", "--", *SHOW, FAKE_TOOL="none")
        self.assertEqual(json.loads(got.stdout)["env"]["LANESCOPE_GPU"], "soft:gfx90a")

    def test_origins(self):
        config = self.write("c.json", json.dumps({"on_full": "drop", "ring_size": 1048576, "handlers":
                                                  ["lds_bank_conflicts", "memory_coalescing"], "summary": False,
                                                  "sample_waves": "1/2"}))
        got = self.shown("--config", config, "--sample-waves", "1/5", LANESCOPE_ON_FULL="wait")["env"]
        self.assertEqual(got["LANESCOPE_ON_FULL"], "wait")           # environment over file
        self.assertEqual(got["LANESCOPE_SAMPLE_WAVES"], "5")         # option over file
        self.assertEqual(got["LANESCOPE_RING_BYTES"], "1048576")
        self.assertEqual(got["LANESCOPE_HANDLERS"], "lds_bank_conflicts,memory_coalescing")
        table = self.expect(0, "config", "--sample-waves", "1/5", LANESCOPE_ON_FULL="wait", LANESCOPE_CONFIG=config)
        rows = {line.split()[0]: line for line in table.stdout.splitlines() if line}
        self.assertIn("LANESCOPE_ON_FULL", rows["on_full"].split("wait")[1])
        self.assertIn("--sample-waves", rows["sample_waves"])
        self.assertIn("c.json: ring_size", rows["ring_size"])
        self.assertIn(" default ", rows["gpu"])
        again = self.expect(0, "config", "--json", LANESCOPE_CONFIG=config)
        self.expect(0, "config", "--config", self.write("again.json", again.stdout))

    def test_presets_set_what_nobody_else_sets(self):
        config = self.write("c.json", json.dumps({"sample_waves": "1/2"}))
        got = self.shown("--preset", "quick", "--config", config, LANESCOPE_DISPATCHES="[7]")["env"]
        self.assertEqual(got["LANESCOPE_SAMPLE_WAVES"], "2")         # file over preset
        self.assertEqual(got["LANESCOPE_DISPATCHES"], "[7]")         # environment over preset
        self.assertEqual(got["LANESCOPE_HANDLERS"], "lds_bank_conflicts,memory_coalescing")
        got = self.shown("--preset", "quick", "--handlers", "advice", LANESCOPE_PRESET="everything")["env"]
        self.assertEqual((got["LANESCOPE_HANDLERS"], got["LANESCOPE_SAMPLE_WAVES"]), ("advice", "16"))
        plain, default = self.shown()["env"], self.shown("--preset", "default")["env"]
        for name in ("HANDLERS", "SAMPLE_WAVES"):
            self.assertEqual(default["LANESCOPE_" + name], plain["LANESCOPE_" + name])
        self.assertNotIn("LANESCOPE_DISPATCHES", default)
        table = self.expect(0, "config", "--preset", "quick").stdout
        rows = {line.split()[0]: line for line in table.splitlines() if line}
        self.assertIn("preset quick", rows["sample_waves"])
        r = self.lanescope("run", "--preset", "fast", "--", "/bin/true")
        self.assertEqual(r.returncode, 2)
        self.assertIn("'fast' is not accepted; give quick, default or everything", r.stderr)

    def test_user_configuration_file(self):
        os.makedirs(self.path("xdg/lanescope"))
        self.write("xdg/lanescope/config.json", '{"log_level": "error"}')
        got = self.shown(XDG_CONFIG_HOME=self.path("xdg"))["env"]
        self.assertEqual(got["LANESCOPE_LOG"], "error")


@preloads
class Folders(Case):
    def test_nothing_is_built_where_it_cannot_be_preloaded(self):
        source = os.path.join(HERE, "../..")
        for build in ("with blanks", "with:colon"):
            r = subprocess.run(["cmake", "-S", source, "-B", self.path(build)], capture_output=True, text=True)
            self.assertNotEqual(r.returncode, 0)
            self.assertIn("a path with blanks or colons cannot be preloaded", " ".join(r.stderr.split()))


class Names(Case):
    def output(self, *options, program=SHOW, **more):
        r = self.expect(0, "run", "--gpu", "soft", *options, "--", *program, FAKE_TOOL="none", **more)
        return os.path.relpath(json.loads(r.stdout)["env"]["LANESCOPE_OUTPUT"], os.path.realpath(self.dir))

    def test_defaults(self):
        self.assertEqual(self.output(), "%h/%p_srclines.db")

    def test_placeholders(self):
        self.assertEqual(self.output("-o", "r%rank%of%size%-{pid}", OMPI_COMM_WORLD_RANK="3",
                                     OMPI_COMM_WORLD_SIZE="8"), "r3of8-%p_srclines.db")
        self.assertEqual(self.output("-d", "out/%hostname%", "-o", "%p"), "out/%h/%p_srclines.db")
        self.assertEqual(self.output("-o", "%env{FOO}%-$ENV{FOO}-%q{FOO}", FOO="50%"),
                         "50%%-50%%-50%%_srclines.db")
        self.assertEqual(self.output("-o", "%arg2%", program=[*SHOW, "a/b c"]), "a_b_c_srclines.db")
        self.assertEqual(self.output("-o", "%tag%"), os.path.basename(SHOW[0]) + "_srclines.db")
        self.assertEqual(self.output("-o", "exact.db"), "exact.db")
        self.assertEqual(self.output("-o", "100%%"), "100%%_srclines.db")
        absolute = self.expect(0, "run", "--gpu", "soft", "-d", "ignored", "-o", self.path("abs"), "--", *SHOW,
                               FAKE_TOOL="none")
        self.assertEqual(json.loads(absolute.stdout)["env"]["LANESCOPE_OUTPUT"], self.path("abs_srclines.db"))

    def test_unknown_placeholder(self):
        r = self.expect(2, "run", "--gpu", "soft", "-o", "%what%", "--", "/bin/true")
        self.assertIn("unknown placeholder at '%what%'", r.stderr)


@preloads
class Ending(Case):
    def run_sh(self, script, *options, **more):
        return self.lanescope("run", "--gpu", "soft", *options, "--", "/bin/sh", "-c", script, **more)

    def test_exit_code(self):
        self.assertEqual(self.run_sh("exit 0", FAKE_TOOL="none").returncode, 0)
        self.assertEqual(self.run_sh("exit 3", FAKE_TOOL="none").returncode, 3)
        self.assertEqual(self.run_sh("exit 255", FAKE_TOOL="none").returncode, 255)

    def test_signal_is_repeated(self):
        for sig in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT):
            r = self.run_sh("kill -%d $$" % sig, FAKE_TOOL="none")
            self.assertEqual(r.returncode, -sig)

    def test_signals_are_forwarded(self):
        for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT):
            p = subprocess.Popen([LANESCOPE, "run", "--gpu", "soft", "--", "/bin/sh", "-c",
                                  "trap 'exit 7' TERM HUP USR1 INT; echo ready; while :; do sleep 0.05; done"],
                                 cwd=self.dir, env=environment(FAKE_TOOL="none"), stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
            self.assertEqual(p.stdout.readline(), b"ready\n")
            p.send_signal(sig)
            self.assertEqual(p.wait(300), 7, sig)
            p.stdout.close()

    def test_output_is_untouched(self):
        r = self.run_sh("printf out; printf err >&2; cat", "--no-summary", input="in", FAKE_TOOL="none")
        self.assertEqual((r.stdout, r.stderr), ("outin", "err"))

    def test_ignored_sigchld(self):
        p = subprocess.run([LANESCOPE, "run", "--gpu", "soft", "--", "/bin/sh", "-c", "exit 5"], cwd=self.dir,
                           env=environment(FAKE_TOOL="none"), capture_output=True,
                           preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(p.returncode, 5)


@preloads
class Summary(Case):
    def test_all_processes_of_the_run(self):
        # A shell and its child: two processes, two databases.
        r = self.expect(0, "run", "--gpu", "soft", "--", "/bin/sh", "-c", "/bin/true; exit 0")
        names = glob.glob(self.path(socket.gethostname() + "/*_srclines.db"))
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertIn(os.path.basename(name), r.stderr)
        self.assertEqual(r.stdout, "")
        self.assertIn("8 dispatches (4 observed), 6 of 9 memory instructions observed", r.stderr)
        self.assertIn(".hip:6:15,31 LDS load 4 B", r.stderr)
        self.assertIn("Bank Conflict 2,160", r.stderr)
        shown = r.stderr.split("lanescope report ")[1].split()[0]     # can be typed as it stands
        self.expect(0, "report", shown)

    def test_what_observing_cost(self):
        # The sample: 2 of 4 launches were observed, 96 messages and 4096 bytes each.
        r = self.expect(0, "run", "--gpu", "soft", "--", "/bin/true")
        self.assertIn("observing 2 of 4 launches: 192 messages, 8,192 bytes from the GPU", r.stderr)
        self.assertNotIn("less:", r.stderr)
        for options, advice in (
                ([], "--summary-mode counts on the GPU, with the same numbers; --preset quick takes a part"),
                (["--summary-mode"], "--preset quick takes a part"),
                (["--handlers", "lds_bank_conflicts"], "--summary-mode counts on the GPU"),
                # what summary mode does not have, and what the run had
                (["--handlers", "lds_bank_conflicts,advice"], "--preset quick takes a part"),
                (["--preset", "quick"], "--summary-mode counts on the GPU, with the same numbers\n"),
                (["--preset", "quick", "--handlers", "advice"], "--kernel-include-regex"),
                (["--sample-waves", "1/4", "--summary-mode"], "--kernel-include-regex")):
            r = self.expect(0, "run", "--gpu", "soft", *options, "--", "/bin/true", FAKE_TOOL="much")
            self.assertIn("observing 2 of 4 launches: 12.00M messages", r.stderr)
            self.assertIn("less: " + advice, r.stderr)
        r = self.expect(0, "run", "--gpu", "soft", "--no-summary", "--", "/bin/true", FAKE_TOOL="much")
        self.assertNotIn("observing", r.stderr)

    def test_other_spellings_of_the_folder(self):
        """The root as the current directory, doubled slashes, a link to the folder: each database is shown, and once."""
        os.mkdir(self.path("real"))
        os.symlink("real", self.path("link"))
        inner = os.path.relpath(self.dir, "/")
        places = [("/", inner + "/%p-a.db"), ("/", "./" + inner + "//b.db"), (self.dir, "real/../%p-c.db"), (self.dir, "link/%p-d.db"),
                  ("/", "/" + self.dir + "//e%p.db")]
        if os.access("/", os.W_OK):
            top = f"lanescope-test-{os.getpid()}"
            self.addCleanup(shutil.rmtree, "/" + top, True)
            places += [("/", top + "/%p.db"), ("/", "%h-" + top + "/x.db")]
            self.addCleanup(shutil.rmtree, f"/{socket.gethostname()}-{top}", True)
        for directory, name in places:
            for options in (["-o", name], ["-d", os.path.dirname(name), "-o", os.path.basename(name)]):
                command = [LANESCOPE, "run", "--gpu", "soft", *options, "--", "/bin/true"]
                r = subprocess.run(command, cwd=directory, env=environment(), capture_output=True, text=True)
                self.assertEqual(r.returncode, 0, (name, r.stderr))
                self.assertNotIn("twice", r.stderr)
                self.assertIn("4 dispatches (2 observed)", r.stderr)

    def test_one_name_for_several_processes(self):
        self.expect(0, "run", "--gpu", "soft", "-o", "same", "--", "/bin/sh", "-c", "/bin/true; exit 0")
        names = glob.glob(self.path("same_srclines*.db"))
        self.assertEqual(len(names), 2)
        # The next run replaces the first name and does not show what others wrote.
        r = self.expect(0, "run", "--gpu", "soft", "-o", "same", "--", "/bin/true")
        self.assertIn("4 dispatches (2 observed)", r.stderr)

    def test_the_next_command_can_be_typed(self):
        """Whatever the name: the last line is one line, and a shell reads the name of the database from it."""
        for name in ("a b;c.db", "it's.db", "x\nlanescope: fine\x1b[31m\udcff.db", "-top.db", "$HOME`id`.db", "plain-1.db"):
            r = self.expect(0, "run", "--gpu", "soft", "--output-file=" + name, "--", "true")
            last = r.stderr.splitlines()[-1]
            self.assertTrue(last.startswith("lanescope:   all lines: lanescope report "), r.stderr)
            self.assertNotIn("\x1b", last)
            command = last.split("all lines: ")[1].replace("lanescope report ", '"$0" report ', 1)
            self.assertEqual(command.split("report ")[1] == name, name == "plain-1.db")
            r = subprocess.run(["bash", "-c", command, LANESCOPE], cwd=self.dir, env=environment(), capture_output=True)
            self.assertEqual(r.returncode, 0, (command, r.stderr))

    def test_nothing_written(self):
        r = self.expect(0, "run", "--gpu", "soft", "--", "/bin/true", FAKE_TOOL="none")
        self.assertIn("no database was written", r.stderr)

    def test_killed(self):
        r = self.lanescope("run", "--gpu", "soft", "-o", "k", "--", "/bin/sh", "-c", "kill -9 $$", FAKE_TOOL="killed")
        self.assertEqual(r.returncode, -9)
        self.assertIn("k_srclines.db.partial  (partial: the process was killed, or its results could not be written)", r.stderr)
        report = self.expect(0, "report", "k_srclines.db")      # the final name finds the partial file
        self.assertIn("PARTIAL", report.stdout)
        self.assertIn("Bank", report.stdout)

    def test_require_observed(self):
        def run(script, *options, **more):
            return self.lanescope("run", "--gpu", "soft", *options, "--require-observed", "--", "/bin/sh", "-c", script, **more)
        self.assertEqual(run("exit 0").returncode, 0)
        for options in ([], ["--no-summary"]):
            r = run("exit 0", *options, FAKE_TOOL="none")
            self.assertEqual(r.returncode, 1)
            self.assertIn("--require-observed: no dispatch of a kernel was observed", r.stderr)
        self.assertEqual(run("exit 3", FAKE_TOOL="none").returncode, 3)     # the program's own failure counts
        self.assertEqual(run("kill -9 $$", FAKE_TOOL="none").returncode, -9)
        r = run("exit 0", "-d", "/proc/nothing", "--keep-going", FAKE_TOOL="none")
        self.assertEqual(r.returncode, 1)
        self.assertEqual(self.lanescope("run", "--gpu", "soft", "--", "/bin/true", FAKE_TOOL="none",
                                        LANESCOPE_REQUIRE_OBSERVED="1").returncode, 1)

    def test_sources(self):
        os.environ.pop("LANESCOPE_SOURCES", None)
        for options, want in (([], "shared"), (["--sources=all"], "all"), (["--no-source"], "none"),
                              (["--sources", "none"], "none")):
            r = self.expect(0, "run", "--gpu", "soft", *options, "--", *SHOW, FAKE_TOOL="none")
            self.assertEqual(json.loads(r.stdout)["env"]["LANESCOPE_SOURCES"], want)
        self.assertIn("shared, all or none", self.expect(2, "run", "--sources=some", "--", "/bin/true").stderr)

    def test_nothing_is_left_behind(self):
        os.mkdir(self.path("tmp"))
        for script in ("exit 0", "kill -9 $$"):
            self.run_with_tmp(script)
            self.assertEqual(os.listdir(self.path("tmp")), [])

    def run_with_tmp(self, script):
        return self.lanescope("run", "--gpu", "soft", "-o", "t", "--check", "--", "/bin/sh", "-c", script, TMPDIR=self.path("tmp"))

    def test_no_summary(self):
        for more in ({"LANESCOPE_SUMMARY": "no"}, {}):
            options = [] if more else ["--no-summary"]
            r = self.expect(0, "run", "--gpu", "soft", *options, "--", "/bin/true", **more)
            self.assertEqual(r.stderr, "")


@preloads
class Background(Case):
    """Processes that the program leaves behind."""

    def background(self, command, *options, tool="none", then=":"):
        """stderr of a run of which `command` goes on, and its process id. The program ends when `command` is what that
        process runs, and `then` is true."""
        script = (f"FAKE_TOOL={tool} {command} >/dev/null 2>&1 & echo $!; "
                  f'until read name </proc/$!/comm && [ "$name" = {command.split()[0]} ]; do :; done; {then}')
        r = self.expect(0, "run", "--gpu", "soft", *options, "--", "sh", "-c", script, FAKE_TOOL="none")
        pid = int(r.stdout)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        return r.stderr, pid

    def test_one_that_has_recorded_nothing_yet(self):
        said, pid = self.background("sleep 1000")
        where = os.path.join(os.path.realpath(self.dir), socket.gethostname(), "PID_srclines.db")
        self.assertIn(f"lanescope: still running: 1 process of the program, PID {pid} (sleep); what it records goes into {where}\n", said)
        self.assertNotIn("no database", said)

    def test_one_that_is_recorded(self):
        said, pid = self.background("sleep 1000", "-o", "own", tool="killed", then="until [ -s own_srclines.db.partial ]; do :; done")
        self.assertIn(f"own_srclines.db.partial: still recorded by process {pid} of the program\n", said)
        self.assertNotIn("still running:", said)
        self.assertNotIn("no database", said)

    def test_one_beside_a_recording(self):
        said, pid = self.background("sleep 1000", "-o", "own.db", then="FAKE_TOOL=sample /bin/true")
        self.assertIn("lanescope: own.db\n", said)
        self.assertIn(f"PID {pid} (sleep); what it records goes into {os.path.realpath(self.dir)}/own.PID.db\n", said)

    def test_none(self):
        r = self.expect(0, "run", "--gpu", "soft", "--", "/bin/true", FAKE_TOOL="none")
        self.assertIn("no database was written", r.stderr)
        self.assertNotIn("still", r.stderr)


class Privileges(Case):
    """The loader preloads nothing into programs with more rights than who starts them, and takes LD_PRELOAD out of their
    environment: what a copy of env prints without us is the truth that `run` has to know before."""

    def setUp(self):
        super().setUp()
        if os.getuid() or not os.access(LANESCOPE, os.X_OK):
            self.skipTest("files of other owners can be made by root only")
        with open("/proc/self/status") as f:
            if os.statvfs(self.dir).f_flag & os.ST_NOSUID or "NoNewPrivs:\t1" in f.read():
                self.skipTest("files give no rights here")
        os.chmod(self.dir, 0o777)

    def program(self, name, uid=0, gid=0, mode=0o755, capabilities=None, of="/usr/bin/env"):
        shutil.copy(of, self.path(name))
        os.chown(self.path(name), uid, gid)
        os.chmod(self.path(name), mode)
        if capabilities:
            try:
                os.setxattr(self.path(name), "security.capability", capabilities)
            except OSError as why:
                self.skipTest(f"file capabilities: {why}")
        return [self.path(name)]

    def script(self, name, interpreter, mode=0o755):
        os.chmod(self.write(name, f"#! {interpreter}\n/usr/bin/env\n"), mode)
        return [self.path(name)]

    def start(self, command, user, before=(), **more):
        return subprocess.run([*before, *command], cwd=self.dir, env=environment(**more), capture_output=True, text=True, timeout=300,
                              **({"user": user, "group": user, "extra_groups": []} if user else {}))

    @preloads
    def test_they_are_told_before_the_program_starts(self):
        net_raw = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)      # capabilities(7): revision 2, effective; permitted: CAP_NET_RAW
        inherited = struct.pack("<5I", 0x02000000, 0, 1 << 13, 0, 0)
        user, other = "its set-user-ID bit keeps", "its set-group-ID bit keeps"
        for why, command, uid, before in (
                (user, self.program("user", uid=12345, mode=0o4755), 0, ()),
                (None, self.program("own", mode=0o4755), 0, ()),
                (user, self.path("own").split(), 65534, ()),
                (other, self.program("group", gid=12345, mode=0o2755), 0, ()),
                (None, self.program("locked", gid=12345, mode=0o2745), 0, ()),      # no bit to execute: it meant file locks
                ("its file capabilities keep", self.program("able", capabilities=net_raw), 65534, ()),
                (None, self.path("able").split(), 0, ()),
                (None, self.program("heir", capabilities=inherited), 65534, ()),
                (user, self.script("script", self.program("shell", uid=12345, mode=0o4755, of="/bin/sh")[0]), 0, ()),
                (user, self.script("second", self.path("script")), 0, ()),
                (None, self.script("bit", "/bin/sh", 0o6755), 65534, ()),
                (None, self.path("user").split(), 0, ("setpriv", "--no-new-privs"))):
            alone = self.start(command, uid, before, LD_PRELOAD="")
            self.assertEqual("LD_PRELOAD=" not in alone.stdout, why is not None, (command, alone))
            for form, code in (([], 2), (["--keep-going"], 0)):
                r = self.start([LANESCOPE, "run", "--gpu", "soft", "--no-summary", *form, "--", *command], uid, before, FAKE_TOOL="none")
                self.assertEqual(r.returncode, code if why else 0, (command, r.stderr))
                self.assertEqual("preloaded libraries out of it" in r.stderr, why is not None, (command, r.stderr))
                self.assertIn(why or "", r.stderr)
                self.assertEqual("PATH=" in r.stdout, not why or not code, (command, r.stdout))

    @preloads
    def test_programs_of_programs(self):
        """What a shell starts is not known before: the environment is not all that is named."""
        command = self.program("user", uid=12345, mode=0o4755)
        r = self.start([LANESCOPE, "run", "--gpu", "soft", "--", "sh", "-c", command[0]], 0, FAKE_TOOL="none")
        self.assertIn("has more rights than who starts it", r.stderr)


class BrokenPipe(Case):
    @preloads
    def test_nobody_reads_the_messages(self):
        """The program runs, ends with its own code, and is itself still ended by a pipe that nobody reads."""
        for words, code in (("touch ran; exit 7", 7), ("touch ran; kill -PIPE $$", -signal.SIGPIPE)):
            read, write = os.pipe()
            os.close(read)
            # Without --gpu it has something to say before the program starts.
            r = subprocess.run([LANESCOPE, "run", "-o", "r", "--", "sh", "-c", words], cwd=self.dir, env=environment(), stderr=write)
            os.close(write)
            self.assertTrue(os.path.exists(self.path("ran")))
            self.assertEqual(r.returncode, code)
            os.unlink(self.path("ran"))


if __name__ == "__main__":
    unittest.main()
