"""Every wrong input has its exit code, names its cause and a way out. Nothing is started before all is checked."""
import os
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import unittest

from common import Case, LANESCOPE, LIBDIR, PREFIX, environment, preloads


class Run(Case):
    def refused(self, code, *args, **more):
        """Runs with a program that would leave a trace."""
        r = self.lanescope("run", *args, "--", "/usr/bin/touch", self.path("started"), **more)
        self.assertEqual(r.returncode, code, r.stderr)
        self.assertFalse(os.path.exists(self.path("started")), "the program was started")
        self.assertTrue(r.stderr.startswith("lanescope"), r.stderr)
        return r.stderr

    def test_help_is_laid_out(self):
        """argp loses its margin behind some texts: a description that is indented, an option's text at the edge."""
        verbs = re.findall(r"(?m)^  ([a-z]+) +\S", self.expect(0, "--help").stdout.split("\n\n")[2])
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            lines = self.expect(0, verb, "--help").stdout.splitlines()
            self.assertEqual([l for l in lines if len(l) > 79], [], verb)
            usage = [i for i, l in enumerate(lines) if l.startswith(("Usage:", "  or:"))]
            self.assertRegex(lines[usage[-1] + 1], r"^[A-Z]", verb)
            for option, text in zip(lines, lines[1:]):
                if re.match(r" +-", option):
                    self.assertRegex(text, r"^( |$)", verb)

    def test_program(self):
        r = self.expect(127, "run", "--gpu", "soft", "--", "./nope")
        self.assertIn("./nope: program not found", r.stderr)
        for name, data, code, text in (("script", "#!/nowhere/shell\n", 127, "names as its interpreter is not there"),
                                       ("other", b"\x7fELF\x02\x01\x01" + bytes(57), 126, "neither a script nor a program for this machine")):
            os.chmod(self.write(name, data), 0o755)
            r = self.expect(code, "run", "--gpu", "soft", "--", "./" + name)
            self.assertIn(f"./{name}: ", r.stderr)
            self.assertIn(text, r.stderr)
            self.assertNotIn("not found", r.stderr)
        r = self.expect(127, "run", "--gpu", "soft", "--", "no-such-program-anywhere")
        self.assertIn("not found in PATH", r.stderr)
        for name, where in (("hipcc", "; ROCm's compilers are in /opt/rocm/bin"), ("clang++-15", "\n")):
            self.assertIn(f"lanescope: {name}: program not found in PATH{where}", self.expect(127, name, "-O3", "a.hip", PATH=self.dir).stderr)
        os.chmod(self.write("hipcc", "#!/nonexistent/interpreter\n"), 0o755)
        self.assertIn("lanescope: " + self.path("hipcc: "), self.expect(127, "hipcc", "-O3", "a.hip", PATH=self.dir).stderr)
        self.write("plain", "echo hi\n")
        r = self.expect(126, "run", "--gpu", "soft", "--", "./plain")
        self.assertIn("not executable; `chmod +x", r.stderr)
        r = self.expect(126, "run", "--gpu", "soft", "--", self.dir)
        self.assertIn("is a directory", r.stderr)
        bad = self.write("bad", "#!/nonexistent/interpreter\n")
        os.chmod(bad, 0o755)
        self.expect(127, "run", "--gpu", "soft", "--", "./bad", FAKE_TOOL="none")
        r = self.expect(2, "run")
        self.assertIn("no program given", r.stderr)
        r = self.expect(2, "run", "--gpu", "soft", "--")
        self.assertIn("no program given", r.stderr)

    @preloads
    def test_script_without_interpreter_line_runs(self):
        os.chmod(self.write("script", "exit 9\n"), 0o755)
        self.expect(9, "run", "--gpu", "soft", "--", "./script", FAKE_TOOL="none")

    def test_options(self):
        self.assertIn("did you mean '--handlers'", self.refused(2, "--handlerz=x"))
        self.assertIn("unrecognized option '--qqqqqqqq'", self.refused(2, "--qqqqqqqq"))
        self.assertIn("give auto, hw, soft", self.refused(2, "--gpu", "gfx1100"))
        self.assertIn("soft:gfx942", self.refused(2, "--gpu", "soft:gfx906"))
        self.assertIn("give wait or drop", self.refused(2, "--gpu", "soft", "--on-full", "panic"))
        self.assertIn("1/N", self.refused(2, "--gpu", "soft", "--sample-waves", "1/0"))
        self.assertIn("ranges of dispatches", self.refused(2, "--gpu", "soft", "--kernel-iteration-range", "[5-2]"))
        self.assertIn("work-groups as", self.refused(2, "--gpu", "soft", "--blocks", "1:0"))
        self.assertIn("power of two", self.refused(2, "--gpu", "soft", "--chunk-size", "3000"))
        self.assertIn("as 64M", self.refused(2, "--gpu", "soft", "--ring-size", "12Q"))
        self.assertIn("regular expression", self.refused(2, "--gpu", "soft", "--kernel-include-regex", "(("))
        for large in "a" + 30 * "+", "a{0,32767}", "(x{1,255}){1,255}":  # gigabytes, or minutes, in the C library
            self.assertIn("more than 8192", self.refused(2, "--gpu", "soft", "--kernel-exclude-regex", large))
        self.assertIn("error, warning", self.refused(2, "--gpu", "soft", "--log-level", "loud"))
        self.assertIn("threads", self.refused(2, "--gpu", "soft", "--soft-threads", "-1"))
        self.assertIn("not empty", self.refused(2, "--gpu", "soft", "-o", ""))
        self.assertIn("give races, uninit", self.refused(2, "--gpu", "soft", "--check=races,leaks"))
        self.assertIn("only the software GPU can check", self.refused(2, "--gpu", "hw", "--check"))
        self.assertIn("from 1 to 255", self.refused(2, "--gpu", "soft", "--check", "--check-exit-code", "0"))
        self.assertIn("nothing is checked; add --check", self.refused(2, "--gpu", "soft", "--check-exit-code", "3"))
        self.assertIn("LANESCOPE_ON_FULL: 'x'", self.refused(2, "--gpu", "soft", LANESCOPE_ON_FULL="x"))

    def test_handlers(self):
        text = self.refused(2, "--gpu", "soft", "--handlers", "lds_bank_conflicts,nope")
        self.assertIn("no handler 'nope'", text)
        self.assertIn("lanescope list handlers", text)
        self.assertIn("empty name", self.refused(2, "--gpu", "soft", "--handlers", ",lds_bank_conflicts"))

    def test_handlers_that_cannot_be_loaded(self):
        text = self.write("text.so", "no library")
        self.assertIn("cannot be loaded", self.refused(2, "--gpu", "soft", "--handlers", f"lds_bank_conflicts,{text}:x=1"))
        plain = os.path.join(os.path.dirname(LIBDIR), "no_handler.so")
        self.assertIn("exports no lanescope_handler", self.refused(2, "--gpu", "soft", "--handlers", plain))
        self.assertIn("exit code 0", self.refused(2, "--gpu", "soft", "--handlers", plain, NO_HANDLER="exit"))

    def test_handlers_that_summary_mode_does_not_have(self):
        """Told before the program runs, not behind it."""
        for more in (["--handlers", "lds_bank_conflicts,advice"], ["--config", self.write("c.json", '{"handlers": ["advice"]}')]):
            self.assertIn("handler 'advice' cannot be loaded: it needs every single access, which --summary-mode does not send",
                          self.refused(2, "--gpu", "soft", "--summary-mode", *more))

    def test_options_that_a_handler_refuses(self):
        """Asked before the program starts, in a folder of its own; not where a file is named, which the handler would begin."""
        before = os.listdir(self.dir)
        self.assertIn("handler 'lds_bank_conflicts' cannot be loaded: with these options it does not open: fake: 'bad=1:x' is no option of mine",
                      self.refused(2, "--gpu", "soft", "--handlers", "memory_coalescing,lds_bank_conflicts:bad=1:x"))
        self.assertEqual(os.listdir(self.dir), before)
        for options in ("good=1", "bad:file=" + self.path("x")):
            r = self.lanescope("run", "--gpu", "soft", "--handlers", "lds_bank_conflicts:" + options, "--", "./nothing")
            self.assertIn("program not found", r.stderr)

    @preloads  # a sanitizer makes an exit of the crash
    def test_handler_that_crashes_when_it_is_loaded(self):
        plain = os.path.join(os.path.dirname(LIBDIR), "no_handler.so")
        self.assertIn("Segmentation fault", self.refused(2, "--gpu", "soft", "--handlers", plain, NO_HANDLER="crash"))

    def test_handler_that_leaves_a_process_behind_is_not_waited_for(self):
        plain = os.path.join(os.path.dirname(LIBDIR), "no_handler.so")
        self.assertIn("exit code 3", self.refused(2, "--gpu", "soft", "--handlers", plain, NO_HANDLER="fork"))

    def test_configuration_that_is_no_small_file(self):
        fifo = self.path("config.json")
        os.mkfifo(fifo)
        self.assertIn("cannot read the configuration file: Connection timed out", self.refused(2, "--config", fifo))
        self.assertIn("Is a directory", self.refused(2, "--config", self.dir))
        large = self.write("large.json", '{"output_file": "%s"}' % ("x" * (1 << 20)))
        self.assertIn("File too large", self.refused(2, "--config", large))
        # A pipe with a writer is as good as a file, also one that takes its time.
        text = subprocess.run(["bash", "-c", '"$0" config --config <(sleep 0.3; echo \'{"top": \'; sleep 0.3; echo 1}) 2>&1', LANESCOPE],
                              env=environment(), capture_output=True, text=True, timeout=300).stdout
        self.assertIn("unknown key 'top'", text)

    @unittest.skipIf(os.path.exists("/dev/kfd"), "there is a GPU")
    def test_no_gpu(self):
        self.assertIn("there is no /dev/kfd", self.refused(2, "--gpu", "hw"))

    @preloads
    @unittest.skipIf(os.path.exists("/dev/kfd"), "there is a GPU")
    def test_no_gpu_and_going_on(self):
        r = self.expect(0, "run", "--gpu", "hw", "--keep-going", "--", "/bin/echo", "ran", FAKE_TOOL="none")
        self.assertEqual(r.stdout, "ran\n")

    def test_results_replace_nothing_else(self):
        target = self.write("target", "do not touch")
        foreign = sqlite3.connect(self.path("precious.db"))
        foreign.execute("CREATE TABLE precious(x)")
        foreign.commit()
        foreign.close()
        self.write("notes.db", "my notes")
        self.write("a_srclines.db.partial", "a download")
        os.symlink(target, self.path("link.db"))
        os.symlink(target, self.path("b.db.partial"))
        os.symlink("nowhere", self.path("c.db"))
        os.mkdir(self.path("folder.db"))
        before = {n: open(self.path(n), "rb").read() for n in ("target", "precious.db", "notes.db", "a_srclines.db.partial")}
        names = ("precious.db", "notes.db", "a", "link.db", "b.db", "c.db", "folder.db")
        for name in names:
            text = self.refused(2, "--gpu", "soft", "-o", name)
            self.assertIn("is no recording of Lanescope", text)
            self.assertIn("--force", text)
        host = os.uname().nodename
        self.write(f"{host}.db", "named after the host")
        self.refused(2, "--gpu", "soft", "-o", "%hostname%.db")
        for name, data in before.items():
            self.assertEqual(open(self.path(name), "rb").read(), data, name)
        self.refused(2, "--gpu", "soft", "--force", "-o", "folder.db")

    @preloads
    def test_files_with_names_of_journals(self):
        """Only what SQLite wrote is removed; beside anything else the next name is taken, and a merge is not made."""
        for beside in ("r_srclines.db-journal", "r_srclines.db.partial-wal", "r_srclines.db-shm"):
            self.write(beside, "diary")
            self.expect(0, "run", "--gpu", "soft", "-o", "r", "--", "true")
            self.assertEqual(self.text(beside), "diary")
            self.assertNotIn("r_srclines.db", os.listdir(self.dir))
            self.assertEqual(len([n for n in os.listdir(self.dir) if n.endswith(".db")]), 1)
            for name in os.listdir(self.dir):
                os.unlink(self.path(name))
        db = self.sample()
        os.symlink(self.write("target", "do not touch"), self.path("link.db-wal"))
        self.assertIn("link.db-journal, -wal and -shm", self.expect(1, "merge", db, "-o", "link.db").stderr)
        self.assertTrue(os.path.islink(self.path("link.db-wal")))
        self.write("m.db-journal", "diary")
        self.assertIn("m.db-journal, -wal and -shm", self.expect(1, "merge", db, "-o", "m.db").stderr)
        self.assertEqual((self.text("m.db-journal"), os.path.exists(self.path("m.db"))), ("diary", False))
        self.write("m.db-journal", bytes.fromhex("d9d505f920a163d7") + bytes(504))
        self.expect(0, "merge", db, "-o", "m.db")
        self.assertNotIn("m.db-journal", os.listdir(self.dir))

    @preloads
    def test_force(self):
        target = self.write("target", "do not touch")
        self.write("notes.db", "my notes")
        os.symlink(target, self.path("link.db"))
        os.symlink(target, self.path("b.db.partial"))
        for name in ("notes.db", "link.db", "b.db"):
            self.expect(0, "run", "--gpu", "soft", "--force", "-o", name, "--", "/bin/true")
            self.assertFalse(os.path.islink(self.path(name)))
            self.expect(0, "check", name)
        self.assertEqual(open(target).read(), "do not touch")
        # what Lanescope wrote, and an empty file, need no force
        self.write("empty.db", "")
        for name in ("empty.db", "notes.db"):
            self.expect(0, "run", "--gpu", "soft", "-o", name, "--", "/bin/true")

    @preloads
    def test_output_directory(self):
        self.write("file", "")
        text = self.refused(2, "--gpu", "soft", "-d", "file/sub")
        self.assertIn("give another with -d", text)
        text = self.refused(2, "--gpu", "soft", "-d", "/proc/nothing")
        self.assertIn("cannot create the output directory", text)
        if os.geteuid():
            os.mkdir(self.path("ro"), 0o555)
            self.assertIn("cannot write", self.refused(2, "--gpu", "soft", "-d", "ro"))
        self.assertIn("ends in a slash", self.refused(2, "--gpu", "soft", "-o", "x/"))
        r = self.expect(0, "run", "--gpu", "soft", "-d", "/proc/nothing", "--keep-going", "--", "/bin/echo", "ran")
        self.assertEqual(r.stdout, "ran\n")
        self.assertIn("going on without recording", r.stderr)

    def test_configuration_file(self):
        self.assertIn("cannot read", self.refused(2, "--config", "nope.json"))
        self.write("bad.json", "{\"gpu\": ")
        self.assertIn("bad.json:1", self.refused(2, "--config", "bad.json"))
        self.write("list.json", "[]")
        self.assertIn("must be a JSON object", self.refused(2, "--config", "list.json"))
        self.write("typo.json", '{"handler": "x"}')
        self.assertIn("did you mean 'handlers'", self.refused(2, "--config", "typo.json"))
        self.write("value.json", '{"on_full": "never"}')
        self.assertIn("value.json: on_full: 'never'", self.refused(2, "--config", "value.json"))
        self.write("type.json", '{"on_full": {}}')
        self.assertIn("expected", self.refused(2, "--config", "type.json"))

    def test_incomplete_installation(self):
        bin_dir = self.path("elsewhere/bin")
        os.makedirs(bin_dir)
        shutil.copy(LANESCOPE, bin_dir)
        r = subprocess.run([bin_dir + "/lanescope", "run", "--gpu", "soft", "--handlers",
                            LIBDIR + "/handlers/advice.so", "--", "/bin/true"],
                           cwd=self.dir, env=environment(), capture_output=True, text=True)
        self.assertEqual(r.returncode, 4)
        self.assertIn("liblanescope-softgpu.so: not found", r.stderr)

    def test_installation_in_a_folder_that_cannot_be_preloaded(self):
        """ld.so(8) splits LD_PRELOAD at blanks and colons, and knows no quotes: the pieces are preloaded by a link then. Where there can
        be none, it is told before the program starts, by each verb that starts one."""
        for name in ("with blanks", "with:colon"):
            prefix = self.path(name)
            shutil.copytree(PREFIX, prefix, symlinks=True)
            command = os.path.join(prefix, os.path.relpath(LANESCOPE, PREFIX))
            show = ["sh", "-c", "echo $LD_PRELOAD; echo $HSA_TOOLS_LIB; readlink -f ${LD_PRELOAD%%:*}"]
            for place in ({"XDG_CACHE_HOME": self.path("cache")}, {"XDG_CACHE_HOME": self.path("a b"), "TMPDIR": self.path("tmp")}):
                os.makedirs(self.path("tmp"), exist_ok=True)
                for again in range(2):
                    r = subprocess.run([command, "run", "--gpu=soft", "--no-summary", "--", *show], cwd=self.dir, env=environment(**place),
                                       capture_output=True, text=True)
                    self.assertEqual((r.returncode, "cannot be preloaded" in r.stderr), (0, False), r.stderr)
                    preload, tools, real = r.stdout.splitlines()
                    folder, = {os.path.dirname(path) for path in [*preload.split(":"), tools]}
                    self.assertEqual(os.path.dirname(os.path.dirname(folder)), os.path.realpath(self.dir) + ("/cache/lanescope" if len(place) == 1 else "/tmp"))
                    self.assertTrue(real.startswith(os.path.realpath(prefix) + "/"), real)
                    self.assertEqual(os.stat(os.path.dirname(folder)).st_mode & 0o777, 0o700)
            # a link of somebody else's making, and a folder that others may write, are not taken
            os.chmod(os.path.dirname(folder), 0o777)
            for code, verb in ((4, ["run"]), (4, ["run", "--keep-going"]), (1, ["gate", self.sample("b.db")])):
                r = subprocess.run([command, *verb, "--gpu=soft", "--", "touch", "started"], cwd=self.dir, env=environment(**place), capture_output=True,
                                   text=True)
                self.assertEqual(r.returncode, code, (verb, r.stderr))
                self.assertIn(f"/{name}/", r.stderr)
                self.assertIn("a path with blanks or colons cannot be preloaded, and there is no place for a link", r.stderr)
                self.assertFalse(os.path.exists(self.path("started")))
            os.chmod(os.path.dirname(folder), 0o700)
            a = self.sample("a.db")     # what starts nothing needs no link
            r = subprocess.run([command, "report", a], cwd=self.dir, env=environment(), capture_output=True, text=True)
            self.assertEqual((r.returncode, r.stdout), (0, self.expect(0, "report", a).stdout))


class Verbs(Case):
    def test_unknown_verb(self):
        r = self.expect(2, "reprot")
        self.assertIn("did you mean 'report'?", r.stderr)
        self.assertIn("unknown verb 'xyzzy'", self.expect(2, "xyzzy").stderr)
        self.assertIn("unknown option '--what'", self.expect(2, "--what").stderr)
        self.assertIn("lanescope run -- ./app", self.expect(2, "./app").stderr)
        self.expect(2)
        self.assertIn("did you mean 'query'", self.expect(2, "help", "quary").stderr)

    def test_verbs_that_do_not_exist_are_not_listed(self):
        text = self.expect(0, "--help").stdout
        verbs = [line.split()[0] for line in text.splitlines() if line.startswith("  ") and not
                 line.startswith("   ") and not line.strip().startswith("lanescope")]
        self.assertIn("run", verbs)
        for verb in verbs:
            self.assertIn("sage: lanescope %s" % verb if verb != "help" else "sage: lanescope", self.expect(
                0, verb, "--help").stdout)
            self.assertEqual(self.expect(0, verb, "--version").stdout, self.expect(0, "--version").stdout)
            self.assertEqual(self.expect(0, "help", verb).returncode, 0)

    def test_usage(self):
        for verb in ("report", "summary", "check", "query"):
            self.expect(2, verb)
            self.expect(2, verb, "--nonsense")
        self.expect(2, "completion", "tcsh")
        self.expect(2, "list", "everything")
        for number in "x", " 3", "+3", "-3", "3 ", "0x3", str(1 << 64):
            for verb, option in ("report", "--top"), ("report", "--kernels"), ("annotate", "--context"), ("explain", "--top"):
                self.assertIn(f"{option}: '{number}' is not accepted; give a number of ",
                              self.expect(2, verb, f"{option}={number}", "a.db").stderr)
        for place in "a.hip:", "a.hip: 3", f"a.hip:{(1 << 32) + 1}":
            self.assertIn("is not accepted; give FILE:LINE", self.expect(2, "explain", "--line", place, "a.db").stderr)
        self.expect(2, "report", "--json", "--csv", "a.db")
        self.assertIn("'FROM' is one word too many", self.expect(2, "query", "a.db", "SELECT", "FROM").stderr)
        self.assertIn("give a database and, in quotes, an SQL query", self.expect(2, "query", "a.db").stderr)

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        db = self.sample()
        self.assertIn("No space left", self.expect(1, "report", "-o", "/dev/full", db).stderr)
        for words in (["report", db], ["list"], ["list", "metrics", db], ["info"], ["config"], ["--version"], ["help"],
                      ["help", "run"], ["report", "--help"], ["completion", "bash"]):
            with open("/dev/full", "w") as full:
                r = subprocess.run([LANESCOPE, *words], stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
            self.assertEqual((r.returncode, r.stderr), (1, "lanescope: stdout: cannot write the output: No space left on device\n"),
                             words)

    def test_tables_that_are_not_there(self):
        """Those that are, are named."""
        text = self.expect(1, "query", self.sample(), "SELECT * FROM lines").stderr
        self.assertIn("no such table: lines; there are address_space, agent, ", text)
        self.assertIn(" line_view, ", text)

    def test_unwritable_output_file(self):
        self.assertIn("cannot write the file", self.expect(1, "report", "-o", "/nonexistent/x", self.sample()).stderr)

    def test_output_files_of_reports(self):
        """An ordinary file is replaced, a recording and what a link leads to are not."""
        db, target = self.sample(), self.write("target", "do not touch")
        before = open(db, "rb").read()
        os.symlink("target", self.path("link"))
        for verb, *more in (["report"], ["annotate"], ["diff", db], ["query", "SELECT 1"]):
            self.assertIn("is a recording", self.expect(1, verb, db, *more, "-o", "a.db").stderr)
            self.assertIn("symbolic link", self.expect(1, verb, db, *more, "-o", "link").stderr)
            foreign = sqlite3.connect(self.path("precious.db"))
            foreign.execute("CREATE TABLE IF NOT EXISTS t(a)")
            foreign.close()
            precious = open(self.path("precious.db"), "rb").read()
            self.assertIn("is a database", self.expect(1, verb, db, *more, "-o", "precious.db").stderr)
            self.assertEqual(open(self.path("precious.db"), "rb").read(), precious)
            self.write("old.txt", "x" * 100000)
            self.expect(0, verb, db, *more, "-o", "old.txt")
            self.assertNotIn("xxx", open(self.path("old.txt")).read())
            r = self.expect(0, verb, db, *more, "-o", "/dev/stdout")
            self.assertEqual(r.stdout, open(self.path("old.txt")).read())
        self.assertEqual((open(db, "rb").read(), open(target).read()), (before, "do not touch"))

    def forms_with_files(self, db):
        """Each verb that writes a file of what databases hold; the file's name is to be appended."""
        yield from (["report", *form, db, "-o"] for form in ([], ["--json"], ["--csv"], ["--stats"]))
        yield ["report", db, "--force", "--html"]
        yield from (["annotate", db, "-o"], ["explain", db, "-o"], ["query", db, "SELECT text FROM source_file", "-o"])
        yield from ([*words, "-o"] for words in (["diff", db, db], ["diff", db, db, "--json"]))
        yield from (["gate", db, db, form] for form in ("--json", "--sarif", "--junit"))

    def test_names_of_the_system(self):
        """/dev/shm is a folder like others: links in it are not followed. What is written to a descriptor by its name goes on where that is."""
        a = self.sample("a.db")
        self.write("precious", "mine")
        link = f"/dev/shm/lanescope-test-{os.getpid()}"
        if os.access("/dev/shm", os.W_OK):
            os.symlink(self.path("precious"), link)
            self.addCleanup(os.remove, link)
            for name in (link, "/dev/../" + link, "/proc/self/root" + link, "/proc/self/cwd/" + os.path.relpath(link, self.dir)):
                for args in (["report", "-o", name], ["report", "--html", name], ["convert", "--to", "json", "--force", "-o", name]):
                    self.assertIn("symbolic link", self.expect(1, *args, a).stderr)
            self.assertEqual(self.text("precious"), "mine")
        want = self.expect(0, "report", "a.db").stdout
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            script = f'echo before > said; "$0" report -o {name} a.db >> said; echo after >> said'
            subprocess.run(["sh", "-c", script, LANESCOPE], cwd=self.dir, env=environment(), check=True)
            self.assertEqual(self.text("said"), f"before\n{want}after\n", name)
        self.expect(0, "report", "-o", "/dev/null", a)

    def test_who_reads_what_is_written(self):
        """Source texts are in it: who cannot read the database cannot read what was made of it, nor what is replaced gets wider."""
        db = self.sample()
        for mode, old, expected in ((0o600, None, 0o600), (0o640, None, 0o640), (0o644, None, 0o644), (0o644, 0o600, 0o600),
                                    (0o600, 0o666, 0o600)):
            for words in self.forms_with_files(db):
                with self.subTest(words=words, mode=oct(mode), old=old):
                    os.chmod(db, mode)
                    if old:
                        os.chmod(self.write("out", "old"), old)
                    self.expect(0, *words, "out")
                    page = "--html" in words and old  # ours: what mode it had does not matter
                    self.assertEqual(oct(os.stat(self.path("out")).st_mode & 0o777), oct(mode if page else expected))
                    os.unlink(self.path("out"))

    def test_folders_and_lists_keep_readers_away(self):
        """A database that a folder keeps from others, and one whose access control list names somebody with less: what is made of
        it is for its owner alone, but beside it in that folder."""
        os.mkdir(self.path("kept"), 0o700)
        os.chmod(self.dir, 0o755)
        db = self.sample("kept/a.db")
        listed = self.sample("listed.db")
        merge = ["merge", "--force", "-o"]
        for words in [*self.forms_with_files(db), merge]:
            for out, expected in ("out", 0o600), ("kept/out", 0o644):
                with self.subTest(words=words, out=out):
                    self.expect(0, *words, out, *([db] if words == merge else []))
                    self.assertEqual(oct(os.stat(self.path(out)).st_mode & 0o777), oct(expected))
                    os.unlink(self.path(out))
        # acl(5) in Linux's form of extended attributes: owner rw-, user 12345 ---, group r--, mask r--, others r--.
        entries = ((1, 6, -1), (2, 0, 12345), (4, 4, -1), (16, 4, -1), (32, 4, -1))
        try:
            os.setxattr(listed, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *e) for e in entries))
        except OSError as why:
            self.skipTest(f"access control lists: {why}")
        for words in [*self.forms_with_files(listed), merge]:
            with self.subTest(words=words):
                self.expect(0, *words, "out", *([listed] if words == merge else []))
                self.assertEqual(oct(os.stat(self.path("out")).st_mode & 0o777), oct(0o600))
                os.unlink(self.path("out"))

    def test_what_fails_leaves_what_was_there(self):
        """Files of 64 bytes at most, and of half a page: none of these is so short. What is left over is too much for a buffer then,
        or fits. The cause is told alone, and nothing else is left in the folder."""
        db = self.sample()
        self.write("out", "old")
        there = sorted(os.listdir(self.dir))

        def limit(most):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        half_a_page = [(1 << 16, words) for words in self.forms_with_files(db) if "--html" in words]
        for most, words in [(64, words) for words in self.forms_with_files(db)] + half_a_page:
            r = subprocess.run([LANESCOPE, *words, "out"], cwd=self.dir, env=environment(), capture_output=True, text=True,
                               preexec_fn=lambda: limit(most))
            self.assertEqual(r.returncode, 1, words)
            self.assertEqual([l for l in r.stderr.splitlines() if "times of" not in l],
                             ["lanescope: out: cannot write the output: File too large"], (words, most))
            self.assertEqual((self.text("out"), sorted(os.listdir(self.dir))), ("old", there), words)
        self.expect(2, "report", "--rows", "nothing", db, "-o", "out")
        self.assertEqual((self.text("out"), sorted(os.listdir(self.dir))), ("old", there))

    def test_list_and_info(self):
        r = self.expect(0, "list")
        self.assertIn("counts nothing", r.stdout)
        self.assertIn("fake.Things (things): what was counted", r.stdout)
        self.assertIn("fake.Things/Thing", r.stdout)
        self.assertIn("soft:gfx950", r.stdout)
        self.assertIn("memory_coalescing.Cache Lines", self.expect(0, "list", "metrics", self.sample()).stdout)
        r = self.expect(0, "info")
        self.assertIn("lds_bank_conflicts", r.stdout)
        self.assertNotIn("missing", r.stdout)


if __name__ == "__main__":
    unittest.main()
