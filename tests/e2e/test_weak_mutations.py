"""The transport with one fence, wait or atomic taken out, or with a scope that is too narrow: weak memory finds that it is missing,
or, where nothing that runs here can show it, what reads the machine code. The same rig without a change finds nothing."""

import sqlite3
import subprocess
import sys

import pytest

import hangs
import mutants
import profiling

PASS_TESTS = mutants.ROOT / "llvm-pass" / "tests"
sys.path.insert(0, str(PASS_TESTS))
import test_waits  # noqa: E402
from codeobject import CodeObject  # noqa: E402

# Whether a write that is late is seen to be late depends on the host's thread, too: two seeds of three miss the wait that
# is gone. A run that finds ends at once, so many seeds cost nothing where there is something.
SEEDS = {"nothing": range(1, 6), "something": range(1, 61)}
# Whoever has a ticket's number has waited for all that it stored before the ticket was taken, so the wait before the entry is
# for what it stores behind it: nothing, as it stands. So that a wait can be missing there is a store: the header's slot.
BEHIND_TICKET = [
    ("chunk.h", "    out[0] = first;\n", "    out[0] = (u32x4){0, first[1], first[2], first[3]};\n"),
    (
        "chunk.h",
        "    release(c.flags);\n",
        "    uint64_t offset = (uint32_t)cursor - 1 - (uint32_t)c.chunks;\n"
        "    *(GLOBAL uint32_t *)(c.chunks + (offset & -(uint64_t)c.chunk_bytes)) = c.slot;\n"
        "    release(c.flags);\n",
    ),
]
RELEASE = ("chunk.h", "    __builtin_amdgcn_s_waitcnt(0);\n", "")
TICKET = (
    "chunk.h",
    "uint32_t ticket = __hip_atomic_fetch_add(&ring->done_head, 1, __ATOMIC_RELAXED, SYSTEM);",
    "uint32_t ticket = LOAD(&ring->done_head, AGENT);\n    STORE(&ring->done_head, ticket + 1, AGENT);",
)
COUNTERS = (
    "summary_common.c",
    "    __hip_atomic_fetch_add(word_at(tables, entry) + 1, 1, __ATOMIC_RELAXED, AGENT);",
    "    STORE(word_at(tables, entry) + 1, LOAD(word_at(tables, entry) + 1, AGENT) + 1, AGENT);",
)

FREE_TICKET = (
    "chunk.h",
    "return __hip_atomic_fetch_add(&ring->free_head, 1, __ATOMIC_RELAXED, AGENT);",
    "uint32_t ticket = LOAD(&ring->free_head, AGENT);\n    STORE(&ring->free_head, ticket + 1, AGENT);\n    return ticket;",
)
ENDED = (
    "wave.c",
    "    uint32_t ended = readfirstlane(__hip_atomic_fetch_add(&s->ended, 1, __ATOMIC_RELAXED, AGENT)) + 1;",
    "    uint32_t ended = readfirstlane(LOAD(&s->ended, AGENT)) + 1;\n    STORE(&s->ended, ended, AGENT);",
)
# The scalar cache does not see what the wavefront itself stores.
SCALAR = ("access.c", "uint64_t loaded = LOAD(&w->cursor, WAVEFRONT);", "uint64_t loaded = *(const CONSTANT uint64_t *)&w->cursor;")

MUTATIONS = {
    "nothing": ([], ()),
    "nothing_summary": ([], ("--summary-mode",)),
    "nothing_behind_ticket": (BEHIND_TICKET, ()),
    "release": ([*BEHIND_TICKET, RELEASE], ()),
    "ticket": ([TICKET], ()),
    "counters": ([COUNTERS], ("--summary-mode",)),
    "free_ticket": ([FREE_TICKET], ()),
    "ended": ([ENDED], ("--summary-mode",)),
    "scalar": ([SCALAR], ()),
}


NUMBERS = """SELECT k.name, s.line, s.kind, m.handler, m.name, sum(v.value) FROM value v
    JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel
    JOIN site_view s ON s.site = v.site JOIN metric m ON m.id = v.metric
    WHERE NOT m.is_ratio GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"""


def compiled(launcher, program):
    source = profiling.EXAMPLE_SOURCES / "reduction" / "reduction.hip"
    done = profiling.call(launcher, "clang++-22", "--offload-arch=gfx90a", "-O3", source, "-o", program, "-lamdhip64")
    assert done.returncode == 0, done.stderr
    return program


def run(launcher, program, directory, options):
    """The numbers of a run; a text if it did not end well."""
    command = [launcher, "run", "--gpu", profiling.GPU, "-d", directory, "-o", "run", *options, "--", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=profiling.clean_environment()) as process:
        try:
            out, err = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            hangs.end(process)
            return "it does not end"
    if process.returncode or "FAILED" in out or "PASSED" not in out:
        return err
    (database,) = directory.glob("**/*.db")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        return db.execute(NUMBERS).fetchall()


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation(name, tmp_path):
    changes, options = MUTATIONS[name]
    strong = run(profiling.LANESCOPE, compiled(profiling.LANESCOPE, tmp_path / "plain"), tmp_path / "strong", options)
    assert isinstance(strong, list) and strong, strong
    launcher = mutants.install(tmp_path / "mutant", changes)
    program = compiled(launcher, tmp_path / "program")
    missing = not name.startswith("nothing")
    for seed in SEEDS["something" if missing else "nothing"]:
        weak = run(launcher, program, tmp_path / str(seed), [*options, f"--soft-memory=weak:{seed}"])
        if weak != strong:
            assert missing, weak
            return
    assert not missing, "no seed found what is missing"


# ---- GPUs of several dies ----

# Before a wavefront counts itself as ended it has stored that its die has counters.
LAST = ("wave.c", "    counted();\n    mask_t", "    (void)&counted;\n    mask_t")
ENTRY = ("chunk.h", "LS_DONE(cursor, flags), SYSTEM);", "LS_DONE(cursor, flags), AGENT);")
DONE_HEAD = ("chunk.h", "&ring->done_head, 1, __ATOMIC_RELAXED, SYSTEM)", "&ring->done_head, 1, __ATOMIC_RELAXED, AGENT)")
EMPTIED = ("wave.c", '    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");\n    return 1;', "    return 1;")


@pytest.mark.parametrize("name,changes", [("nothing", []), ("last", [LAST]), ("entry", [ENTRY]), ("done_head", [DONE_HEAD]), ("emptied", [EMPTIED])])
def test_machine_code(name, changes, tmp_path):
    """In the ring's own memory, which no L2 keeps, a store of agent scope is as good as one of system scope; where GPU and host
    share a memory it is not. So the instructions themselves are held to it."""
    listing = mutants.machine_code(tmp_path / "mutant", changes, "gfx942")
    if not changes:
        test_waits.check("gfx942", listing)
        return
    with pytest.raises((AssertionError, ValueError)):
        test_waits.check("gfx942", listing)


def messages(launcher, directory):
    """messages.hip for eight dies, and its site table, as test_messages takes them."""
    code, table = directory / "messages.co", directory / "messages.sites"
    done = profiling.call(launcher, "clang++-22", "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-O3", "--offload-arch=gfx942",
                          "-c", PASS_TESTS / "messages.hip", "-o", code)
    assert done.returncode == 0, done.stderr
    section = CodeObject(str(code)).section(".lanescope.sites")
    table.write_bytes(code.read_bytes()[section[4]:section[4] + section[5]])
    return code, table


@pytest.mark.parametrize("changes,seeds", [([], range(1, 4)), ([LAST], range(1, 31))], ids=["nothing", "last"])
def test_counting_on_dies(changes, seeds, tmp_path):
    """What the last wavefront sends of a dispatch in summary mode is what all dies have counted."""
    code, table = messages(mutants.install(tmp_path / "mutant", changes, "gfx942"), tmp_path)
    for seed in seeds:
        done = profiling.call(profiling.BUILD / "stage/bin/test_messages", code, table, "gfx942", "-O3", seed)
        if done.returncode:
            assert changes and done.stdout.count("FAILED summary") == done.stdout.count("FAILED"), done.stdout
            return
    assert not changes, "no seed found what is missing"


# ---- the host ----

ACQUIRES = (
    "code/launch.c",
    "    return (header & mask) < least ? (uint16_t)((header & ~mask) | least) : header;",
    "    (void)least;\n    return (uint16_t)(header & ~mask);",
)


@pytest.mark.parametrize("acquires", [True, False])
def test_packets_acquire(acquires, programs, tmp_path):
    """Packets of clones that acquire nothing: the scalar cache still has the arguments of who had the slot before."""
    program = programs("slots.hip", "-O2")
    launcher = profiling.LANESCOPE if acquires else mutants.install_tool(tmp_path / "mutant", *ACQUIRES)
    told = set()
    for seed in range(1, 4):
        done = profiling.call(launcher, "run", "--gpu", profiling.GPU, f"--soft-memory=weak:{seed}", "-o", tmp_path / f"{seed}.db", "--", program)
        assert done.returncode == 0, done.stderr
        told.add(done.stdout)
    assert (told == {"0 wrong\n"}) == acquires, told
