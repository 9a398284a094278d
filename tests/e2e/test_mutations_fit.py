"""What the slow tests of mutations take for granted: each text that they change is there, and the check of the machine code, which finds
what weak memory cannot show, notices each scope that is too narrow."""

import re

import pytest

import mutants
import profiling
import test_several_mutations
import test_weak_mutations
from test_weak_mutations import test_waits


def changes(of):
    """All (file, old text, new text) in lists, tuples and dictionaries."""
    if isinstance(of, tuple) and len(of) == 3 and all(isinstance(part, str) for part in of) and of[0].endswith((".c", ".h")):
        yield of
    elif isinstance(of, (list, tuple, dict)):
        for part in of.values() if isinstance(of, dict) else of:
            yield from changes(part)


@pytest.mark.parametrize("module", [test_weak_mutations, test_several_mutations])
def test_texts_are_there(module):
    found = {c for value in vars(module).values() for c in changes(value)}
    assert len(found) > 2
    for file, old, new in found:
        (path,) = (p for p in (mutants.ROOT / folder / file for folder in ("device-lib", "hsa-plugin")) if p.exists())
        places = path.read_text().count(old)
        first = any(f == file and old in n for f, _, n in found)  # what another change of the same mutation puts there
        assert places == 1 or first, f"{file}: {old}"
        assert old != new


def test_narrow_scopes_in_machine_code(tmp_path):
    """Each instruction of system scope of a function that takes a chunk and hands one over, narrowed to agent scope (LLVM AMDGPUUsage,
    gfx942: loads and stores sc1, read-modify-writes neither bit; sc0 is that they return)."""
    built = (profiling.BUILD / "llvm-pass/device-22/gfx942.s").read_text()
    begin = built.index("\n__ls_send:")
    end = built.index(".Lfunc_end", begin)
    wide = [m for m in re.finditer(r"global_\S+ v.* sc1$", built[begin:end], re.M) if "sc0" in m[0] or "atomic" in m[0]]
    assert len(wide) == 7 + 2 + 2 + 2, [m[0] for m in wide]  # loads, stores, exchanges, counters
    for m in wide:
        narrow = m[0].removesuffix(" sc1") if "atomic" in m[0] else m[0].replace(" sc0", "")
        (tmp_path / "narrow.s").write_text(built[:begin + m.start()] + narrow + built[begin + m.end():])
        with pytest.raises((AssertionError, ValueError)):
            test_waits.check("gfx942", tmp_path / "narrow.s")
