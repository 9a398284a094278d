"""What only one object file uses is static there: see README.md. LANESCOPE_BUILD_DIR names the build."""

import json
import os
import pathlib
import re
import shlex
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"])


def objects():
    """Source of each object that the build has made of one of ours. Parts that were left out have none."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    made = {pathlib.Path(c["directory"], shlex.split(c["command"])[-3]): pathlib.Path(c["file"]) for c in commands}
    return {path: source for path, source in made.items() if path.suffix == ".o" and path.is_file() and source.is_relative_to(ROOT)}


def symbols(paths):
    """(object, name, defined, hidden) of each global symbol, but of C++'s weak ones. What is not hidden is for whoever loads us."""
    lines = subprocess.run(["readelf", "-Ws", *paths], capture_output=True, text=True, check=True).stdout.splitlines()
    at = str(paths[0])
    for line in lines:
        words = line.split()
        if line.startswith("File: "):
            at = line[len("File: "):]
        elif len(words) == 8 and words[4] == "GLOBAL":
            yield pathlib.Path(at), words[7], words[6] != "UND", words[5] == "HIDDEN"


def words_left_out(made):
    """All words of our sources that this build does not compile, as the fuzz targets: they may use what others define."""
    tops = [top for top in ROOT.iterdir() if top.is_dir() and not top.name.startswith(("build", "."))]
    left = [path for top in tops for path in top.rglob("*.c") if path not in made]
    return {word for path in left for word in re.findall(r"\w+", path.read_text(errors="replace"))}


def test_globals_are_used_elsewhere():
    sources = objects()
    assert sources, f"{BUILD} has not been built"
    found = list(symbols(sorted(sources)))
    # One source may be compiled for several targets, and is then one place.
    used, defined, elsewhere = {}, {}, words_left_out(set(sources.values()))
    for path, name, is_defined, hidden in found:
        if is_defined and hidden:
            defined.setdefault(name, set()).add(sources[path])
        elif not is_defined:
            used.setdefault(name, set()).add(sources[path])
    alone = sorted(f"{sorted(str(p.relative_to(ROOT)) for p in places)[0]}: {name}" for name, places in defined.items()
                   if name != "main" and not name.startswith("__wrap_") and name not in elsewhere and not used.get(name, set()) - places)
    assert not alone, "nobody else uses these:\n" + "\n".join(alone)
