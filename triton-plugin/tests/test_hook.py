"""How the package gets into a program and what happens when something is missing or fails, on `made-up/triton`."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
STAGE = next((pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "stage").glob("lib*/**/python"))
IR = 'target triple = "amdgcn-amd-amdhsa"\ndefine amdgpu_kernel void @k() #0 {\n  ret void\n}\nattributes #0 = { "target-cpu"="gfx90a" }\n'


def python(code, *path, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "PYTHON"))}
    env.update(PYTHONPATH=os.pathsep.join(map(str, [STAGE, *path])), PYTHONDONTWRITEBYTECODE="1", **environment)
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)


def compiled(code="", *path, **environment):
    """stdout lines of a program that imports the made-up Triton, compiles IR twice, and says what came of it."""
    program = f"""
{code}
from triton.compiler import compiler
first = compiler.compile({IR!r})
second = compiler.compile({IR!r})
print("clone" if "__ls_k_k" in first[0] else "plain", sorted("lanescope" in k for k in compiler.cache), first is second)
"""
    return python(program, *path, HERE / "made-up", **environment)


def test_kernel_gets_a_clone_under_a_key_of_its_own():
    done = compiled()
    assert (done.stdout, done.stderr, done.returncode) == ("clone [True] True\n", "", 0)


def test_without_triton_nothing_happens():
    done = python("import sys, json; print('triton' in sys.modules, 'lanescope_triton.stages' in sys.modules, sys.path[1:2])")
    assert done.stdout.startswith("False False") and str(STAGE) not in done.stdout and done.stderr == ""


def test_the_users_own_sitecustomize_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nprint('mine', __name__, __file__)\nvalue = 7\n")
    done = python("import sitecustomize; print(sitecustomize.value)", tmp_path)
    assert done.stdout == f"mine sitecustomize {tmp_path}/sitecustomize.py\n7\n" and done.stderr == ""


def test_a_failing_sitecustomize_of_the_user_looks_as_ever(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("raise RuntimeError('mine')\n")
    done = python("print('ran')", tmp_path)
    assert "RuntimeError: mine" in done.stderr and done.stdout == "ran\n"


def test_children_are_hooked_too():
    done = python(f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', "
                  f"'import lanescope_triton, triton.backends as b; print(b.backends[\"amd\"].compiler().hash()[:16])']))",
                  HERE / "made-up")
    assert done.stdout == "stock-lanescope-\n", done.stderr


def assert_stock(done, *words):
    """The stock kernel ran under the stock key, and one line said why."""
    assert done.returncode == 0 and done.stdout == "plain [False] True\n", (done.stdout, done.stderr)
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("lanescope: Triton: "), lines
    assert all(word in lines[0] for word in words), lines


def failing(tmp_path, text):
    """A folder of tools in which opt is a script."""
    (tmp_path / "opt").write_text(f"#!/bin/sh\n{text}\n")
    (tmp_path / "opt").chmod(0o755)
    return str(tmp_path)


def test_failing_opt(tmp_path):
    done = compiled(LANESCOPE_LLVM_DIR=failing(tmp_path, "echo 'error: no such thing' >&2; exit 1"))
    assert_stock(done, "not observed", "error: no such thing", "the stock kernel runs")


def test_crashing_opt(tmp_path):
    assert_stock(compiled(LANESCOPE_LLVM_DIR=failing(tmp_path, "kill -SEGV $$")), "not observed", "exit code -11")


def test_killed_opt_that_wrote_half(tmp_path):
    assert_stock(compiled(LANESCOPE_LLVM_DIR=failing(tmp_path, "echo 'define void @__ls_'")), "not observed")


def test_text_that_the_generator_cannot_read():
    # The made-up generator refuses our clone, as that of a version that nobody tried might.
    done = compiled("import os\nos.environ['MADE_UP_REFUSES'] = '1'")
    assert_stock(done, "not observed", "unknown attribute")


def test_no_llvm(tmp_path):
    done = compiled("import lanescope_triton.pieces as p\np.LLVM = '1'")
    assert done.stdout == "plain [False] True\n", (done.stdout, done.stderr)
    assert "opt-1 is missing" in done.stderr and "LANESCOPE_LLVM_DIR" in done.stderr


def test_original_that_changed_is_told():
    done = compiled("import os\nos.environ['MADE_UP_CHANGES'] = '1'")
    assert done.stdout == "clone [True] True\n"
    assert "not the stock kernel" in done.stderr and len(done.stderr.splitlines()) == 1


def test_driver_only_for_the_software_gpu():
    code = "from triton.runtime.driver import driver; print(driver.active)"
    assert python(code, HERE / "made-up").stdout == "stock driver\n"
    assert python(code, HERE / "made-up", LANESCOPE_GPU="hw").stdout == "stock driver\n"


def test_stderr_closed():
    done = python(f"import sys, os; os.close(2); sys.stderr = None\nfrom triton.compiler import compiler\n"
                  f"print('clone' if '__ls_k_k' in compiler.compile({IR!r})[0] else 'plain')", HERE / "made-up",
                  LANESCOPE_LLVM_DIR="/nowhere")
    assert done.stdout == "clone\n"
