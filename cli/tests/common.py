"""What the tests of the command share: the stand-in installation and a clean environment."""
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from terminal import open_terminal, printed

PREFIX = os.environ["LANESCOPE_TEST_PREFIX"]
LANESCOPE = os.path.join(PREFIX, os.environ.get("LANESCOPE_TEST_BIN", "bin"), "lanescope")
LIBDIR = os.path.join(PREFIX, os.environ.get("LANESCOPE_TEST_LIBDIR", "lib/lanescope"))
SAMPLE = os.environ["LANESCOPE_TEST_SAMPLE"]
HERE = os.path.dirname(os.path.abspath(__file__))


# A sanitizer's run-time library would have to be loaded before the libraries that `run` preloads.
preloads = unittest.skipIf(os.environ.get("LANESCOPE_TEST_SANITIZED"), "built with a sanitizer")


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE", "HSA_", "LD_PRELOAD", "MPI", "OMPI",
                                                                   "PMI", "SLURM", "XDG_", "COLUMNS", "NO_COLOR"))}
    env.update({"HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "PAGER": "cat"}, **more)
    return env


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="lanescope-cli-")
        self.addCleanup(shutil.rmtree, self.dir, True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb" if isinstance(data, bytes) else "w") as f:
            f.write(data)
        return self.path(name)

    def text(self, name):
        with open(self.path(name)) as f:
            return f.read()

    def lanescope(self, *args, **more):
        stdin = more.pop("input", None)
        return subprocess.run([LANESCOPE, *args], cwd=self.dir, env=environment(**more), capture_output=True,
                              text=True, input=stdin, timeout=300)

    def expect(self, code, *args, **more):
        r = self.lanescope(*args, **more)
        self.assertEqual(r.returncode, code, r.stderr)
        return r

    def in_terminal(self, *args, columns=0, **more):
        """What the command prints to a terminal, which is `columns` wide (0: it does not say). stderr goes to the file "said"."""
        try:
            main, side = open_terminal(24 if columns else 0, columns)
        except OSError as why:  # a bare chroot has no pseudo-terminals
            self.skipTest(f"pty: {why}")
        with open(self.path("said"), "w") as said:
            p = subprocess.Popen([LANESCOPE, *args], stdout=side, stderr=said, env=environment(**{"TERM": "xterm", **more}))
        os.close(side)
        text = b"".join(printed(main, p))
        self.assertEqual(p.wait(), 0)
        os.close(main)
        return text.decode()

    def sample(self, name="a.db", *more):
        subprocess.run([SAMPLE, self.path(name), self.path("transpose.hip"), *more], check=True, env=environment())
        return self.path(name)

    def old(self, name, new):
        """The recording `new` as version 0.1 would have written it: without the tables and columns that came later."""
        db = sqlite3.connect(self.path(name))
        with open(os.path.join(HERE, "schema-0.1.sql")) as f:
            db.executescript(f.read())
        db.execute("ATTACH ? AS new", (new,))
        for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            names = ", ".join('"%s"' % row[1] for row in db.execute("PRAGMA table_info(%s)" % table))
            db.execute("INSERT INTO %s(%s) SELECT %s FROM new.%s" % (table, names, names, table))
        db.commit()
        db.executescript("PRAGMA application_id = %d; PRAGMA user_version = 1" % 0x4c534442)
        db.close()
        return name
