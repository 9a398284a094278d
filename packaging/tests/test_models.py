"""Programs that use the installed library of models, and the examples of its page, as they stand there."""

import re
import shutil
import sys
import textwrap

import pytest
from test_packaging import HERE, call, prefix  # noqa: F401

ROOT = HERE.parent.parent
# 64 lanes, 256 bytes apart, store 4 bytes each: 64 lines; side by side they fill 256 / 128 = 2 lines of gfx942 (docs/hardware.md).
ANSWER = ["256 64 2"]


def block(language):
    """An example of docs/models.md: C has the declaration of addresses, Python an import."""
    text = (ROOT / "docs/models.md").read_text()
    blocks = [textwrap.dedent(b) for b in re.findall(r"(?:^    .*\n)+", text, re.M)]
    found = [b for b in blocks if {"C": "uint32_t at[64];", "Python": "import models"}[language] in b]
    assert len(found) == 1
    return found[0]


@pytest.fixture
def example(tmp_path):
    source = tmp_path / "example.c"
    source.write_text("#include <lanescope/models.h>\n#include <stdio.h>\nint main(void)\n{\n" + block("C") + "}\n")
    return source


def library(prefix):
    return next(prefix.glob("lib*/**/liblanescope-models.so.1")).parent


def check_answer(out):
    lines = out.splitlines()
    assert lines[:1] == ANSWER and len(lines) == 2 and "GPU" in lines[1]


def check_example(out):
    """All lanes are in one bank: 64 cycles, where 32 banks need 2 for 64 lanes; the page says so."""
    assert out.startswith("62 of 64 cycles are conflicts"), out
    assert "All say 62 of 64." in (ROOT / "docs/models.md").read_text()


def test_cmake(prefix, example, tmp_path):
    call("cmake", "-S", HERE / "models", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DEXAMPLE={example}")
    call("cmake", "--build", tmp_path / "build")
    for form in ("models", "models_static"):
        check_answer(call(tmp_path / "build" / ("c_" + form)))
        check_answer(call(tmp_path / "build" / ("cxx_" + form)))
        check_example(call(tmp_path / "build" / ("example_" + form)))
    needed = call("readelf", "-d", tmp_path / "build/c_models_static")
    assert "liblanescope-models" not in needed
    assert "[liblanescope-models.so.1]" in call("readelf", "-d", tmp_path / "build/c_models")


@pytest.mark.parametrize("compiler, source", [("cc", "ask.c"), ("c++", "ask.cpp")])
def test_pkg_config(compiler, source, prefix, example, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    path = str(next(prefix.glob("lib*/**/pkgconfig")))
    flags = call("pkg-config", "--cflags", "--libs", "lanescope-models", PKG_CONFIG_PATH=path).split()
    call(compiler, "-Wall", "-Wextra", "-Werror", HERE / "models" / source, "-o", tmp_path / "ask", *flags)
    check_answer(call(tmp_path / "ask", LD_LIBRARY_PATH=str(library(prefix))))
    if compiler == "cc":
        call(compiler, "-Wall", "-Wextra", "-Werror", example, "-o", tmp_path / "example", *flags)
        check_example(call(tmp_path / "example", LD_LIBRARY_PATH=str(library(prefix))))


def test_python(prefix, tmp_path):
    """The binding finds the library beside the lanescope of the path."""
    script = tmp_path / "example.py"
    script.write_text(block("Python"))
    path = f"{prefix / 'bin'}:/usr/bin:/bin"
    check_example(call(sys.executable, script, PYTHONPATH=str(ROOT / "python"), PATH=path, PYTHONDONTWRITEBYTECODE="1"))


def test_only_the_interface_is_exported(prefix):
    """Names of our own in a program's name space could collide with its names."""
    exported = [line.split()[-1] for line in
                call("nm", "-D", "--defined-only", library(prefix) / "liblanescope-models.so.1").splitlines()]
    assert {name.split("@")[0] for name in exported} == {
        "lanescope_lds_cost", "lanescope_global_cost", "lanescope_models_gpu", "lanescope_models_lanes",
        "lanescope_models_error", "lanescope_models_version"}
