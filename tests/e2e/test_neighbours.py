"""Recordings among readers, other recordings and other people's files: nothing is lost, nothing is harmed."""

import os
import sqlite3
import stat
import subprocess
import sys
import time

import pytest

import access_log
import profiling
from profiling import Profile

OBSERVED = "SELECT count(*) FROM dispatch d JOIN kernel k ON k.id = d.kernel WHERE observed AND k.mangled LIKE '%add%'"
# A reader that steps a cursor, says so and holds it until its standard input ends.
HOLDER = """
import sqlite3, sys, time
while True:
    try:
        db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=1)
        cursor = db.execute("SELECT * FROM meta")
        if cursor.fetchone():
            break
    except sqlite3.Error:
        pass
    time.sleep(0.002)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def robust(programs):
    return programs("robust.hip", "-O3")


def start(directory, program, *arguments, name="run", options=(), **more):
    where = ("-o", name) if name else ()
    command = [profiling.LANESCOPE, "run", "--gpu", profiling.GPU, "-d", directory, *where, *options, "--", program, *arguments]
    return subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=profiling.clean_environment(), **more)


def ask(database, sql):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def whole(database, launches):
    assert ask(database, OBSERVED) == [(launches,)]
    assert ask(database, "SELECT value FROM meta WHERE key = 'state'") == [("complete",)]
    assert ask(database, "PRAGMA integrity_check") == [("ok",)]


def test_report_in_a_loop(robust, tmp_path):
    run, seen = start(tmp_path, robust, "halves", "1000", stdin=subprocess.PIPE), False
    while run.poll() is None:
        seen |= profiling.call(profiling.LANESCOPE, "report", tmp_path / "run_srclines.db.partial").returncode == 0
        if seen and run.stdin:
            run.stdin.close()
            run.stdin = None
        time.sleep(0.02)
    out, err = run.communicate()
    assert (run.returncode, out) == (3, "PASSED\n") and "error" not in err, err
    whole(tmp_path / "run_srclines.db", 2000)


def test_cursor_that_is_held_over_the_end(robust, tmp_path):
    """The end waits one second at most (READER_MS of results/writer/writer_end.c), and this reader never lets go."""
    run = start(tmp_path, robust, "halves", "1000", stdin=subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path / "run_srclines.db.partial"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        out, err = run.communicate(timeout=profiling.TIMEOUT)
        assert (run.returncode, out) == (3, "PASSED\n") and "error" not in err, err
        whole(tmp_path / "run_srclines.db", 2000)
        assert holder.poll() is None
        holder.stdin.close()
    assert [f.name for f in tmp_path.iterdir()] == ["run_srclines.db"]


LOCKER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


def test_lock_that_another_program_holds_at_the_end(robust, tmp_path):
    """The program starts, when its recording is complete, what locks it for longer than the run: the summary says which
    file it could not read, not that there is none."""
    script = tmp_path / "script"
    script.write_text("\n".join(("import os, subprocess, sys", f"code = subprocess.call([{str(robust)!r}, 'launch', '10'])",
                                 f"locker = subprocess.Popen([sys.executable, '-c', {LOCKER!r}, 'run_srclines.db'], env={{}},",
                                 "                          stdin=int(sys.argv[1]), stdout=subprocess.PIPE)",
                                 "assert locker.stdout.readline() == b'held\\n'", "os._exit(code)")))
    end, hold = os.pipe()
    os.set_inheritable(end, True)
    run = start(tmp_path, sys.executable, script, str(end), cwd=tmp_path, pass_fds=(end,))
    os.close(end)
    try:
        run.wait(profiling.TIMEOUT)
    finally:
        os.close(hold)
    out, err = run.communicate()
    assert (run.returncode, out) == (3, "PASSED\n"), err
    assert "run_srclines.db: the database is locked by another program" in err and "no database was written" not in err, err
    whole(tmp_path / "run_srclines.db", 10)


def test_eight_runs_with_default_names(robust, tmp_path):
    runs = [start(tmp_path, robust, "launch", str(300 + i), name=None) for i in range(8)]
    for i, run in enumerate(runs):
        out, err = run.communicate(timeout=profiling.TIMEOUT)
        assert (run.returncode, out) == (3, "PASSED\n"), err
        own = [line.split("lanescope: ")[1] for line in err.splitlines() if line.endswith("_srclines.db") and "report" not in line]
        assert len(own) == 1 and "partial" not in err and "error" not in err, err
        whole(own[0], 300 + i)
    assert len(list(tmp_path.glob("*/*"))) == 8


def test_eight_runs_with_one_name(robust, tmp_path):
    runs = [start(tmp_path, robust, "launch", str(100 + i)) for i in range(8)]
    for run in runs:
        out, err = run.communicate(timeout=profiling.TIMEOUT)
        assert (run.returncode, out) == (3, "PASSED\n") and "error" not in err, err
    for database in tmp_path.glob("*.db"):
        assert ask(database, "SELECT value FROM meta WHERE key = 'state'") == [("complete",)]
    # those that wrote at the same time have names of their own; a later one replaces what an earlier run left
    assert not list(tmp_path.glob("*.partial*")) and (tmp_path / "run_srclines.db").exists()


def test_partial_files_of_others_are_not_opened(robust, tmp_path):
    """One that waits for its other end when it is opened, and one whose journal names a file to be removed."""
    host, victim = tmp_path / os.uname().nodename, tmp_path / "victim"
    host.mkdir()
    os.mkfifo(host / "1_srclines.db.partial")
    os.mkfifo(host / "2_srclines.db")
    victim.write_text("important")
    p = start(tmp_path, robust, "launch", "5", name=None)
    out, err = p.communicate(timeout=profiling.TIMEOUT)
    assert (p.returncode, out) == (3, "PASSED\n") and "/1_srclines" not in err and "/2_srclines" not in err, err
    assert len(list(host.glob("*_srclines.db"))) == 2


def test_private_source_is_not_stored(tmp_path):
    """A file that only its owner can read, named by #line."""
    secret, source = tmp_path / "secret.txt", tmp_path / "leak.hip"
    secret.write_text("password\n" * 50)
    secret.chmod(0o600)
    text = (profiling.SOURCE / "programs" / "robust.hip").read_text().replace("check.h", str(profiling.SOURCE / "programs/check.h"))
    source.write_text(text.replace("__global__ void flood", f'#line 7 "{secret}"\n__global__ void flood'))
    source.chmod(0o644)
    program = profiling.compile_hip(tmp_path / "leak", "--offload-arch=gfx90a", "-g", "-O3", str(source))

    def run(name, *options):
        p = Profile(tmp_path / name, program, "stores", "2", "2", options=options)
        data = p.database.read_bytes()
        return p, b"password" in data, stat.S_IMODE(p.database.stat().st_mode)

    os.umask(umask := os.umask(0))
    p, leaked, mode = run("default")
    assert not leaked and mode == 0o644 & ~umask
    report = profiling.call(profiling.LANESCOPE, "report", p.database)
    assert "only its owner can read it" in report.stdout and "--sources=all" in report.stdout, report.stdout
    p, leaked, mode = run("all", "--sources=all")
    assert leaked and mode == 0o600
    p, leaked, mode = run("none", "--no-source")
    assert not leaked and p.query("SELECT count(text) FROM source_file") == [(0,)]


# ---- the access log ----


def told_of_log(done):
    return [line for line in done.stderr.splitlines() if "access log" in line]


def test_access_log_on_a_full_disk(robust, tmp_path):
    """A limit on file sizes is a full disk that needs no mount; 8000 launches of two accesses each need megabytes."""
    log = tmp_path / "a.log"
    p = Profile(tmp_path / "out", robust, "limited", "600", "8000", options=("--access-log", log, "--soft-threads", "2"))
    assert (p.done.returncode, p.done.stdout) == (3, "PASSED\n"), p.done.stderr
    told = told_of_log(p.done)
    assert len(told) == 1 and str(log) in told[0] and "incomplete" in told[0], p.done.stderr
    assert log.stat().st_size <= 600 * 1024 and log.read_bytes()[:8] == b"LSGPUBAD"
    with pytest.raises(Exception):
        list(access_log.read(log))
    # the same name serves the next run
    p = Profile(tmp_path / "again", robust, "launch", "2", options=("--access-log", log))
    assert p.done.returncode == 3 and not told_of_log(p.done) and log.read_bytes()[:8] == b"LSGPULOG"


@pytest.mark.parametrize("how", ["file", "link"])
def test_access_log_replaces_nothing_else(how, robust, tmp_path):
    """Refused before the program starts where the name is known; where it is not, the program runs without a log."""
    victim, log = tmp_path / "notes.txt", tmp_path / ("notes.txt" if how == "file" else "a.log")
    victim.write_text("my notes")
    if how == "link":
        log.symlink_to(victim)
    p = Profile(tmp_path / "out", robust, "launch", "2", options=("--access-log", log))
    assert (p.done.returncode, p.done.stdout) == (2, "") and "--force" in p.done.stderr, p.done.stderr
    env = {"LANESCOPE_SOFT_ACCESS_LOG": str(log)}
    plain = profiling.run_plain(robust, "launch", "2", options=env)
    assert plain.returncode == 3 and plain.stderr.count(str(log)) == 1, plain.stderr
    assert victim.read_text() == "my notes"
    p = Profile(tmp_path / "out", robust, "launch", "2", options=("--access-log", log, "--force"))
    assert p.done.returncode == 3 and log.read_bytes()[:8] == b"LSGPULOG" and not log.is_symlink()
    assert how == "file" or victim.read_text() == "my notes"


def test_access_log_that_cannot_be_made(robust, tmp_path):
    """Ends the run before the program starts; what shows later ends nothing, for a program is never changed."""
    for name in ("none/a.log", "none/", "a/b.log"):
        (tmp_path / "a").write_text("")
        p = Profile(tmp_path / "out", robust, "launch", "2", options=("--access-log", f"{tmp_path}/{name}"))
        assert (p.done.returncode, p.done.stdout, p.done.stderr.count("--access-log")) == (2, "", 1), p.done.stderr
    p = Profile(tmp_path / "out", robust, "launch", "2", options=("--access-log", tmp_path / "none" / "%p.log"))
    assert p.done.returncode == 3 and len(told_of_log(p.done)) == 1, p.done.stderr
    assert p.query("SELECT count(*) FROM dispatch WHERE observed") == [(2,)]


@pytest.mark.parametrize("form,suffix", [("csv", "csv"), ("json", "jsonl"), ("binary", "bin")])
def test_address_log_replaces_its_own_files_only(form, suffix, robust, tmp_path):
    log, victim = tmp_path / f"log.{suffix}", tmp_path / "victim"
    options = ("--handlers", f"address_log:format={form}:file={log}")
    sizes = []
    for _ in range(2):
        p = Profile(tmp_path / "out", robust, "launch", "2", options=options)
        assert p.done.returncode == 3 and "cannot write" not in p.done.stderr, p.done.stderr
        sizes.append(log.stat().st_size)
    assert sizes[0] == sizes[1] > 0
    if form != "csv":
        return
    for text in ("my notes", "my notes, which are longer than any mark"):
        log.unlink()
        log.write_text(text)
        p = Profile(tmp_path / "out", robust, "launch", "2", options=options)
        assert p.done.returncode == 3 and f"cannot write {log}" in p.done.stderr and log.read_text() == text
    victim.write_text("")
    log.unlink()
    log.symlink_to(victim)
    p = Profile(tmp_path / "out", robust, "launch", "2", options=options)
    assert p.done.returncode == 3 and "symbolic link" in p.done.stderr and victim.read_text() == ""
