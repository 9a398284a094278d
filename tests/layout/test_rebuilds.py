"""What a change of a verb does not rebuild: see README.md."""

import os
import pathlib
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"])
NINJA = shutil.which("ninja")
# Compiled by lanescope-compile and the plugins, not by the command that has the verbs.
EXAMPLES = "hip-examples/CMakeFiles/examples"


def inputs(target):
    """All files that the target is made of, over any number of steps."""
    done = subprocess.run([NINJA, "-C", str(BUILD), "-t", "inputs", target], capture_output=True, text=True)
    if "unknown target" in done.stderr:
        pytest.skip(f"{target} is not built here")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not NINJA or not (BUILD / "build.ninja").exists(), reason="not built with ninja")
def test_a_verb_does_not_rebuild_the_examples():
    read = inputs(EXAMPLES)
    assert any("/cli/compile/" in f for f in read) and any(f.endswith(".hip") for f in read)
    rooms = ("verbs", "output", "convert", "page", "run", "help", "selftest")
    assert not [f for f in read if any(f"cli/{room}/" in f for room in rooms)]


@pytest.mark.skipif(not NINJA or not (BUILD / "build.ninja").exists(), reason="not built with ninja")
def test_what_is_found():
    assert any("/cli/verbs/" in f for f in inputs("stage/bin/lanescope"))
