"""Helpers of the end-to-end tests: compile with the plugin, run with and without the profiler, read the results."""

import os
import pathlib
import sqlite3

import hangs
import precompiled

BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"])
SOURCE = pathlib.Path(__file__).resolve().parent
LANESCOPE = BUILD / "stage" / "bin" / "lanescope"
EXAMPLES = BUILD / "hip-examples"
EXAMPLE_SOURCES = SOURCE.parent.parent / "hip-examples"
GPU = "soft:gfx90a"
TIMEOUT = 300


def clean_environment(**extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "HSA_TOOLS", "LD_PRELOAD"))}
    if folder := os.environ.get("TEST_COMGR_FOLDER"):
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [folder, env.get("LD_LIBRARY_PATH")]))
    env["LANESCOPE_SUMMARY_FEW"] = "0"  # the tests' dispatches are small: in summary mode they are to count
    env.update(extra)
    return env


def call(*command, **kwargs):
    """Runs a command to its end and returns it with text output; never raises for an exit code."""
    kwargs.setdefault("env", clean_environment())
    return hangs.run([str(c) for c in command], TIMEOUT, **kwargs)


def compiled(*command, **kwargs):
    """`call` for a compile command of which the test wants the result, not how it comes to be."""
    kwargs.setdefault("env", clean_environment())
    return precompiled.run(command, **kwargs)


def compile_hip(out, *arguments, plugin=True, compiler="hipcc"):
    """Compiles tests/e2e/programs (or absolute) sources to `out`."""
    words = [a if a.startswith(("-", "/")) else str(SOURCE / "programs" / a) for a in map(str, arguments)]
    command = ([LANESCOPE] if plugin else []) + [compiler, *words, "-o", out]
    done = compiled(*command)
    assert done.returncode == 0, done.stderr
    return out


def run_plain(program, *arguments, options=()):
    """The program on the software GPU without instrumentation: ground truth of its behaviour."""
    soft = next((BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))
    env = clean_environment(**{"LD_PRELOAD": str(soft), "LANESCOPE_GPU": GPU, **dict(options)})
    return call(program, *arguments, env=env)


class Profile:
    """One `lanescope run` and the database that it left."""

    def __init__(self, directory, program, *arguments, options=(), env=None, gpu=GPU):
        self.directory = pathlib.Path(directory)
        self.done = call(
            LANESCOPE, "run", "--gpu", gpu, "-d", self.directory, "-o", "run", *options, "--", program, *arguments,
            env=env or clean_environment(),
        )
        self.databases = sorted(self.directory.glob("**/*.db"))

    @property
    def database(self):
        assert len(self.databases) == 1, (self.databases, self.done.stderr)
        return self.databases[0]

    def query(self, sql, *values):
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as db:
            return db.execute(sql, values).fetchall()

    def metric(self, handler, metric, kernel="%", line=None, kind="%", dispatch=None):
        """Sum of a metric over the sites that match; None when there is no value at all."""
        rows = self.query(
            """SELECT sum(v.value) FROM value v JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel
               JOIN site_view s ON s.site = v.site JOIN metric m ON m.id = v.metric
               WHERE m.handler = ?1 AND m.name = ?2 AND k.name LIKE ?3 AND s.kind LIKE ?4
               AND (?5 IS NULL OR s.line = ?5) AND (?6 IS NULL OR d.number = ?6)""",
            handler, metric, kernel, kind, line, dispatch,
        )
        return rows[0][0]


def marked_line(source, mark):
    """Number of the only line of a test program that carries the mark."""
    lines = (SOURCE / "programs" / source).read_text().splitlines()
    found = [i for i, text in enumerate(lines, 1) if mark in text]
    assert len(found) == 1, (source, mark, found)
    return found[0]
