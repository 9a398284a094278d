"""Summary mode: the numbers of the default handlers are those of the streamed mode, with traffic by sites."""

import pytest

import corpus
import profiling
from profiling import Profile

NAMES = ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]
HANDLERS = ("--handlers", "lds_bank_conflicts,memory_coalescing")
VALUES = """SELECT d.number, s.number, m.handler, m.name, v.value FROM value v JOIN dispatch d ON d.id = v.dispatch
            JOIN site s ON s.id = v.site JOIN metric m ON m.id = v.metric ORDER BY 1, 2, 3, 4"""
TRAFFIC = "SELECT sum(messages), sum(bytes), sum(bad), sum(dropped) FROM dispatch"


def counting(folder):
    """An environment in which the software GPU counts instructions, into a file of that folder."""
    return {**profiling.clean_environment(), "LANESCOPE_SOFT_COUNTS": str(folder / "counts")}


def folders(tmp_path):
    return [tmp_path / "streamed", tmp_path / "counted"]


def compare(tmp_path, program, *options, arguments=(), counts=False, few=0, gpu=profiling.GPU):
    """Runs of both modes, with the same numbers. `few`: wavefronts of a dispatch that send their first messages in summary mode."""
    both_folders = folders(tmp_path)
    more = [{"gpu": gpu, "env": {**(counting(folder) if counts else profiling.clean_environment()), "LANESCOPE_SUMMARY_FEW": str(few)}}
            for folder in both_folders]
    for folder in both_folders if counts else ():
        folder.mkdir(parents=True)
    streamed = Profile(both_folders[0], program, *arguments, options=HANDLERS + options, **more[0])
    counted = Profile(both_folders[1], program, *arguments, options=("--summary-mode", *options), **more[1])
    for p in (streamed, counted):
        assert p.done.returncode == 0, p.done.stderr
        assert p.query("SELECT text FROM note WHERE level = 0") == []
        assert p.query(TRAFFIC)[0][2:] == (0, 0)
    values = streamed.query(VALUES)
    assert values and counted.query(VALUES) == values
    return streamed, counted


def both(*args, **kwargs):
    """Their traffic."""
    return [p.query(TRAFFIC)[0] for p in compare(*args, **kwargs)]


@pytest.mark.parametrize("name", NAMES)
def test_examples(tmp_path, name):
    (messages, _, _, _), (few, _, _, _) = both(tmp_path, profiling.EXAMPLES / name)
    assert few * 4 < messages


def observed_instructions(folder, kernel=""):
    """Wavefront instructions of observed kernels, or those of that name, as the software GPU counts them."""
    lines = [line.split("\t") for line in (folder / "counts").read_text().splitlines()]
    return sum(int(number) for _, number, name in lines if kernel in name and name.endswith(" (instrumented)"))


def instructions(folder, name, *options):
    """Those of an example. With a large ring nobody waits."""
    folder.mkdir()
    p = Profile(folder, profiling.EXAMPLES / name, options=("--ring-size", "512M", *options), env=counting(folder))
    assert p.done.returncode == 0, p.done.stderr
    return observed_instructions(folder)


FEW = 256  # as by default


@pytest.mark.parametrize("options", [(), ("--chunk-size", "1K")], ids=["chunk", "part"])
@pytest.mark.parametrize("name,arguments", [("counting.hip", ()), ("irregular.hip", ("6",)), ("lengths.hip", ("2", "15", "100", "500"))])
def test_few_wavefronts(programs, tmp_path, name, arguments, options):
    """What fits into a wavefront's first chunk is sent, what follows is counted. A wavefront of these kernels sends more than 1 KiB
    at most places, but not 4 KiB. Those of lengths.hip are launched mostly before their instructions are known, and send all then. But
    `constant` is known by its code alone: its copies of constant lengths are counted by their pieces, of which there are more than copies."""
    streamed, counted = compare(tmp_path, programs(name, "-O3", compiler="clang++-22"), *options, arguments=arguments, few=FEW)
    if name == "lengths.hip":
        sent = "SELECT number, messages, bytes FROM dispatch JOIN kernel ON kernel.id = kernel WHERE kernel.name NOT LIKE 'constant(%' ORDER BY number"
        each = list(zip(streamed.query(sent), counted.query(sent), strict=True))
        assert all(few[0] == all_[0] and few[1] <= all_[1] and few[2] <= all_[2] for all_, few in each), each
        return
    (messages, size, _, _), (few, less, _, _) = (p.query(TRAFFIC)[0] for p in (streamed, counted))
    assert 0 < few <= messages and (less < size if options else less <= size)


@pytest.mark.parametrize("name", NAMES)
def test_instructions_of_few_wavefronts(tmp_path, name):
    """The bar is the project's own, for short dispatches, too."""
    compare(tmp_path, profiling.EXAMPLES / name, "--ring-size", "512M", counts=True, few=FEW)
    streamed, counted = (observed_instructions(folder) for folder in folders(tmp_path))
    assert 0 < counted <= 1.5 * streamed


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-22"])
def test_turns_of_few_wavefronts(programs, tmp_path, compiler):
    """Loops are told by a message each as long as there is room; in one lane a turn was counted by 800 instructions."""
    compare(tmp_path, programs("few_turns.hip", "-O3", compiler=compiler), "--ring-size", "512M", counts=True, few=FEW)
    for kernel in ("one_lane", "some_lanes", "apart", "many_loops"):
        streamed, counted = (observed_instructions(folder, kernel) for folder in folders(tmp_path))
        assert 0 < counted <= 1.5 * streamed, (kernel, streamed, counted)


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-22"])
def test_instructions_of_parting_lanes(programs, tmp_path, compiler):
    """A message, or a count, for each number of turns that lanes make takes about as much as one of an access: 1,000 instructions a wavefront
    or more where each went through the general functions."""
    compare(tmp_path, programs("parting.hip", "-O3", compiler=compiler), "--ring-size", "512M", counts=True)
    for kernel, waves in ("parting", 2 * 1000), ("checked", 2 * 250):
        streamed, counted = (observed_instructions(folder, kernel) / waves for folder in folders(tmp_path))
        assert 0 < streamed <= 1000 and counted <= 1.5 * streamed, (kernel, streamed, counted)


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-22"])
def test_instructions_of_changes(programs, tmp_path, compiler):
    """What is read and then written, or read beside it, at irregular places costs the same twice, and is found out once."""
    compare(tmp_path, programs("changes.hip", "-O3", compiler=compiler), "--ring-size", "512M", counts=True)
    for kernel in ("in_lds", "in_memory", "beside"):
        streamed, counted = (observed_instructions(folder, kernel) for folder in folders(tmp_path))
        assert 0 < counted <= 1.5 * streamed, (kernel, streamed, counted)


def test_instructions_of_edges(programs, tmp_path):
    """The many keys of a picture's edges leave the places of those of its middle to these."""
    compare(tmp_path, programs("edges.hip", "-O3", compiler="clang++-22"), "--ring-size", "512M", counts=True)
    streamed, counted = (observed_instructions(folder, "edges") for folder in folders(tmp_path))
    assert 0 < counted <= 1.5 * streamed, (streamed, counted)


@pytest.mark.parametrize("compiler,gpu,kernels", [("clang++-22", "soft:gfx90a", ("two_rows", "bytes")),
                                                  ("hipcc", "soft:gfx1030", ("two_rows", "edges", "bytes"))])
def test_instructions_of_phases(programs, tmp_path, compiler, gpu, kernels):
    """Turns that begin at many places of a cache line are counted at once, or told by one message. Of all kernels the
    values are compared; those without a bar have loops that this compiler's clone tells access by access."""
    program = programs("phases.hip", "-O3", "--offload-arch=gfx1030", compiler=compiler)
    compare(tmp_path, program, "--ring-size", "512M", counts=True, gpu=gpu)
    for kernel in kernels:
        streamed, counted = (observed_instructions(folder, kernel) for folder in folders(tmp_path))
        # Of bytes, LDS that forms no rows is found out twice before one message tells it.
        assert 0 < counted <= (1.7 if kernel == "bytes" else 1.5) * streamed, (kernel, streamed, counted)


@pytest.mark.parametrize("compiler,gpu", [("hipcc", "soft:gfx90a"), ("clang++-22", "soft:gfx90a"), ("hipcc", "soft:gfx1030")])
def test_instructions_of_butterflies(programs, tmp_path, compiler, gpu):
    """Rows of 2 and 4 lanes are counted by their shape, too, and irregular elements of 8 bytes in LDS by their groups of 16 lanes."""
    compare(tmp_path, programs("butterflies.hip", "-O3", "--offload-arch=gfx1030", compiler=compiler), "--ring-size", "512M", counts=True, gpu=gpu)
    for kernel, bar in (("in_lds", 1.5), ("in_memory", 1.5), ("in_pairs", 1.7)):
        streamed, counted = (observed_instructions(folder, kernel) for folder in folders(tmp_path))
        assert 0 < counted <= bar * streamed, (kernel, streamed, counted)


@pytest.mark.parametrize("compiler,gpu", [("hipcc", "soft:gfx90a"), ("clang++-22", "soft:gfx90a"), ("hipcc", "soft:gfx1030")])
def test_instructions_of_branches(programs, tmp_path, compiler, gpu):
    """More masks than there is room for: what the shape tells of LDS needs none, and what needs one is not looked for in vain each time."""
    compare(tmp_path, programs("branches.hip", "-O3", "--offload-arch=gfx1030", compiler=compiler), "--ring-size", "512M", counts=True, gpu=gpu)
    for kernel, bar in (("in_lds<1>", 1.5), ("in_lds<2>", 1.5), ("in_lds<0>", 1.5), ("in_memory", 2.5)):
        streamed, counted = (observed_instructions(folder, kernel) for folder in folders(tmp_path))
        assert 0 < counted <= bar * streamed, (kernel, streamed, counted)


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-22"])
def test_instructions_of_row_lengths(programs, tmp_path, compiler):
    """One probe tells a loop's accesses though the rows of one are longer. With a probe of its own each takes twice as many instructions."""
    compare(tmp_path, programs("row_lengths.hip", "-O3", compiler=compiler), "--ring-size", "512M", counts=True)
    for folder in folders(tmp_path):
        one, two, line = (observed_instructions(folder, kernel) for kernel in ("one_length", "two_lengths", "line"))
        assert 0 < one <= two <= 1.25 * one and line <= 1.6 * one, (one, two, line)


@pytest.mark.parametrize("name", ["reduction", "histogram"])
def test_instructions(tmp_path, name):
    """The bar is the project's own. Of short kernels: first accesses of a shape, the dispatch's end, atomics that are sent."""
    assert instructions(tmp_path / "counted", name, "--summary-mode") <= 1.5 * instructions(tmp_path / "streamed", name)


def test_grows_with_the_kernel(programs, tmp_path):
    """What a dispatch costs does not depend on the other kernels of its file. Lanes of kernel N read floats 32 * (N + 1) bytes
    apart: for N = 0 two lie in a line of 64 bytes, so 64 lanes touch 32 lines; for N = 20 and 39 each has its own."""
    counts = {}
    for kernels in (1, 40):
        program = programs("many_kernels.hip", "-O3", f"-DKERNELS={kernels}")
        streamed, counted = compare(tmp_path / str(kernels), program, counts=True)
        counts[kernels] = [observed_instructions(p, "kernel<0>") for p in folders(tmp_path / str(kernels))]
    assert counts[1] == counts[40] and 0 < counts[1][0] < counts[1][1]
    own = profiling.marked_line("many_kernels.hip", "/* own */")
    for p in (streamed, counted):
        assert p.query("""SELECT v.value FROM value v JOIN dispatch d ON d.id = v.dispatch JOIN site_view s ON s.site = v.site
                          JOIN metric m ON m.id = v.metric WHERE s.line = ? AND m.name = 'Cache Lines'
                          ORDER BY d.number""", own) == [(32,), (64,), (64,)]


@pytest.mark.parametrize("options", [(), ("--blocks", "1:3"), ("--sample-waves", "1/2")])
def test_what_cannot_be_counted(programs, tmp_path, options):
    """Too many strides, too many exec masks, irregular, flat and dynamic accesses; wavefronts that do not report."""
    (messages, _, _, _), (few, _, _, _) = both(tmp_path, programs("counting.hip", "-O3"), *options)
    assert few < messages


IRREGULAR = [("hipcc", "-O3"), ("hipcc", "-O0"), ("clang++-22", "-O3")]


@pytest.mark.parametrize("compiler,flags", IRREGULAR)
def test_irregular(programs, tmp_path, compiler, flags):
    """Gathers, scatters, atomics and pairs of all widths, aligned and not, by all and by some lanes."""
    program = programs("irregular.hip", flags, compiler=compiler)
    (messages, _, _, _), (few, _, _, _) = both(tmp_path, program, arguments=("6",))
    assert few * 4 < messages


@pytest.mark.parametrize("gpu", ["soft:gfx90a", "soft:gfx1030"])
def test_full_tables(programs, tmp_path, gpu):
    """What finds no entry goes another way. 3 work-groups, 7 wavefronts of 32 lanes or 4 of 64, 700 turns."""
    program = programs("full_tables.hip", "-O1", "--offload-arch=gfx1030", compiler="hipcc")
    _, counted = compare(tmp_path, program, gpu=gpu)
    executions = counted.query("SELECT max(v.value) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = 'Executions'")
    assert executions == [(3 * (4 if gpu == "soft:gfx90a" else 7) * 700,)]


@pytest.mark.parametrize("compiler", ["hipcc", "clang++-22"])
def test_lanes_that_were_not_there_send(programs, tmp_path, compiler):
    """Registers of lanes that a wavefront lacks hold anything, as on hardware; all lanes send what the dispatch counted."""
    compare(tmp_path, programs("full_tables.hip", "-O3", compiler=compiler), "--soft-poison=3")


def test_ring_of_two_chunks(programs, tmp_path):
    """No wavefront keeps a chunk while others that it waits for need one."""
    compare(tmp_path, programs("full_tables.hip", "-O3", compiler="hipcc"), "--chunk-size", "1K", "--ring-size", "2K")


def quiet(rows):
    """Without the kernels that send irregular atomics on global memory one by one: the GPU does not count addresses."""
    return [row for row in rows if not row[0].startswith(("atomics(", "flat("))]


def test_traffic_does_not_grow(programs, tmp_path):
    """Four times the wavefronts, the same messages. Of some kernels only the first dispatch tells what their instructions
    are; there each site sends its evidence. The second launch does so, too, if it comes before the first one's messages
    were read: it sends at most what the first one sent."""
    program = programs("irregular.hip", "-O3")
    rows = [Profile(tmp_path / groups, program, groups, groups, options=("--summary-mode",)).query(
        """SELECT k.name, d.number, d.grid_x / (d.workgroup_x * ?), d.messages, d.bytes - 64 * d.chunks FROM dispatch d
           JOIN kernel k ON k.id = d.kernel WHERE d.observed ORDER BY d.number""", int(groups)) for groups in ("3", "12")]
    assert len(rows[0]) == len(rows[1]) == 46 and all(r[3] > 0 for r in rows[0] + rows[1])
    assert quiet(rows[0][:23]) == quiet(rows[1][:23])
    assert rows[0][0][2] == 1  # the grid is as large as the argument says
    for run in rows:
        first = {name: sent for name, _, _, *sent in run[:23]}
        assert all(m <= first[name][0] and n <= first[name][1] for name, _, _, m, n in quiet(run[23:]))


def test_evidence_of_later_work_groups(programs, tmp_path):
    """Sites whose instructions only evidence tells, not executed by the first work-group: each sends the evidence of the
    lowest wavefront that executes it, one message of 536 bytes, however many wavefronts there are and in whatever order."""
    program = programs("later.hip", "-O3", "-g")
    runs = [compare(tmp_path / groups, program, arguments=(groups,)) for groups in ("9", "40")]
    assert len({counted.query(TRAFFIC)[0][0] for _, counted in runs}) == 1
    lines = [profiling.marked_line("later.hip", mark) for mark in ("// first", "// second")]
    for p in sum(runs, ()):
        assert p.query("""SELECT line, isa_join, count(*) FROM site_view WHERE kind = 'load' GROUP BY 1, 2
                          ORDER BY 1""") == [(line, 2, 76) for line in lines]


@pytest.mark.parametrize("compiler,flags", IRREGULAR)
def test_lengths(programs, tmp_path, compiler, flags):
    """Copies of lengths known at run time only, each lane its own, and of more than 64 bytes, in global memory, LDS, both."""
    program = programs("lengths.hip", flags, compiler=compiler)
    both(tmp_path / "all", program, arguments=("2", "15", "100", "500"))
    both(tmp_path / "chunk", program, "--ring-size", "4K", arguments=("1", "70"))  # each message alone, but for lengths
    (many, few), (more, same) = (both(tmp_path / n, program, arguments=(n, "300")) for n in ("3", "9"))
    assert more[0] > 2 * many[0] and many[0] > few[0]
    assert same == few


@pytest.mark.parametrize("seed,kernels,gathers", [(21, 15, 0), (22, 12, 0.6)])
def test_generated_kernels(programs, tmp_path, seed, kernels, gathers):
    """Pairs, split and merged accesses: what was joined with the machine code is the same in both modes."""
    source = tmp_path / "generated.hip"
    source.write_text(corpus.program(seed, kernels, gathers))
    both(tmp_path, programs(str(source), "-O3"))


def test_one_chunk(tmp_path):
    both(tmp_path, profiling.EXAMPLES / "matmul", "--ring-size", "4K")


def test_handler_that_needs_every_access(tmp_path):
    """Told before the program starts; of what comes by the environment it is told there, and the other handlers work."""
    handlers = "memory_coalescing,address_log"
    p = Profile(tmp_path, profiling.EXAMPLES / "vector_add", options=("--summary-mode", "--handlers", handlers))
    assert (p.done.returncode, p.done.stdout, p.databases) == (2, "", []), p.done.stderr
    p = Profile(tmp_path, "env", f"LANESCOPE_HANDLERS={handlers}", profiling.EXAMPLES / "vector_add", options=("--summary-mode",))
    assert p.done.returncode == 0
    assert "'address_log' needs every single access" in p.done.stderr
    assert p.metric("memory_coalescing", "Executions") > 0


@pytest.mark.parametrize("compiler,gpu", [("hipcc", "soft:gfx90a"), ("clang++-22", "soft:gfx90a"), ("clang++-22", "soft:gfx1030")])
def test_values_of_lanes_that_have_left(programs, tmp_path, compiler, gpu):
    """What lanes that are not active keep in registers is the program's: probes leave it alone."""
    compare(tmp_path, programs("lanes_left.hip", "-O3", "--offload-arch=gfx1030", compiler=compiler), gpu=gpu)
