"""How the package gets into a program and what happens when something is missing or fails, on `made-up/triton`."""

import os
import pathlib
import subprocess
import sys

import pytest

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


def test_dumps_are_of_the_stock_kernel():
    """What Triton writes for those who look at its compiler's steps (TRITON_DUMP_MIR): as without us, and once."""
    done = python(f"""
from triton.compiler import compiler
compiler.compile({IR!r})
import triton.backends
print(triton.backends.dumped)
""", HERE / "made-up")
    assert (done.stdout, done.stderr) == ("[False]\n", "")


def test_passes_are_printed_as_without_us():
    """LLVM_IR_ENABLE_DUMP: Triton's own passes run over the stock kernel, though LLVM 22 generates the code for 3.2."""
    done = python(f"""
import triton
triton.__version__ = "3.2.0"
from triton.compiler import compiler
compiler.compile({IR!r})
import triton.backends
print(triton.backends.dumped)
""", HERE / "made-up", LLVM_IR_ENABLE_DUMP="1")
    assert (done.stdout, done.stderr) == ("[False]\n", "")


def test_machine_code_of_a_file():
    """TRITON_KERNEL_OVERRIDE: it is what the program's author wants, runs, and is not taken for a damaged one of ours."""
    done = python(f"""
from triton.compiler import compiler
print(compiler.compile({IR!r}).asm["hsaco"], ["lanescope" in key for key in compiler.cache])
""", HERE / "made-up", TRITON_KERNEL_OVERRIDE="1")
    assert done.stdout == "b'of a file' [True]\n"
    assert done.stderr.count("\n") == 1 and "a kernel is not observed: TRITON_KERNEL_OVERRIDE takes" in done.stderr, done.stderr


@pytest.mark.parametrize("version", ["3.2.0", "3.9.0"])
def test_assembly_is_printed_as_without_us(version):
    """AMDGCN_ENABLE_DUMP, on stdout: the stock kernel's, once, whoever generates the code that runs."""
    done = python(f"""
import triton
triton.__version__ = {version!r}
from triton.compiler import compiler
compiler.compile({IR!r})
""", HERE / "made-up", AMDGCN_ENABLE_DUMP="1")
    assert done.stdout.count("\nk:\n") + done.stdout.startswith("k:\n") == 1 and "__ls_k_k" not in done.stdout, done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("changed", ["import os\nos.environ['LANESCOPE_PROBE_BLOCKS'] = 'true'",
                                     # whose folder has no rows of its own
                                     "import sys, types\nsys.modules['torch'] = types.ModuleType('torch')\ntorch = sys.modules['torch']\n"
                                     "torch.__file__ = '/elsewhere/torch/__init__.py'"])
def test_the_key_holds_what_tools_are_told(changed):
    done = python(f"""
from triton.compiler import compiler
first = compiler.compile({IR!r})
{changed}
print(compiler.compile({IR!r}) is first, len(compiler.cache))
""", HERE / "made-up")
    assert (done.stdout, done.stderr) == ("False 2\n", "")


@pytest.mark.parametrize("value, told", [("1", True), ("0", False), ("true", True)])
def test_interpreted_kernels_are_not_observed(value, told):
    done = python("import triton.compiler.compiler", HERE / "made-up", TRITON_INTERPRET=value)
    assert done.stdout == "" and done.stderr.splitlines() == [
        "lanescope: Triton: TRITON_INTERPRET has kernels run on the processor: they are not observed"] * told


def test_a_compiler_in_a_folder_of_any_name(tmp_path):
    """Signs of file name patterns are no patterns there."""
    folder = tmp_path / "tools [1] *?"
    folder.mkdir()
    (folder / "clang-19").write_text("")
    (folder / "clang-19").chmod(0o755)
    done = python("from lanescope_triton import pieces\nprint(pieces._c_compiler())", PATH=str(folder))
    assert (done.stdout, done.stderr) == (f"{folder / 'clang-19'}\n", "")


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


@pytest.mark.parametrize("before", [
    # what many libraries do to learn whether a package is installed
    "import importlib.util\nfor name in ('triton.backends', 'triton.runtime.driver', 'triton.compiler.compiler'):\n    importlib.util.find_spec(name)",
    # not there yet
    "import sys\nkept, sys.path[:] = sys.path[:], []\ntry:\n    import triton.backends\nexcept ImportError:\n    pass\nsys.path[:] = kept",
    # imported anew, as tests of libraries and notebooks do
    "import sys, triton.compiler.compiler\nfor name in [n for n in sys.modules if n.split('.')[0] == 'triton']:\n    del sys.modules[name]",
    # one part anew, which finds the rest as it was
    "import importlib, sys, triton.compiler.compiler\nimportlib.reload(sys.modules['triton.compiler.compiler'])",
    # another hook that asks for the whole answer, ours with it
    """import sys, importlib.util
class Other:
    names = set()
    def find_spec(self, name, path=None, target=None):
        if name in self.names:
            return None
        self.names.add(name)
        try:
            return importlib.util.find_spec(name)
        finally:
            self.names.remove(name)
sys.meta_path.insert(0, Other())
sys.meta_path.append(Other())"""])
def test_however_it_is_imported(before):
    done = compiled(before)
    assert (done.stdout, done.stderr, done.returncode) == ("clone [True] True\n", "", 0)


def test_asked_for_and_imported_later(tmp_path):
    """torch is looked for by libraries that can do without, long before it is imported."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(NAMES.format(hip=None, available=False))
    done = python("import importlib.util\nimportlib.util.find_spec('torch')\nimport triton.runtime.driver, torch; print(torch.Tensor().is_cuda)",
                  HERE / "made-up", tmp_path, LANESCOPE_GPU="soft:gfx942")
    assert (done.stdout, done.stderr) == ("mode\nTrue\n", "")


def test_a_backend_is_hooked_once():
    """A part that is imported anew may find the backend that has our stages already; none gets two clones, or two keys."""
    done = compiled("import triton.backends as b\nfrom lanescope_triton import stages\nstages.hook(b.backends)\n"
                    "print(b.backends['amd'].compiler().hash().count('lanescope'))")
    assert (done.stdout, done.stderr) == ("1\nclone [True] True\n", "")


def test_first_kernels_of_several_threads():
    """Triton lets each thread make a driver; what stands in for torch after the first one is not the program's torch."""
    done = python("""
import threading, types
from lanescope_triton import drivers, driver_plain, hip
import triton.runtime.driver as d
hip.triton_driver = lambda: None
driver_plain.make = lambda stock: "ours"
made = []
threads = [threading.Thread(target=lambda: made.append(d._create_driver())) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
print(made)
""", HERE / "made-up", LANESCOPE_GPU="soft:gfx942")
    assert (done.stdout, done.stderr) == ("['ours', 'ours', 'ours', 'ours']\n", "")


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


def test_the_complaint_says_what_is_wrong(tmp_path):
    """LLVM says first what it dislikes, and last that it gives up."""
    said = "echo 'Intrinsic has incorrect argument type!\nptr @f\nLLVM ERROR: Broken module found, compilation aborted!' >&2; exit 1"
    assert_stock(compiled(LANESCOPE_LLVM_DIR=failing(tmp_path, said)), "Intrinsic has incorrect argument type!", "the stock kernel runs")


def test_crashing_opt(tmp_path):
    assert_stock(compiled(LANESCOPE_LLVM_DIR=failing(tmp_path, "kill -SEGV $$")), "not observed", "exit code -11")


def test_killed_opt_that_wrote_half(tmp_path):
    assert_stock(compiled(LANESCOPE_LLVM_DIR=failing(tmp_path, "echo 'define void @__ls_'")), "not observed")


def test_text_that_the_generator_cannot_read():
    # The made-up generator refuses our clone, as that of a version that nobody tried might.
    done = compiled("import os\nos.environ['MADE_UP_REFUSES'] = '1'")
    assert_stock(done, "not observed", "unknown attribute")


def test_cache_that_cannot_be_written():
    done = compiled("import os\nos.environ['MADE_UP_KEEPS_OLD_ONLY'] = '1'")
    assert_stock(done, "not observed", "PermissionError", "the stock kernel runs")


def test_a_remote_cache_that_refuses_ours():
    assert_stock(compiled("import os\nos.environ['MADE_UP_REMOTE_REFUSES'] = 'ours'"), "not observed", "RemoteError: value too large",
                 "the stock kernel runs")


def test_a_remote_cache_that_refuses_all():
    """The program fails as it would without us."""
    done = compiled("import os\nos.environ['MADE_UP_REMOTE_REFUSES'] = 'all'")
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "triton.compiler.compiler.RemoteError: value too large"
    assert "lanescope:" not in done.stderr


def test_an_error_of_the_program_stays_its_own():
    """What fails without us, too, fails as it would, and nothing is said of us."""
    done = compiled("""
import sys
from triton.backends import backends
def fails(self):
    raise FileNotFoundError("no such backend")
backends["amd"].compiler.hash = fails
""")
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "FileNotFoundError: no such backend"
    assert "lanescope:" not in done.stderr


def test_no_llvm():
    """The stock kernel runs, for which Triton gets what it needs on a machine without ROCm all the same."""
    done = compiled("import lanescope_triton.pieces as p\np.LLVM, p.help_triton = '1', lambda: print('helped')")
    assert done.stdout == "helped\nplain [False] True\n", (done.stdout, done.stderr)
    assert "opt-1 is missing" in done.stderr and "LANESCOPE_LLVM_DIR" in done.stderr


def test_no_plugin():
    done = compiled("import lanescope_triton.pieces as p, pathlib\np.LIBRARY = pathlib.Path('/nowhere')")
    assert done.stdout == "plain [False] True\n", (done.stdout, done.stderr)
    assert "/nowhere/liblanescope-pass-22.so is missing" in done.stderr and len(done.stderr.splitlines()) == 1


def test_original_that_changed_is_told():
    done = compiled("import os\nos.environ['MADE_UP_CHANGES'] = '1'")
    assert done.stdout == "clone [True] True\n"
    assert "not the stock kernel" in done.stderr and len(done.stderr.splitlines()) == 1


def test_driver_only_for_the_software_gpu():
    code = "from triton.runtime.driver import driver; print(driver.active)"
    assert python(code, HERE / "made-up").stdout == "stock driver\n"
    assert python(code, HERE / "made-up", LANESCOPE_GPU="hw").stdout == "stock driver\n"


NAMES = """
import types
version = types.SimpleNamespace(hip={hip!r})
class Tensor:
    is_cuda = False
class TorchFunctionMode:
    def __enter__(self):
        print("mode")
overrides = types.SimpleNamespace(TorchFunctionMode=TorchFunctionMode)
cuda = types.SimpleNamespace(is_available=lambda: {available})
device = lambda name: name
"""


@pytest.mark.parametrize("first, second", [("torch", "triton.runtime.driver"), ("triton.runtime.driver", "torch")])
@pytest.mark.parametrize("hip, available, gpu, taken", [
    (None, False, "soft:gfx942", True), (None, False, "hw", False), (None, False, "", False), ("6.2", False, "soft:gfx942", False),
    (None, True, "soft:gfx942", False)])
def test_the_name_cuda(tmp_path, first, second, hip, available, gpu, taken):
    """On the software GPU, for a torch without a GPU, and only there, device="cuda" is ours; Triton has to be there."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(NAMES.format(hip=hip, available=available))
    done = python(f"import {first}; print('one'); import {second}, torch; print(torch.Tensor().is_cuda)", HERE / "made-up", tmp_path,
                  LANESCOPE_GPU=gpu)
    assert (done.stdout, done.stderr) == ("one\nmode\nTrue\n" if taken else "one\nFalse\n", "")


def torch_stand_in(tmp_path, hip):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(f"import types\nversion = types.SimpleNamespace(hip={hip!r})\n")
    return tmp_path


def test_torch_for_rocm_keeps_its_driver(tmp_path):
    """On hardware, and on the software GPU with a torch that knows HIP, Triton makes the driver that it would have made."""
    code = "from triton.runtime.driver import driver; print(driver.active)"
    path = torch_stand_in(tmp_path, "6.2.41133")
    for gpu in ("hw", "soft:gfx942", "soft:gfx90a"):
        done = python(code, HERE / "made-up", path, LANESCOPE_GPU=gpu)
        assert (done.stdout, done.stderr) == ("stock driver\n", ""), gpu


def test_torch_for_the_processor_on_hardware(tmp_path):
    """Nothing is copied around launches of a real GPU: Triton itself says what it misses."""
    code = "from triton.runtime.driver import driver; print(driver.active)"
    done = python(code, HERE / "made-up", torch_stand_in(tmp_path, None), LANESCOPE_GPU="hw")
    assert (done.stdout, done.stderr) == ("stock driver\n", "")


def test_stderr_closed():
    done = python(f"import sys, os; os.close(2); sys.stderr = None\nfrom triton.compiler import compiler\n"
                  f"print('clone' if '__ls_k_k' in compiler.compile({IR!r})[0] else 'plain')", HERE / "made-up",
                  LANESCOPE_LLVM_DIR="/nowhere")
    assert done.stdout == "clone\n"
