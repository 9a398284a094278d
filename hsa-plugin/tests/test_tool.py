"""The tool library on the software GPU: what it swaps, what it leaves alone, and that it never changes a program."""

import os
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(SOURCE.parents[1] / "tests" / "e2e"))

import profiling  # noqa: E402
from profiling import Profile  # noqa: E402


@pytest.fixture(scope="module")
def launches(tmp_path_factory):
    out = tmp_path_factory.mktemp("programs") / "launches"
    return profiling.compile_hip(out, "--offload-arch=gfx90a", "-O3", SOURCE / "launches.hip")


def settings(**values):
    return profiling.clean_environment(**{f"LANESCOPE_{k}": str(v) for k, v in values.items()})


# 10 launches of a graph of 8 kernels; 80 launches with 8 callbacks; 4000 launches with 22000 events
@pytest.mark.parametrize("how,n", [("graph", 80), ("callbacks", 80), ("flood", 4000)])
def test_launches(how, n, launches, tmp_path):
    p = Profile(tmp_path, launches, how)
    assert (p.done.returncode, p.done.stdout) == (0, f"{n} {n}\n"), p.done.stderr
    # one wavefront, one atomic each
    assert p.query("SELECT count(*), sum(messages), sum(bad), sum(dropped) FROM dispatch WHERE observed") == [
        (n, n, 0, 0)
    ]
    assert p.query("SELECT count(*) FROM dispatch WHERE start_ns = 0 OR end_ns < start_ns") == [(0,)]


def test_replaced_by_exec(launches, tmp_path):
    p = Profile(tmp_path, launches, "exec")
    assert (p.done.returncode, p.done.stdout) == (0, "80 80\nreplaced\n"), p.done.stderr
    assert p.query("SELECT count(*) FROM dispatch WHERE observed") == [(80,)]
    assert p.query("SELECT value FROM meta WHERE key = 'state'") == [("complete",)]


def test_modules_loaded_again(tmp_path):
    code = profiling.compile_hip(tmp_path / "k.co", "--genco", "--offload-arch=gfx90a", "-O3",
                                 SOURCE / "module_kernel.hip")
    host = profiling.compile_hip(tmp_path / "host", "-O2", SOURCE / "module_host.cpp", plugin=False)
    p = Profile(tmp_path / "out", host, code)
    assert (p.done.returncode, p.done.stdout) == (0, "3 3\n"), p.done.stderr
    # 4 wavefronts; a load and a store of one element share a message
    assert p.query("SELECT observed, messages FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.mangled = 'inc'") == [(1, 4)] * 3


def damaged(program, out, change):
    data = bytearray(pathlib.Path(program).read_bytes())
    change(data, data.index(b"LSSITE01"))
    out.write_bytes(data)
    out.chmod(0o755)
    return out


def set_byte(offset, value):
    def change(data, at):
        data[at + offset] = value
    return change


def rename_clone(data, at):
    data[data.index(b"__ls_k_", at)] ^= 1


@pytest.mark.parametrize("name,change,reason", [
    ("version", set_byte(8, 9), "damaged"),  # offset 8: version of the table
    ("size", set_byte(12, 1), "damaged"),  # offset 12: its size, then no multiple of 8
    ("wire", set_byte(28, 99), "another version"),  # offset 28: version of the wire format
    ("clone", rename_clone, "missing"),
])
def test_damaged_table(name, change, reason, launches, tmp_path):
    p = Profile(tmp_path / "out", damaged(launches, tmp_path / name, change), "callbacks")
    assert (p.done.returncode, p.done.stdout) == (0, "80 80\n"), p.done.stderr
    rows = p.query("SELECT DISTINCT observed, not_observed FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.mangled LIKE '%add%'")
    assert len(rows) == 1 and rows[0][0] == 0 and reason in rows[0][1], rows
    assert p.query("SELECT count(*) FROM note WHERE level <= 1")[0][0] >= 1
    # told once by the tool library; the summary repeats it in its own way
    assert p.done.stderr.count("lanescope: warning:") == 1, p.done.stderr


def results(tmp_path, program, threads, handlers):
    p = Profile(tmp_path / str(threads), program, options=["--decode-threads", str(threads), "--handlers", handlers])
    assert p.done.returncode == 0, p.done.stderr
    return (p.query("SELECT chunks, bytes, messages, bad, dropped FROM dispatch ORDER BY number"),
            p.query("SELECT m.handler, m.name, d.number, v.site, v.value FROM value v JOIN metric m ON m.id = v.metric"
                    " JOIN dispatch d ON d.id = v.dispatch ORDER BY 1, 2, 3, 4, 5"))


# Its launches have 16 wavefronts in each of 16 work-groups and more: several parts. `redundancy` has no merge.
def test_threads_share_a_dispatch(tmp_path):
    program = profiling.compile_hip(tmp_path / "matmul", "-O3", "-g", "--offload-arch=gfx90a",
                                    SOURCE.parents[1] / "hip-examples" / "matmul" / "matmul.hip")
    handlers = "lds_bank_conflicts,memory_coalescing,alignment,redundancy"
    one, many = (results(tmp_path, program, threads, handlers) for threads in (1, 5))
    assert sum(row[2] for row in one[0]) > 500  # of some hundred wavefronts, so that each thread gets some
    assert {row[0] for row in one[1]} >= {"lds_bank_conflicts", "memory_coalescing", "alignment", "redundancy"}
    assert one == many


# The program has 80 dispatches of one wavefront, so every filter can be counted.
@pytest.mark.parametrize("values,observed,messages", [
    ({"DISPATCHES": "[3-5],[80]"}, 4, 4),
    ({"KERNELS": "^nothing"}, 0, 0),
    ({"KERNELS": "^add\\(", "KERNELS_EXCLUDE": "int, int"}, 80, 80),
    ({"KERNELS_EXCLUDE": "int\\*, int"}, 0, 0),
    ({"BLOCKS": "1:2"}, 80, 0),
    ({"BLOCKS": "0:1,0:1"}, 80, 80),
    ({"RING_BYTES": "4096"}, 80, 80),  # a single chunk
    ({"RING_BYTES": "1024", "CHUNK_BYTES": "1024"}, 80, 80),
])
def test_settings(values, observed, messages, launches, tmp_path):
    stage = profiling.BUILD / "stage"
    soft, preload, tool = (next(stage.glob(f"lib*/**/liblanescope-{n}.so")) for n in ("softgpu", "preload", "hsa"))
    out = tmp_path / "x.db"
    env = settings(GPU=profiling.GPU, OUTPUT=out, **values)
    env.update(LD_PRELOAD=f"{preload}:{soft}", HSA_TOOLS_LIB=str(tool))
    done = profiling.call(launches, "callbacks", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "80 80\n", "")
    p = Profile.__new__(Profile)
    p.databases = [out]
    assert p.query("SELECT count(*), sum(observed), sum(messages) FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.mangled LIKE '%add%'") == [(80, observed, messages)]


def test_wrong_setting(launches, tmp_path):
    stage = profiling.BUILD / "stage"
    soft, tool = (next(stage.glob(f"lib*/**/liblanescope-{n}.so")) for n in ("softgpu", "hsa"))
    env = settings(GPU=profiling.GPU, OUTPUT=tmp_path / "x.db", BLOCKS="x")
    env.update(LD_PRELOAD=str(soft), HSA_TOOLS_LIB=str(tool))
    done = profiling.call(launches, "callbacks", env=env)
    assert (done.returncode, done.stdout) == (0, "80 80\n")
    assert "LANESCOPE_BLOCKS: 'x'" in done.stderr
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("atomics", ["true", "false"])
def test_link_without_atomics(atomics, launches, tmp_path):
    """As in a virtual machine to which PCIe atomics are not passed: one line, and the program is as ever."""
    p = Profile(tmp_path, launches, "callbacks", env=settings(SOFT_LINK_ATOMICS=atomics))
    assert (p.done.returncode, p.done.stdout) == (0, "80 80\n"), p.done.stderr
    refused = "the link between GPU and host has no atomic operations"
    told = p.done.stderr.count(f"lanescope: warning: gfx90a: all kernels run unobserved: {refused}")
    assert told == (atomics == "false") and p.done.stderr.count(refused) <= 2, p.done.stderr  # the summary has it, too
    rows = p.query("SELECT DISTINCT observed, not_observed FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.mangled LIKE '%add%'")
    assert len(rows) == 1 and (rows[0] == (1, None) if atomics == "true" else rows[0][1].startswith(refused)), rows
