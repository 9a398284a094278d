"""How many compute units the software GPU has, and where they are: the driver's files, HIP, the registers that kernels read,
wave_timeline and the database say the same, which is what the card has that the device id names."""

import re
import struct

import pytest

import profiling
from profiling import Profile
from test_wave_timeline import rows, value

SG_RUN = profiling.BUILD / "stage" / "bin" / "sg-run"
GROUPS = 700  # more than any card has compute units

# AMD's product pages and white papers (CDNA2, 3, 4). Dies, engines and the size of an engine's array: Linux amdgpu.
CARDS = {
    "gfx90a": {"device": 0x740f, "units": 104, "dies": 1, "engines": 8, "array": 14},  # MI210
    "gfx942": {"device": 0x74a1, "units": 304, "dies": 8, "engines": 4, "array": 10},  # MI300X
    "gfx950": {"device": 0x75a0, "units": 256, "dies": 8, "engines": 4, "array": 8},   # MI350X
}


def sysfs(gpu):
    soft = next((profiling.BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))
    env = profiling.clean_environment(LD_PRELOAD=str(soft), LANESCOPE_GPU=f"soft:{gpu}")
    done = profiling.call("cat", "/sys/class/kfd/kfd/topology/nodes/1/properties", env=env)
    assert done.returncode == 0, done.stderr
    return {k: int(v) for k, v in (line.split() for line in done.stdout.splitlines())}


@pytest.mark.parametrize("gpu", CARDS)
def test_driver_and_kernels(gpu, tmp_path):
    """Without a runtime: that of ROCm 5.2 does not know the newer GPUs."""
    card, driver = CARDS[gpu], sysfs(gpu)
    assert driver["device_id"] == card["device"] and driver["num_xcc"] == card["dies"]
    assert driver["array_count"] == card["dies"] * card["engines"] and driver["cu_per_simd_array"] == card["array"]
    assert driver["simd_count"] == 4 * card["units"] and driver["simd_per_cu"] == 4

    object_file = profiling.compile_hip(tmp_path / "units.co", f"--offload-arch={gpu}", "--cuda-device-only", "-O2", "-c",
                                        "--no-gpu-bundle-output", "units.hip", compiler="clang++-22")
    files = [tmp_path / "id", tmp_path / "xcc"]
    done = profiling.call(SG_RUN, "--arch", gpu, "--grid", GROUPS * 64, "--workgroup", 64, object_file, "_Z5wherePjS_",
                          *[f"buf:{GROUPS * 4}@{f}" for f in files])
    assert done.returncode == 0, done.stderr
    ids, dies = [struct.unpack(f"<{GROUPS}I", f.read_bytes()) for f in files]
    # HW_ID: compute unit 11:8, array 12, engine from 13
    within(card, {(die, i >> 13 & 7, i >> 12 & 1, i >> 8 & 15) for i, die in zip(ids, dies)})


@pytest.mark.parametrize("mode,spread", [((), 4), (("-mcumode",), 2)])
def test_work_group_processors(mode, spread, tmp_path):
    """gfx1030's 72 units are 36 work-group processors of 4 SIMDs. In WGP mode a work-group's wavefronts are on all four, in CU mode
    on the two of one unit."""
    object_file = profiling.compile_hip(tmp_path / "units.co", "--offload-arch=gfx1030", "--cuda-device-only", "-O2", "-c", *mode,
                                        "--no-gpu-bundle-output", "units.hip", compiler="clang++-22")
    done = profiling.call(SG_RUN, "--arch", "gfx1030", "--grid", GROUPS * 128, "--workgroup", 128, object_file, "_Z5wavesPj",
                          f"buf:{GROUPS * 16}@{tmp_path / 'id'}")
    assert done.returncode == 0, done.stderr
    ids = struct.unpack(f"<{GROUPS * 4}I", (tmp_path / "id").read_bytes())
    # HW_ID1: SIMD 9:8; work-group processor 13:10, array 16, engine 19:18
    places = [((i >> 18 & 3, i >> 16 & 1, i >> 10 & 15), i >> 8 & 3) for i in ids]
    groups = [places[i:i + 4] for i in range(0, len(places), 4)]
    assert len({processor for processor, _ in places}) == 36
    assert all(len({processor for processor, _ in group}) == 1 for group in groups)
    assert {frozenset(simd for _, simd in group) for group in groups} == (
        {frozenset({0, 1, 2, 3})} if spread == 4 else {frozenset({0, 1}), frozenset({2, 3})})
    assert len({(processor, simd) for processor, simd in places}) == 36 * 4


def test_places_without_probes(tmp_path):
    """What is told of wavefronts that run no probes has the fields of their GPU, too."""
    program = profiling.compile_hip(tmp_path / "plain", "--offload-arch=gfx1030", "-O2", "units.hip", plugin=False)
    p = Profile(tmp_path / "p", program, options=("--uninstrumented", "isa", "--handlers", "wave_timeline:rows=1000"),
                gpu="soft:gfx1030")
    assert value(p, "Work-Group Processors", 1) == 36, p.done.stderr
    assert p.query("SELECT count(*) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = 'Compute Units'") == [(0,)]  # of these there are 72
    assert {(u["engine"], u["array"]) for u in rows(p, "units", 1)} == {(e, a) for e in range(4) for a in range(2)}


def test_half_of_a_work_group_processor(tmp_path):
    """Linux amdkfd, pqm_update_mqd: from gfx10 on a queue's mask has both units of a work-group processor or none."""
    program = profiling.compile_hip(tmp_path / "masked", "--offload-arch=gfx1030", "-O2", "half_processor.hip", plugin=False)
    done = profiling.run_plain(program, options={"LANESCOPE_GPU": "soft:gfx1030"})
    assert (done.returncode, done.stdout) == (0, "whole 1\nhalf 0\n"), done.stderr


def within(card, kernel):
    """The units are as many as the card has, in the arrays that the driver tells of."""
    assert len(kernel) == card["units"]
    assert {x for x, _, _, _ in kernel} == set(range(card["dies"])) and {a for _, _, a, _ in kernel} == {0}
    assert {e for _, e, _, _ in kernel} == set(range(card["engines"]))
    assert max(u for _, _, _, u in kernel) < card["array"]


def test_one_truth(programs, tmp_path):
    card = CARDS["gfx90a"]
    p = Profile(tmp_path, programs("units.hip", "-O2"), options=("--handlers", "wave_timeline:rows=1000"))
    assert p.done.returncode == 0, p.done.stderr
    said = re.search(r"properties (\d+) kernel (\d+)", p.done.stdout)
    assert [int(n) for n in said.groups()] == [card["units"]] * 2
    assert p.query("SELECT compute_units FROM agent") == [(card["units"],)]

    kernel = {tuple(map(int, u.split())) for u in re.findall(r"^unit (.*)$", p.done.stdout, re.M)}
    reported = {(u["xcc"], u["engine"], u["array"], u["unit"]) for u in rows(p, "units", 1)}
    assert kernel == reported and len(reported) == card["units"] == value(p, "Compute Units", 1)
    within(card, kernel)


def test_resident_work_groups(programs):
    """As many work-groups as HIP says fit at once wait for each other: the engine lets as many run together."""
    plain = profiling.run_plain(programs("resident.hip", "-O2"))
    # 64 work-items and few registers: as many wavefronts as the SIMDs hold, 8 on each of 4
    assert (plain.returncode, plain.stdout) == (0, f"{CARDS['gfx90a']['units'] * 32} met\n"), plain.stderr
