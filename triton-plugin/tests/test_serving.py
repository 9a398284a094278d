"""The server of instrumented modules (lanescope_triton/serving.py, llvm-pass/ls_serve.c) beside programs that do what programs do:
wait for children, close files, fork, take signals, end."""

import os
import pathlib
import subprocess
import sys
import textwrap
import time

import pytest

STAGE = next((pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "stage").glob("lib*/**/python"))
# LLVM's, which Triton's texts name
LAYOUT = ("e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-"
          "p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v"
          "2048:2048-n32:64-S32-A5-G1-ni:7:8:9")
HEAD = """
import os, signal, socket, subprocess, sys, threading
from lanescope_triton import llvm, pieces, serving
IR = '''target datalayout = "LAYOUT"
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @%s(ptr addrspace(1) %%p) #0 {
  %%v = load i32, ptr addrspace(1) %%p
  store i32 %%v, ptr addrspace(1) %%p
  ret void
}
attributes #0 = { %s }
'''
def made(name="k", arch="gfx942", attributes='"x"="y"', own=False, ir=IR):
    with llvm.instrumenting(ir % (name, attributes), arch, own) as f:
        return f()
def server():
    return serving._idle[-1]
"""


def python(code, *options, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "PYTHON"))}
    env.update(PYTHONPATH=str(STAGE), PYTHONDONTWRITEBYTECODE="1", **environment)
    return subprocess.run([sys.executable, *options, "-c", HEAD.replace("LAYOUT", LAYOUT) + textwrap.dedent(code)], env=env, capture_output=True, text=True,
                          timeout=120)


def right(done):
    assert (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")


def test_one_server_makes_what_opt_makes(tmp_path):
    """The same text as from `opt`, for the first kernel and for those after it, whatever was asked before; apart from it, and as
    assembly, the code that stands in it as a string of IR."""
    right(python("""
    def opt(name, arch):
        out = subprocess.run([pieces.tool("opt"), f"-mcpu={arch}", f"-load-pass-plugin={pieces.plugin()}", "-passes=lanescope", "-S", "-"],
                             input=IR % (name, '"x"="y"'), capture_output=True, text=True, check=True, env=pieces.environment(arch))
        return out.stdout
    def whole(answer):
        ir, _, cold = answer.partition(chr(0))
        for character, escaped in ((chr(92), 2 * chr(92)), (chr(10), chr(92) + "0A"), (chr(9), chr(92) + "09"), (chr(34), chr(92) + "22")):
            cold = cold.replace(character, escaped)
        stand_in = chr(92) + "0A" + chr(92) + "09.ascii " + chr(92) + "22lanescope: cold code" + chr(92) + "22"
        assert ir.count(stand_in) == 1 and cold
        return ir.replace(stand_in, cold)
    servers = set()
    for name, arch in (("a", "gfx942"), ("b", "gfx942"), ("a", "gfx90a"), ("b", "gfx942"), ("a", "gfx950")):
        assert whole(made(name, arch)) == opt(name, arch)
        servers.add(server()._pid)
    assert len(servers) == 3, servers
    print("right")
    """))


def test_refused_text_costs_one_kernel():
    right(python("""
    made()
    try:
        made(attributes="nonsense")
    except llvm.Failed as e:
        assert "expected" in str(e) or "unterminated" in str(e), e
    assert "@__ls_k_k" in made()
    print("right")
    """))


def test_accesses_are_merged_as_the_code_generator_does():
    """p[3 * n + 1] need not lie behind p[3 * n], as the index may wrap: only LLVM 22 makes one store of the two."""
    right(python('''
    two = """  %%a = mul i32 %%n, 3
      %%b = add i32 %%a, 1
      %%c = sext i32 %%a to i64
      %%d = sext i32 %%b to i64
      %%e = getelementptr [4 x i8], ptr addrspace(1) %%p, i64 %%c
      %%f = getelementptr [4 x i8], ptr addrspace(1) %%p, i64 %%d
      store i32 1, ptr addrspace(1) %%e
      store i32 2, ptr addrspace(1) %%f
      ret void"""
    two = IR.replace("(1) %%p) #0", "(1) %%p, i32 %%n) #0").replace("  ret void", two)
    wide = [sum("store <2 x i32>" in line for line in made(own=own, ir=two).split(chr(10))) for own in (False, True)]
    assert wide == [1, 0], wide
    print("right")
    '''))


def test_a_server_that_ended_is_replaced():
    right(python("""
    made()
    first = server()._pid
    os.kill(first, signal.SIGKILL)
    assert "@__ls_k_k" in made() and server()._pid != first
    print("right")
    """))


def test_is_no_child_of_the_program():
    """A program may wait for all of its children, and its group may get signals that are not ours."""
    right(python("""
    made()
    try:
        os.wait()
    except ChildProcessError:
        print("right")
    assert os.getpgid(server()._pid) != os.getpgid(0)
    """))


def test_files_that_the_program_closed():
    """As daemons do; what has their numbers then is the program's, and nothing is written there."""
    right(python("""
    import tempfile
    made()
    os.closerange(3, 64)
    files = [tempfile.TemporaryFile() for _ in range(8)]
    pairs = [socket.socketpair() for _ in range(4)]
    assert "@__ls_k_k" in made()
    assert all(os.fstat(f.fileno()).st_size == 0 for f in files)
    for a, b in pairs:
        a.setblocking(False), b.setblocking(False)
        for s in (a, b):
            try:
                sys.exit(f"somebody wrote {s.recv(8)}")
            except BlockingIOError:
                pass
    print("right")
    """))


def test_forked_processes_have_their_own():
    right(python("""
    made()
    first, children = server()._pid, []
    for i in range(4):
        child = os.fork()
        if not child:
            for j in range(5):
                assert f"@__ls_k_k{i}_{j}(" in made(f"k{i}_{j}")
            os._exit(3 if server()._pid != first else 4)
        children.append(child)
    for j in range(5):
        assert f"@__ls_k_mine{j}(" in made(f"mine{j}")
    assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [3] * 4
    print("right")
    """))


def test_threads():
    right(python("""
    wrong = []
    def work(i):
        for j in range(6):
            if f"@__ls_k_k{i}_{j}(" not in made(f"k{i}_{j}", ("gfx90a", "gfx942")[j % 2]):
                wrong.append((i, j))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong and len(serving._idle) <= serving._KEPT
    print("right")
    """))


def test_broken_pipes_kill_no_program():
    """Scripts that set SIGPIPE back to its default."""
    right(python("""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    made()
    os.kill(server()._pid, signal.SIGKILL)
    assert "@__ls_k_k" in made()
    print("right")
    """))


def test_one_that_hangs_is_ended(tmp_path):
    right(python("""
    serving.SECONDS = 1
    made()
    os.kill(server()._pid, signal.SIGSTOP)
    hung = server()._pid
    try:
        made()
    except llvm.Failed as e:
        assert "no answer in" in str(e), e
    for _ in range(100):
        try:
            os.kill(hung, 0)
        except ProcessLookupError:
            break
        if "Z" in open(f"/proc/{hung}/stat").read().rsplit(")", 1)[1][:3]:
            break
        threading.Event().wait(0.1)
    else:
        sys.exit("it is still there")
    print("right")
    """.replace("serving.SECONDS = 1", "serving.SECONDS = 5")))


@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "os.execv('/bin/true', ['true'])"])
def test_ends_with_the_program(end):
    """However that ends. It leaves no warning either (-X dev shows those of processes and files that were forgotten)."""
    done = python(f"""
    made()
    print(server()._pid, flush=True)
    {end}
    """, "-X", "dev")
    assert done.stderr == "", done.stderr
    pid = int(done.stdout)
    for _ in range(600):
        if not os.path.exists(f"/proc/{pid}") or " Z " in pathlib.Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.1)
    pytest.fail("it is still there")
