"""`check --waves`: lines that do otherwise when wavefronts have another size."""

import contextlib
import json
import shutil
import sqlite3

import pytest

import profiling
from profiling import Profile, marked_line

WIDE = ("-mwavefrontsize64", "-U__gfx1030__")


def record(programs, tmp_path, *flags, gpu="soft:gfx1030", arch="gfx1030"):
    program = programs("-g", "-O3", "--offload-arch=" + arch, *flags, "waves.hip")
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    p = Profile(folder, program, gpu=gpu)
    assert p.done.returncode == 0, p.done.stderr
    return p.database


def check(*databases, options=()):
    return profiling.call(profiling.LANESCOPE, "check", "--waves", *options, *databases)


def verdicts(done):
    found = json.loads(done.stdout)
    assert found["schema"] == "lanescope-check-waves/1"
    return {(l["place"].rsplit(":", 1)[1], l["access"].split()[0]): (l["verdict"], *l["lanes"]) for l in found["lines"]}


@pytest.mark.parametrize("other", ["same GPU", "gfx90a"])
def test_faults(other, programs, tmp_path):
    """The sizes of one GPU, and of two GPUs. 16 and 8 wavefronts. Of 512 values each third in the upper half of 64 is odd: 86
    of them (512 / 64 * 32 = 256 numbers i with i % 64 >= 32; of these i % 3 == 0 holds for 86). With 32 lanes the mask is
    whole: 86 stores; cut, the bits of lanes 0 to 31 are all 0: none. On gfx90a lane ^ 32 has another value for all 512; with 32
    lanes it is the lane itself, and so it is on RDNA with 64, whose ds_bpermute counts lanes modulo 32."""
    wide = record(programs, tmp_path, *WIDE) if other == "same GPU" else record(programs, tmp_path, gpu="soft:gfx90a",
                                                                                arch="gfx90a")
    narrow = record(programs, tmp_path)
    assert sum(i % 64 >= 32 and i % 3 == 0 for i in range(512)) == 86
    done = check(wide, narrow, options=("--json",))
    assert done.returncode == 1, done.stderr
    line = {mark: str(marked_line("waves.hip", "// " + mark)) for mark in ("read by all", "by some", "cut", "lane", "leader", "some leaders", "first of 64",
                                                                           "sums", "of a group")}
    found = verdicts(done)
    assert found[line["read by all"], "load"] == ("same", 512, 512)
    assert found[line["by some"], "store"] == ("same", 86, 86)
    assert found[line["cut"], "store"] == ("depends", 0, 86)
    assert found[line["lane"], "store"] == (("depends", 512, 0) if other == "gfx90a" else ("same", 0, 0))
    assert found[line["leader"], "atomic"] == ("once per wavefront", 8, 16)
    # Of 16 wavefronts of 32 lanes the 8 odd ones have values; of 64 lanes the cut masks are 0: 0 of 8 is another part than 8 of 16.
    assert found[line["some leaders"], "atomic"] == ("depends", 0, 8)
    # One of 64 work-items: 512 / 64 with either size. In work-groups of 64 that is one for each of these, 8 too.
    assert found[line["first of 64"], "store"] == ("once per 64", 8, 8)
    assert found[line["of a group"], "store"] == ("same", 8, 8)
    # 2 or 4 lanes of the first wavefront of each of the 4 work-groups.
    assert found[line["sums"], "atomic"] == ("once per wavefront", 8, 16)
    text = check(wide, narrow)
    assert text.returncode == 1
    assert f"\n  waves.hip:{line['leader']}: " in text.stdout and f"waves.hip:{line['by some']}" not in text.stdout, text.stdout


def test_without_faults(programs, tmp_path):
    done = check(record(programs, tmp_path, *WIDE, "-DWITHOUT_FAULTS"), record(programs, tmp_path, "-DWITHOUT_FAULTS"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n" not in done.stdout.strip() and done.stdout.startswith("0 of "), done.stdout


def changed(database, name, sql):
    copy = database.with_name(name)
    shutil.copy(database, copy)
    with contextlib.closing(sqlite3.connect(copy)) as db:
        db.execute(sql)
        db.commit()
    return copy


def test_what_cannot_be_compared(programs, tmp_path):
    narrow, wide = record(programs, tmp_path), record(programs, tmp_path, *WIDE)
    renamed = check(wide, changed(narrow, "renamed.db", "UPDATE kernel SET name = name || '2'"))
    assert renamed.returncode == 1 and "no line could be compared: are they recordings of one program?" in renamed.stderr
    sampled = check(wide, changed(narrow, "sampled.db", "UPDATE process SET options = json_set(options, '$.sample_waves', '4')"))
    assert sampled.returncode == 2 and "only 1 of 4 wavefronts reported (--sample-waves): which, depends on" in sampled.stderr
    lost = check(wide, changed(narrow, "lost.db", "UPDATE dispatch SET dropped = 1 WHERE kernel = (SELECT id FROM kernel WHERE name LIKE 'cut(%')"),
                 options=("--json",))
    verdict = {l["kernel"].split("(")[0]: l["verdict"] for l in json.loads(lost.stdout)["lines"]}
    assert verdict["cut"] == "lost" and verdict["right"] == "same"
    same = check(narrow, narrow)
    assert same.returncode == 2 and "wavefronts of 32 lanes, both" in same.stderr
    one = check(narrow)
    assert one.returncode == 2 and "--waves compares two databases" in one.stderr
    missing = check(narrow, tmp_path / "none.db")
    assert missing.returncode == 3
