"""What long work shows on a terminal while it lasts: nothing of it stays, and nothing of the program's output moves."""
import os
import re
import shutil
import subprocess
import sys
import threading
import unittest

from common import HERE, LANESCOPE, Case, environment, preloads
from terminal import open_terminal, own_terminal, printed


class Screen:
    """A terminal, as far as Lanescope uses one: printable text, CR, LF, ESC 7, 8, D, and CSI r, H, A, K, m."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.past = []  # what has scrolled out at the top
        self.row = self.column = 0
        self.saved, self.top, self.bottom = (0, 0), 0, rows - 1

    def down(self):
        if self.row == self.bottom:
            gone = self.cells.pop(self.top)
            self.past += [gone] if not self.top else []
            self.cells.insert(self.bottom, [" "] * self.columns)
        elif self.row < self.rows - 1:
            self.row += 1

    def control(self, letter, numbers):
        first = numbers[0] if numbers else 0
        if letter == "r":
            self.top, self.bottom = (numbers[0] - 1, numbers[1] - 1) if numbers else (0, self.rows - 1)
            self.row = self.column = 0
        elif letter == "H":
            self.row, self.column = numbers[0] - 1, numbers[1] - 1
        elif letter == "A":
            self.row = max(self.row - max(first, 1), self.top if self.row >= self.top else 0)
        elif letter == "K":
            for c in range(0 if first == 2 else self.column, self.columns):
                self.cells[self.row][c] = " "
        elif letter != "m":
            raise AssertionError(f"CSI {letter}")

    def feed(self, text):
        for m in re.finditer(r"\x1b\[([\d;]*)([A-Za-z])|\x1b([78D])|(.|\n|\r)", text, re.S):
            if m[2]:
                self.control(m[2], [int(n) for n in m[1].split(";") if n])
            elif m[3] == "7":
                self.saved = self.row, self.column
            elif m[3] == "8":
                self.row, self.column = self.saved
            elif m[3] == "D" or m[4] == "\n":
                self.down()
            elif m[4] == "\r":
                self.column = 0
            else:
                assert m[4].isprintable(), repr(m[4])
                if self.column == self.columns:
                    self.column = 0
                    self.down()
                self.cells[self.row][self.column] = m[4]
                self.column += 1
        return self

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells).rstrip("\n")

    def all(self):
        """With what one sees who scrolls back."""
        return "\n".join("".join(row).rstrip() for row in self.past + self.cells).rstrip("\n")


class Terminal(Case):
    def on_terminal(self, *args, seen=None, then=None, steps=(), rows=24, columns=80, stderr_only=False, program=LANESCOPE,
                    **more):
        """The command with a terminal; `then` is called once `seen` was printed, or each of `steps` (what is to be seen, what is done
        with the terminal then). Exit code, all that was printed."""
        steps = [(seen, lambda _: then())] if then else list(steps)
        main, side = open_terminal(rows, columns)
        process = subprocess.Popen([program, *args], cwd=self.dir, stdin=side, stdout=subprocess.DEVNULL if stderr_only else side,
                                   stderr=side, preexec_fn=lambda: own_terminal(side), env=environment(**{"TERM": "xterm", "NO_COLOR": "1", **more}))
        os.close(side)
        guard = threading.Timer(60, process.kill)  # a limit, not a measure
        guard.start()
        data, text = b"", ""
        for block in printed(main, process):
            data += block
            text = data.decode(errors="replace")
            if steps and re.search(steps[0][0], text):
                steps.pop(0)[1](main)
        os.close(main)
        code = process.wait()
        guard.cancel()
        self.assertFalse(steps, f"never seen: {steps}\n{text!r}")
        return code, text


class Run(Terminal):
    # Prints, stops in the middle of a line, goes on when it is told to, and prints more than the terminal has lines.
    PROGRAM = ("import sys; print('hello'); print('half a line', end='', flush=True); open('go').read();"
               "print(', and its end'); [print('line', i) for i in range(int(sys.argv[1]))]")

    def go(self):
        with open(self.path("go"), "w"):
            pass

    def run_on_terminal(self, lines, *options, **more):
        os.mkfifo(self.path("go"))
        code, text = self.on_terminal("run", "--gpu", "soft", "-o", "r", "--no-summary", *options, "--", sys.executable, "-c", self.PROGRAM,
                                      str(lines), then=self.go, **more)
        os.remove(self.path("go"))
        self.assertEqual(code, 0, text)
        return text

    @preloads
    def test_line(self):
        """What the fake tool counts, in the last row; the screen is in the end what it is without."""
        for lines, rows in ((3, 24), (3, 6), (40, 10)):
            with self.subTest(lines=lines, rows=rows):
                text = self.run_on_terminal(lines, rows=rows, seen="a second; 0:0[1-9]")
                line = re.search(r"\x1b7\x1b\[(\d+);1H\x1b\[2K(.*?)\x1b8", text)
                self.assertEqual(int(line[1]), rows)
                self.assertRegex(line[2], r"^lanescope: 1,200 dispatches, 34 observed; 5,678,901 messages, 0 a second; 0:01$")
                shown = Screen(rows, 80).feed(text[:line.end()]).text().split("\n")
                self.assertEqual(shown[-1], line[2])
                plain = self.run_on_terminal(lines, "--no-progress", rows=rows, seen="half a line")
                self.assertNotIn("dispatches", plain)
                self.assertEqual(Screen(rows, 80).feed(text).all(), Screen(rows, 80).feed(plain).all())

    # A shell's part: the command in a group of its own, which has the terminal until it stops.
    SHELL = ("import os, signal, sys; signal.signal(signal.SIGTTOU, signal.SIG_IGN); child = os.fork();"
             "give = lambda group: os.tcsetpgrp(0, group);"
             "child or (os.setpgid(0, 0), give(os.getpid()), signal.signal(signal.SIGTTOU, signal.SIG_DFL), os.execv(sys.argv[1], sys.argv[1:]));"
             "_, status = os.waitpid(child, os.WUNTRACED); give(os.getpid());"
             "print('\\nstopped', os.WIFSTOPPED(status), flush=True);"
             "give(child); os.kill(-child, signal.SIGCONT); sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")

    @preloads
    def test_stopped(self):
        """Ctrl-Z: the shell has the whole terminal, without the line; then it is there again."""
        os.mkfifo(self.path("go"))
        shown = "a second; 0:0[0-9]+"
        steps = [(shown, lambda main: os.write(main, b"\x1a")), ("stopped True(?s:.*)" + shown, lambda main: self.go())]
        code, text = self.on_terminal("-c", self.SHELL, LANESCOPE, "run", "--gpu", "soft", "-o", "r", "--no-summary", "--", sys.executable,
                                      "-c", self.PROGRAM, "3", program=sys.executable, steps=steps)
        os.remove(self.path("go"))
        self.assertEqual(code, 0, text)
        stopped = Screen(24, 80).feed(text[:text.index("stopped True")])
        self.assertEqual((stopped.top, stopped.bottom), (0, 23), text)
        self.assertNotIn("dispatches", stopped.text())
        end = Screen(24, 80).feed(text)
        self.assertEqual((end.top, end.bottom), (0, 23), text)
        self.assertNotIn("dispatches", end.all())

    # Takes the whole screen once the line was shown, for the time of some more lines, and leaves it after that.
    EDITOR = ("import sys, termios, time, tty; print('hello', flush=True); open('go').read(); old = termios.tcgetattr(0); tty.setcbreak(0);"
              "print('[editor', end='', flush=True); time.sleep(float(sys.argv[1])); print(' ends]', flush=True);"
              "termios.tcsetattr(0, termios.TCSADRAIN, old)")

    @preloads
    def test_programs_with_the_whole_screen(self):
        """Nothing is drawn into an editor, and at its end only the region goes: the last row may be the program's."""
        os.mkfifo(self.path("go"))
        code, text = self.on_terminal("run", "--gpu", "soft", "-o", "r", "--no-summary", "--", sys.executable, "-c", self.EDITOR, "1.7",
                                      then=self.go, seen="a second; 0:0[1-9]")
        os.remove(self.path("go"))
        self.assertEqual(code, 0, text)
        self.assertIn("[editor ends]", text)
        self.assertEqual(Screen(24, 80).feed(text).bottom, 23)

    @preloads
    def test_narrow(self):
        text = self.run_on_terminal(1, columns=30, seen=r"\[2Klanescope")
        self.assertIn("\x1b[2Klanescope: 1,200 dispatches, \x1b8", text)

    @preloads
    def test_no_terminal(self):
        """Neither without one, nor on one that cannot do it, and nothing is left in the temporary directory."""
        r = self.expect(0, "run", "--gpu", "soft", "-o", "r", "--", sys.executable, "-c", "print('hello')", TERM="xterm", TMPDIR=self.dir)
        self.assertNotIn("\x1b", r.stdout + r.stderr)
        self.assertEqual([f for f in os.listdir(self.dir) if f.startswith("lanescope-run")], [])


class Reports(Terminal):
    def setUp(self):
        super().setUp()
        first = self.sample("0.db", "1")
        self.names = [first]
        for i in range(1, 20):
            self.names.append(self.sample(f"{i}.db", str(i + 1)))

    def test_many_files(self):
        for words, what in ((["report", "--stats"], "reading databases"), (["summary"], "reading databases"),
                            (["list", "kernels"], "reading databases"), (["check", "-q"], "checking databases"),
                            (["merge", "-o", "all.db"], "merging databases")):
            with self.subTest(words=words):
                code, text = self.on_terminal(*words, *self.names, rows=200, PAGER="")
                self.assertEqual(code, 0, text)
                self.assertIn(f"\r\x1b[Klanescope: {what}, 0 of 20", text)
                self.assertNotIn("0 of 20", Screen(200, 80).feed(text).all())
                # Whether the output goes elsewhere makes no difference, and without a terminal there is nothing of it.
                self.assertIn("0 of 20", self.on_terminal(*words, *self.names, stderr_only=True)[1])
                self.assertNotIn("\x1b", self.expect(0, *words, *self.names, TERM="xterm").stderr)
        code, text = self.on_terminal("summary", *self.names[:3])
        self.assertNotIn(" of 3", text)
        code, text = self.on_terminal("summary", *self.names, TERM="dumb")
        self.assertNotIn("\x1b[K", text)

    def test_messages_stand_alone(self):
        shutil.copy(self.names[0], self.path("bad.db"))
        with open(self.path("bad.db"), "r+b") as f:
            f.truncate(5000)
        code, text = self.on_terminal("report", *self.names, "bad.db")
        self.assertEqual(code, 3)
        self.assertIn("\r\x1b[Klanescope: bad.db: ", text)


class Quickstart(Terminal):
    """Stand-ins for Debian's packages and for ninja, which does as on a terminal: one line that it writes again and again."""
    NINJA = ("#!/bin/bash\nif [ -t 2 ]; then printf '\\r[1/2] a.c\\x1b[K\\r[2/2] b.c\\x1b[K\\n'; else echo \"ninja $*\"; fi\n"
             "exit ${NINJA_EXIT:-0}\n")

    def setUp(self):
        super().setUp()
        self.script = os.path.join(HERE, "..", "..", "quickstart")
        packages = subprocess.run([self.script, "packages"], capture_output=True, text=True, check=True).stdout.split()
        os.mkdir(self.path("bin"))
        for name, text in (("ninja", self.NINJA), ("apt-get", "#!/bin/sh\nexit 1\n"),
                           ("dpkg-query", "#!/bin/sh\nprintf 'installed %s\\n' " + " ".join(packages) + "\n")):
            os.chmod(self.write(os.path.join("bin", name), text), 0o755)
        os.mkdir(self.path("build"))
        self.write("build/build.ninja", "")
        self.env = {"PATH": self.path("bin") + ":" + os.environ["PATH"], "LANESCOPE_BUILD": self.path("build")}

    def test_build(self):
        code, text = self.on_terminal("build", program=self.script, **self.env)
        self.assertEqual(code, 0, text)
        self.assertIn("[2/2] b.c", text)
        shown = Screen(24, 80).feed(text).all()
        self.assertRegex(shown, r"(?s)^== building into .*: some minutes the\n? ?first time$")
        code, text = self.on_terminal("build", program=self.script, NINJA_EXIT="3", **self.env)
        self.assertEqual(code, 3)
        self.assertIn("[2/2] b.c", Screen(24, 80).feed(text).all())

    def test_no_terminal(self):
        r = subprocess.run([self.script, "build"], capture_output=True, text=True, env=environment(TERM="xterm", **self.env))
        self.assertEqual((r.returncode, r.stdout), (0, ""))
        self.assertNotIn("\x1b", r.stderr)


if __name__ == "__main__":
    unittest.main()
