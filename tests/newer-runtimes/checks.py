"""What is run in a root, and what must come out."""

import re
import sqlite3
import sys

from root import GENERIC, HIP_GPUS, PREFIX, RDNA3, RDNA4, ROCR_GPUS, SOURCE, WORK

sys.path.append(str(SOURCE / "tests" / "e2e"))
import corpus  # noqa: E402
import corpus_forms  # noqa: E402
import corpus_loops  # noqa: E402
import corpus_uniform  # noqa: E402
import hardware  # noqa: E402
import instructions  # noqa: E402
import lines  # noqa: E402

GPUS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1102", "gfx1151", "gfx1200", "gfx1201")
EXAMPLES = ("vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa")
SUMMARIES = ("transpose", "reduction", "histogram")  # of these, run in summary mode, too
QUIET = ("textures_rdna",)  # whose kernels access nothing but images and, through the scalar cache, arguments


class Result:
    """verdict: ok, FAILED, or - for what cannot be there; note: why."""

    def __init__(self, verdict="ok", note=None):
        self.verdict, self.note = verdict, note


def failed(note):
    return Result("FAILED", note)


def shown(done):
    return f"exit code {done.code}; {(done.out + done.err).strip()[-400:]}"


# ---- the numbers of a profile ----


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def metric(self, handler, name, kernel, line=None, kind="%"):
        """Sum over the sites of the kernels (LIKE pattern); None when there is no value."""
        return self.db.execute(
            """SELECT sum(v.value) FROM value v JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel
               JOIN site_view s ON s.site = v.site JOIN metric m ON m.id = v.metric
               WHERE m.handler = ?1 AND m.name = ?2 AND k.name LIKE ?3 AND s.kind LIKE ?4
               AND (?5 IS NULL OR s.line = ?5)""",
            (handler, name, kernel, kind, line),
        ).fetchone()[0]

    def one(self, sql):
        return self.db.execute(sql).fetchone()[0]

    def values(self):
        """Those of the handlers that know summary mode."""
        return self.db.execute(
            """SELECT d.number, s.number, m.handler, m.name, v.value FROM value v JOIN dispatch d ON d.id = v.dispatch
               JOIN site s ON s.id = v.site JOIN metric m ON m.id = v.metric
               WHERE m.handler IN ('lds_bank_conflicts', 'memory_coalescing') ORDER BY 1, 2, 3, 4""").fetchall()


def lds(db, metric, kernel, line=None, kind="load"):
    return db.metric("lds_bank_conflicts", metric, kernel, line, kind)


def marked_line(root, source, mark):
    lines = root.inside(f"{WORK}/{source}").read_text().splitlines()
    found = [i for i, text in enumerate(lines, 1) if mark in text]
    assert len(found) == 1, (source, mark, found)
    return found[0]


# Conflict cycles per wavefront that reads a column of a 32 x 32 tile of dwords, two columns at a time. gfx90a and
# gfx942: 32 banks, a phase is half a wavefront, its 32 lanes meet in one bank: 2 x 31. gfx950: 64 banks, one phase; the
# dword at row r and column c is in bank (32 r + c) mod 64, so even and odd rows of two columns are four banks of 16
# lanes each: 15. With a pitch of 33 nothing meets on 32 banks; on 64, row 0 of one column and row 31 of the next do
# (dwords c and 31 * 33 + c + 1 = c + 1024): 1. gfx1100: instead of each wavefront two of 32 lanes, a column each, in one phase
# on 32 banks: 2 x 31 again.
COLUMN = {"gfx90a": 62, "gfx942": 62, "gfx950": 15, **dict.fromkeys((*RDNA3, *RDNA4), 62)}
PADDED_COLUMN = {"gfx90a": 0, "gfx942": 0, "gfx950": 1, **dict.fromkeys((*RDNA3, *RDNA4), 0)}
PHASES = {"gfx90a": 2, "gfx942": 2, "gfx950": 1, **dict.fromkeys((*RDNA3, *RDNA4), 2)}


def check_transpose(root, db, gpu):
    """256 wavefronts (hip-examples/transpose/README.md); the line is that of the read of the tile."""
    lines = root.inside(f"{WORK}/hip-examples/transpose/transpose.hip").read_text().splitlines()
    plain, padded = [i for i, text in enumerate(lines, 1) if "tile[threadIdx.x][threadIdx.y]" in text]
    yield lds(db, "Bank Conflict", "transpose_lds(%", plain), 256 * COLUMN[gpu]
    yield lds(db, "Index Accesses", "transpose_lds(%", plain), 256 * (COLUMN[gpu] + PHASES[gpu])
    yield lds(db, "Bank Conflict", "transpose_lds(%", None, "store"), 0
    yield lds(db, "Bank Conflict", "transpose_lds_padded(%", padded), 256 * PADDED_COLUMN[gpu]


def check_reduction(root, db, gpu):
    yield lds(db, "Bank Conflict", "reduce_sequential(%", None, "%"), 0
    yield lds(db, "Bank Conflict", "reduce_interleaved(%", None, "%") > 0, True



def check_two_gpus(root, db, gpu):
    """One work-group, 16 wavefronts, on each of the two."""
    line = marked_line(root, "programs/two_gpus.hip", "MEASURED")
    yield db.one("SELECT count(DISTINCT agent) FROM dispatch"), 2
    yield lds(db, "Bank Conflict", "column(%", line), 2 * 16 * COLUMN[gpu]


def check_preload(root, db, gpu):
    """scale: 3 work-groups of 16 wavefronts. count: 48 wavefronts read 256 bytes each, in lines of 64 or 128 bytes."""
    source = "programs/preload.hip"
    yield lds(db, "Bank Conflict", "scale(%", marked_line(root, source, "MEASURED")), 48 * COLUMN[gpu]
    lines = db.metric("memory_coalescing", "Cache Lines", "count(%", marked_line(root, source, "COUNTED"), "load")
    yield lines, 48 * (4 if gpu == "gfx90a" else 2)


def check_vectors(root, db, gpu):
    """64 lanes. 64 reads of 16 bytes with a stride of 32 had 512 conflicts on MI300X (tests/e2e/test_lds.py), 8 each;
    gfx90a is modelled alike, and gfx1100, whose two wavefronts have the groups of the lower half each. On gfx950 a group of 16 lanes covers 64 banks twice: one conflict in each of the 4."""
    line = marked_line(root, "programs/vectors.hip", "MEASURED")
    yield lds(db, "Bank Conflict", "vectors(%", line, "load"), 4 if gpu == "gfx950" else 8
    yield db.metric("memory_coalescing", "Bytes", "vectors(%", line, "store"), 1024


def check_gfx950(root, db, gpu):
    """large_lds: 4 wavefronts read dwords 100 apart, 64 of them on 64 banks: 100 mod 64 = 36 = 4 * 9, so 16 banks of 4
    lanes: 3 conflicts."""
    yield lds(db, "Bank Conflict", "large_lds(%", marked_line(root, "programs/gfx950.hip", "MEASURED")), 4 * 3


def check_transposed(root, db, gpu):
    """Three wavefronts load a matrix of 512 bytes each, and one of 256."""
    for kernel, mark, size in ("halves", "MEASURED", 512), ("bytes", "COUNTED", 256):
        line = marked_line(root, "programs/transposed.hip", mark)
        for metric, one in ("Bytes", size), ("Cache Lines", size // 128):
            yield db.metric("memory_coalescing", metric, f"{kernel}(%", line, "load"), 3 * one


NUMBERS = {"transposed": check_transposed, "transpose": check_transpose, "reduction": check_reduction, "two_gpus": check_two_gpus,
           "preload": check_preload, "vectors": check_vectors, "gfx950": check_gfx950}


# ---- runs ----


def compile_program(root, name, source, gpus, features, *flags):
    """One program for several GPUs; None, or what went wrong."""
    archs = [f"--offload-arch={gpu}{features}" for gpu in gpus]
    done = root.run("lanescope", "hipcc", "-O3", *archs, *flags, f"{WORK}/{source}", "-o", f"{WORK}/bin/{name}")
    return None if done.code == 0 else f"does not compile: {shown(done)}"


def run_profiled(root, name, gpu, *options):
    """Plain and profiled runs of a program must agree; returns the database, or a failed Result."""
    program, out = f"{WORK}/bin/{name}", f"{WORK}/out/{name}-{gpu}"
    soft = f"{PREFIX}/lib/lanescope/liblanescope-softgpu.so"
    plain = root.run(program, LD_PRELOAD=soft, LANESCOPE_GPU=f"soft:{gpu}")
    if plain.code != 0 or "PASSED" not in plain.out or "FAILED" in plain.out:
        return failed(f"plain run: {shown(plain)}")
    root.run("rm", "-rf", out)
    done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "-d", out, "-o", "run", *options, "--", program)
    if (done.code, done.out) != (plain.code, plain.out):
        return failed(f"profiled run differs: {shown(done)}")
    databases = list(root.inside(out).rglob("*.db"))
    if len(databases) != 1:
        return failed(f"no database: {shown(done)}")
    return Database(databases[0])


def compare(name, root, db, gpu):
    for number, (got, expected) in enumerate(NUMBERS.get(name, lambda *_: ())(root, db, gpu), 1):
        if got != expected:
            return failed(f"number {number} of {name} is {got}, not {expected}")
    return Result()


def check_program(root, name, gpu, device=None):
    db = run_profiled(root, name, device or gpu)
    if isinstance(db, Result):
        return db
    observed = db.one("SELECT count(*) FROM dispatch d WHERE EXISTS (SELECT 1 FROM value v WHERE v.dispatch = d.id)")
    if name in QUIET and observed:
        return failed("a texel is wrong: only then these kernels store anything")
    if name in QUIET:
        observed = db.one("SELECT count(*) FROM dispatch WHERE observed")
    if not observed:
        return failed("nothing was observed")
    return compare(name.split("-")[0], root, db, gpu)


def check_summary(root, name, gpu):
    """Summary mode tells what streaming does."""
    streamed = run_profiled(root, name, gpu)
    if isinstance(streamed, Result):
        return streamed
    want = streamed.values()
    counted = run_profiled(root, name, gpu, "--summary-mode")
    if isinstance(counted, Result):
        return counted
    return Result() if want and counted.values() == want else failed("summary mode has other values")


def check_generic(root, gpu):
    """Code of a generic target, run by a GPU that it stands for: the numbers are that GPU's, streamed and in summary mode."""
    target, clang = GENERIC.get(gpu, (None, 0))
    if not target or root.llvm < clang:
        return Result("-", "no generic target stands for this GPU, or the clang of this root has none")
    error = compile_program(root, "transpose-generic", "hip-examples/transpose/transpose.hip", (target,), "")
    if error:
        return failed(error)
    result = check_program(root, "transpose-generic", gpu)
    return result if result.verdict != "ok" else check_summary(root, "transpose-generic", gpu)


# Programs of several processes, which share device memory; from ROCr 7 on by descriptors that a Unix socket carries.
PROCESSES = {
    "processes": ("fork_of_parent", "exec", "ipc"),
    "ipc": ("several", "twice", "owner_ends", "owner_killed", "together", "crossed", "peer"),
}


def check_processes(root, name, gpu):
    soft, tests = f"{PREFIX}/lib/lanescope/liblanescope-softgpu.so", PROCESSES[name]
    done = root.run(f"{WORK}/bin/{name}", *tests, LD_PRELOAD=soft, LANESCOPE_GPU=f"soft:{gpu}x2")
    if (done.code, done.out) != (0, "".join(f"PASSED {test}\n" for test in tests)):
        return failed(f"{name}: {shown(done)}")
    return Result()


def check_rocminfo(root, gpu):
    for device, agents in ((gpu, 1), (f"{gpu}x2", 2)):
        done = root.run("lanescope", "run", "--gpu", f"soft:{device}", "--no-summary", "-d", f"{WORK}/out/info", "rocminfo")
        found = re.findall(rf"^  Name: +{gpu}\s*$", done.out, re.MULTILINE)
        if done.code != 0 or len(found) != agents:
            return failed(f"soft:{device}: {len(found)} agents; {shown(done)}")
    return Result()


def check_refusal(root, gpu, out):
    """A GPU that the root's ROCr or HIP does not know: the program must be told so."""
    program, library = ("rocminfo", "ROCr") if gpu not in ROCR_GPUS[root.name] else (f"{WORK}/bin/transpose", "HIP")
    done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "-d", out, "--", program)
    if done.code != 0 and f"does not know {gpu}" in done.err:
        return Result("-", f"this {library} does not know {gpu}, and the program is told so")
    return failed(f"no clear message about {gpu}: {shown(done)}")


# Programs of the software GPU's own tests that use ROCr alone.
HSA_TESTS = ("barrier", "copy", "profile", "kernel", "stress")


def check_hsa(root, gpu):
    code = f"{WORK}/bin/kernels-{gpu}.co"
    done = root.run(
        f"clang-{root.llvm}", "--target=amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-O2",
        "-g", f"{WORK}/programs/kernels.cl", "-o", code,
    )
    if done.code != 0:
        return failed(f"kernels.cl does not compile: {shown(done)}")
    for name in HSA_TESTS:
        soft = f"{PREFIX}/lib/lanescope/liblanescope-softgpu.so"
        done = root.run("test_rocr", name, code, LD_PRELOAD=soft, LANESCOPE_GPU=f"soft:{gpu}")
        if done.code != 0:
            return failed(f"test_rocr {name}: {shown(done)}")
    return Result()


def check_compiler(root, gpu):
    """The plugin's own tests with the root's clang: originals unchanged, clones' metadata, site tables."""
    for name in ("matrix", "sites"):
        done = root.run(
            "python3", "-B", f"{WORK}/source/llvm-pass/tests/test_{name}.py", LANESCOPE_COMPILE=f"{PREFIX}/bin/lanescope",
            LANESCOPE_PIECES=f"{PREFIX}/lib/lanescope", LANESCOPE_TEST_DIR=f"{WORK}/out/compiler", LANESCOPE_BUILD_DIR=f"{WORK}/out/compiler",
        )
        if done.code != 0:
            return failed(f"llvm-pass/tests/test_{name}.py: {shown(done)}")
    return Result()


def check_register(root, gpu):
    """`transpose` with the tool library loaded as rocprofiler-sdk does: tests/e2e/programs/register_tool.c."""
    shim, source, out = f"{WORK}/bin/register.so", f"{WORK}/programs/register_tool.c", f"{WORK}/out/register-{gpu}"
    done = root.run(f"clang-{root.llvm}", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", source, "-o", shim)
    if done.code != 0:
        return failed(f"register_tool.c does not compile: {shown(done)}")
    root.run("rm", "-rf", out)
    done = root.run(
        "lanescope", "run", "--gpu", f"soft:{gpu}", "--log-level", "debug", "-d", out, "--", "sh", "-c",
        'HSA_TOOLS_LIB=$0 LD_PRELOAD=$0:$LD_PRELOAD exec "$@"', shim, f"{WORK}/bin/transpose",
        REGISTER_TOOL=f"{PREFIX}/lib/lanescope/liblanescope-hsa.so",
    )
    databases = list(root.inside(out).rglob("*.db"))
    if done.code != 0 or "loaded through rocprofiler-register" not in done.err or len(databases) != 1:
        return failed(f"rocprofiler_configure: {shown(done)}")
    return compare("transpose", root, Database(databases[0]), gpu)


def check_rocfft(root, gpu):
    """rocFFT's own kernels, which hiprtc compiles while the program runs: a transform of 60 numbers has one, and two more that
    make its table of factors. The second run takes them from the cache of the first."""
    if not root.inside("/usr/include/rocfft/rocfft.h").exists():
        return Result("-", "no rocFFT here: install librocfft-dev in the root")
    program, source, out = f"{WORK}/bin/rocfft", f"{WORK}/programs/rocfft.cpp", f"{WORK}/out/rocfft-{gpu}"
    done = root.run(f"clang++-{root.llvm}", "-O1", "-D__HIP_PLATFORM_AMD__", source, "-lrocfft", "-lamdhip64", "-o", program)
    if done.code != 0:
        return failed(f"rocfft.cpp does not compile: {shown(done)}")
    root.run("rm", "-rf", out)
    for name in ("cold", "warm"):
        done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "-d", f"{out}/{name}", "-o", "run", "--", program,
                        XDG_CACHE_HOME=f"{out}/cache")
        databases = list(root.inside(f"{out}/{name}").rglob("*.db"))
        if (done.code, done.out) != (0, "PASSED\n") or len(databases) != 1:
            return failed(f"rocFFT, {name}: {shown(done)}")
        sites = """SELECT count(*) FROM site_view s JOIN value v ON v.site = s.site WHERE s.file LIKE '%/rocfft_rtc.hip'
                   AND s.kernel_name LIKE 'fft_rtc%len%60%'"""
        if not Database(databases[0]).one(sites):
            return failed(f"rocFFT, {name}: its kernel was not observed: {shown(done)}")
    return Result()


def run_rtc(root, gpu, mode, out):
    """tests/e2e/programs/rtc.cpp on a cold cache, and what it prints without us: the database, or what went wrong."""
    program = f"{WORK}/bin/rtc"
    plain = root.run(program, mode, f"{out}/{mode}.plain", gpu, LD_PRELOAD=f"{PREFIX}/lib/lanescope/liblanescope-softgpu.so",
                     LANESCOPE_GPU=f"soft:{gpu}")
    done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "-d", f"{out}/{mode}", "-o", "run", "--kernel-iteration-range", "[2]",
                    "--access-log", f"{out}/log", "--", program, mode, f"{out}/{mode}.co", gpu, XDG_CACHE_HOME=f"{out}/cache-{mode}")
    databases = list(root.inside(f"{out}/{mode}").rglob("*.db"))
    if (plain.code, plain.out) != (0, f"{mode}: PASSED\n") or (done.code, done.out) != (0, plain.out) or len(databases) != 1:
        return failed(f"hiprtc, {mode}: {shown(plain)}; {shown(done)}")
    return databases[0]


def check_hiprtc(root, gpu):
    """hiprtc, and with a bitcode of its own its linker; each line's numbers are those of the access log. One kernel of another name
    is in the log only, for the program does not save its code."""
    out = f"{WORK}/out/hiprtc-{gpu}"
    root.run("rm", "-rf", out)
    root.run("mkdir", "-p", out)
    done = root.run(f"clang++-{root.llvm}", "-D__HIP_PLATFORM_AMD__", "-std=c++17", "-O1", f"{WORK}/programs/rtc.cpp", "-lamdhip64", "-lhiprtc",
                    "-lpthread", "-o", f"{WORK}/bin/rtc")
    if done.code != 0:
        return failed(f"rtc.cpp does not compile: {shown(done)}")
    for mode, name in ("plain", "transpose.hip"), ("unnamed", "CompileSource"), ("names", "scaled.hip"):
        database = run_rtc(root, gpu, mode, out)
        if isinstance(database, Result):
            return database
        db = Database(database)
        count, named = db.db.execute("SELECT count(*), count(path LIKE ? OR NULL) FROM source_file WHERE text IS NOT NULL",
                                     (f"%/lanescope/rtc/%/{name}",)).fetchone()
        if not count or named != (2 if mode == "names" else 1):
            return failed(f"hiprtc, {mode}: {named} of {count} texts are called {name}")
        kernels = 2 if mode == "names" else 1
        if db.one("SELECT count(*) FROM dispatch WHERE observed") != kernels:
            return failed(f"hiprtc, {mode}: not all kernels were observed")
        if mode != "names":
            code = hardware.Code(root.inside(f"{out}/{mode}.co").read_bytes(), root.inside(f"{out}/image"))
            report = lines.Report(database)
            r = lines.Comparison(report, report, [code], skip=1).feed(root.inside(f"{out}/log"))
            # by 16 wavefronts each: a global load, an LDS store, an LDS load, a global store
            if r.wrong or (r.dispatches, r.counted, r.not_joined) != (1, 64 if gpu not in (*RDNA3, *RDNA4) else 128, 0):
                return failed(f"hiprtc, {mode}: {r.wrong[:3]}, {r.dispatches} dispatches, {r.counted} instructions")
    return Result()


def check_opencl(root, gpu):
    """An OpenCL kernel: 16 wavefronts read a column of a tile (programs/opencl.c)."""
    if not root.inside("/etc/OpenCL/vendors/amdocl64.icd").exists() or not root.inside("/usr/include/CL/cl.h").exists():
        return Result("-", "no OpenCL here: install rocm-opencl-icd, ocl-icd-opencl-dev and opencl-headers in the root")
    program, source, out = f"{WORK}/bin/opencl", f"{WORK}/programs/opencl.c", f"{WORK}/out/opencl-{gpu}"
    done = root.run(f"clang-{root.llvm}", "-O2", "-Wall", "-Werror", source, "-lOpenCL", "-o", program)
    if done.code != 0:
        return failed(f"opencl.c does not compile: {shown(done)}")
    root.run("rm", "-rf", out)
    done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "-d", out, "-o", "run", "--", program, XDG_CACHE_HOME=f"{out}/cache")
    databases = list(root.inside(out).rglob("*.db"))
    if (done.code, done.out) != (0, "PASSED\n") or len(databases) != 1:
        return failed(f"OpenCL: {shown(done)}")
    text = root.inside(source).read_text().split("text[] = ")[1].splitlines()
    line = next(i for i, words in enumerate(text, 1) if "MEASURED" in words)
    found = lds(Database(databases[0]), "Bank Conflict", "transpose", line)
    return Result() if found == 16 * COLUMN[gpu] else failed(f"OpenCL: {found} conflict cycles in line {line}")


def check_instructions(root, gpu):
    """Programs that the root's hipcc alone has compiled, observed by their instructions: the access log of the same run
    decides, with no tolerance (tests/e2e/instructions.py)."""
    sources = ["hip-examples/transpose/transpose.hip", "hip-examples/histogram/histogram.hip"]
    for source in sources + (["programs/gfx950.hip"] if gpu == "gfx950" else []):
        program, out = f"{WORK}/bin/alone", f"{WORK}/out/alone-{gpu}"
        root.run("rm", "-rf", out)
        root.run("mkdir", "-p", out)
        done = root.run("hipcc", "-O3", f"--offload-arch={gpu}", f"{WORK}/{source}", "-o", program)
        if done.code != 0:
            return failed(f"{source} does not compile: {shown(done)}")
        done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "--uninstrumented", "isa", "--access-log", f"{out}/log",
                        "-d", out, "-o", "run", "--", program)
        databases = list(root.inside(out).rglob("*.db"))
        if done.code != 0 or len(databases) != 1:
            return failed(f"{source}: {shown(done)}")
        codes = hardware.Code.of_program(root.inside(program), root.inside(out))
        try:
            kernels, numbers = instructions.check(databases[0], root.inside(f"{out}/log"), codes)
        except AssertionError as wrong:
            return failed(f"{source}: {str(wrong)[:400]}")
        if not kernels or not numbers:
            return failed(f"{source}: nothing was compared")
    return Result()


# Generated programs of so many kernels each, 60 in all (tests/e2e), and which part of their executed instructions may at most be left unjoined: as in
# tests/e2e/test_hardware_lines.py.
KERNELS = 15
GENERATED = {
    "corpus": (lambda: corpus.program(102, KERNELS, extras=True), 8),
    "uniform": (lambda: corpus_uniform.program(2, KERNELS), 8),
    "forms": (lambda: corpus_forms.program(6, KERNELS, calls=True), 4),
    "loops": (lambda: corpus_loops.program(2, KERNELS), 8),
}


def build_thrice(root, name, gpu, lanes):
    """The program of an example or a generator, which launches each kernel three times; or what went wrong."""
    # HIP 6.4's header refuses wavefronts of 64 lanes on all RDNA, and asks nothing else by __GFX7__
    options = ("-O3", f"--offload-arch={gpu}", *(("-mwavefrontsize64", "-D__GFX7__=1") if lanes == 64 else ()))
    program, thrice = f"{WORK}/bin/{name}-{gpu}-{lanes}", f"{WORK}/bin/thrice.o"
    if name in GENERATED:
        source = f"{WORK}/programs/{name}-generated.hip"
        root.inside(source).write_text(GENERATED[name][0]())
        commands = [("lanescope", "hipcc", *options, source, "-o", program)]
    else:
        source = f"{WORK}/hip-examples/{name}/{name}.hip"
        commands = [(f"clang++-{root.llvm}", "-c", f"{WORK}/programs/thrice.cpp", "-o", thrice),
                    ("lanescope", "hipcc", *options, source, "-Dmain=example_main", "-c", "-o", f"{program}.o"),
                    ("hipcc", f"{program}.o", thrice, "-o", program, "-Wl,--wrap=hipMalloc,--wrap=hipFree")]
    for command in commands:
        done = root.run(*command)
        if done.code != 0:
            return failed(f"{name} does not compile: {shown(done)}")
    return program


def compare_lines(root, name, gpu, lanes):
    """Streamed, and in summary mode."""
    program = build_thrice(root, name, gpu, lanes)
    if isinstance(program, Result):
        return program
    result = compare_run(root, name, gpu, lanes, program)
    return result if result.verdict != "ok" else compare_run(root, name, gpu, lanes, program, "--summary-mode")


def compare_run(root, name, gpu, lanes, program, *options):
    """The second run of each kernel is observed, the third is the original, whose accesses are logged."""
    out = f"{WORK}/out/lines-{gpu}"
    root.run("rm", "-rf", out)
    root.run("mkdir", "-p", out)
    done = root.run("lanescope", "run", "--gpu", f"soft:{gpu}", "--kernel-iteration-range", "[2]", "--access-log", f"{out}/log",
                    *options, "-d", out, "-o", "run", "--", program)
    databases = list(root.inside(out).rglob("*.db"))
    if done.code != 0 or len(databases) != 1:
        return failed(f"{name}: {shown(done)}")
    report = lines.Report(databases[0])
    r = lines.Comparison(report, report, hardware.Code.of_program(root.inside(program), root.inside(out)),
                         skip=1, lanes=lanes).feed(root.inside(f"{out}/log"))
    if r.wrong:
        return failed(f"{name}, {lanes} lanes: {r.wrong[:3]}")
    if not r.kernels or r.kernels != r.dispatches or not r.counted:
        return failed(f"{name}, {lanes} lanes: {r.kernels} kernels of {r.dispatches} dispatches, {r.counted} instructions")
    part = GENERATED[name][1] if name in GENERATED else r.counted + 1
    return failed(f"{name}, {lanes} lanes: {r.not_joined} of {r.counted} not joined") if r.not_joined * part > r.counted else Result()


def check_lines(root, gpu):
    """The numbers of profiles, line by line, against the access log with no tolerance: examples and generated programs, in wavefronts
    of both sizes and in both modes."""
    for name in (*EXAMPLES, *GENERATED):
        for lanes in (32, 64):
            result = compare_lines(root, name, gpu, lanes)
            if result.verdict != "ok":
                return result
    return Result()


def programs(root):
    """(column, program, source, GPUs, their features, compiler options)"""
    known = HIP_GPUS[root.name]
    cdna = tuple(gpu for gpu in known if gpu not in (*RDNA3, *RDNA4))  # which has neither features nor preloading
    for name in EXAMPLES:
        yield name, name, f"hip-examples/{name}/{name}.hip", known, "", ()
    transpose = "hip-examples/transpose/transpose.hip"
    yield "code object 5", "transpose-5", transpose, known, "", ("-mcode-object-version=5",)
    yield "features", "transpose-features", transpose, cdna, ":sramecc+:xnack-", ()
    yield "two_gpus", "two_gpus", "programs/two_gpus.hip", known, "", ()
    for name in PROCESSES:
        yield name, name, f"programs/{name}.hip", known, "", ()
    yield "vectors", "vectors", "programs/vectors.hip", known, "", ()
    if root.llvm >= 18:  # preloading came with LLVM 18
        yield "preload", "preload", "programs/preload.hip", cdna, "", ("-mllvm", "-amdgpu-kernarg-preload-count=16")
    rdna3 = tuple(gpu for gpu in known if gpu in RDNA3)
    rdna = tuple(gpu for gpu in known if gpu in (*RDNA3, *RDNA4))
    if rdna:
        yield "wmma", "wmma", "programs/wmma.hip", rdna3, "", ()
        for name in "textures", "textures_rdna":
            yield name, name, f"programs/{name}.hip", rdna, "", ()
    rdna4 = tuple(gpu for gpu in known if gpu in RDNA4)
    if rdna4:
        yield "transposed", "transposed", "programs/transposed.hip", rdna4, "", ()
    if "gfx950" in known:
        yield "gfx950", "gfx950", "programs/gfx950.hip", ("gfx950",), "", ()


def run_root(root, gpus, only, results):
    root.inside(f"{WORK}/bin").mkdir(parents=True, exist_ok=True)
    refused = f"{WORK}/out/refused"
    for gpu in gpus:
        row = results[(root.name, gpu)] = {}
        if gpu in ROCR_GPUS[root.name]:
            report(root, gpu, "rocminfo", row, check_rocminfo, root, gpu)
            report(root, gpu, "hsa", row, check_hsa, root, gpu)
        else:
            report(root, gpu, "rocminfo", row, check_refusal, root, gpu, refused)
    if not only or only == "compiler":  # no GPU takes part: one row of the table is enough
        report(root, gpus[0], "compiler", results[(root.name, gpus[0])], check_compiler, root, gpus[0])
    for gpu in (g for g in gpus if g in HIP_GPUS[root.name] and (not only or only == "rocfft")):
        report(root, gpu, "rocfft", results[(root.name, gpu)], check_rocfft, root, gpu)
    for gpu in (g for g in gpus if g in HIP_GPUS[root.name] and (not only or only == "hiprtc")):
        report(root, gpu, "hiprtc", results[(root.name, gpu)], check_hiprtc, root, gpu)
    for gpu in (g for g in gpus if g in HIP_GPUS[root.name] and (not only or only == "generic")):
        report(root, gpu, "generic", results[(root.name, gpu)], check_generic, root, gpu)
    for gpu in (g for g in gpus if g in HIP_GPUS[root.name] and (not only or only == "opencl")):
        report(root, gpu, "opencl", results[(root.name, gpu)], check_opencl, root, gpu)
    for gpu in (g for g in gpus if g in RDNA4 and g in HIP_GPUS[root.name] and (not only or only == "lines")):
        report(root, gpu, "lines", results[(root.name, gpu)], check_lines, root, gpu)
    for column, name, source, known, features, flags in programs(root):
        if only and only not in name:
            continue
        wanted = tuple(gpu for gpu in known if gpu in gpus) or known
        error = compile_program(root, name, source, wanted, features, *flags)
        for gpu in gpus:
            row = results[(root.name, gpu)]
            if error and gpu in known:
                report(root, gpu, column, row, failed, error)
            elif gpu in known:
                device = f"{gpu}x2" if name == "two_gpus" else None
                if name in PROCESSES:
                    report(root, gpu, column, row, check_processes, root, name, gpu)
                else:
                    report(root, gpu, column, row, check_program, root, name, gpu, device)
                if name in SUMMARIES:
                    report(root, gpu, f"summary {name}", row, check_summary, root, name, gpu)
                if name == "transpose":
                    report(root, gpu, "register", row, check_register, root, gpu)
                    report(root, gpu, "isa", row, check_instructions, root, gpu)
            elif gpu in ROCR_GPUS[root.name] and name == "transpose":
                report(root, gpu, column, row, check_refusal, root, gpu, refused)


def report(root, gpu, column, row, check, *arguments):
    row[column] = check(*arguments)
    print(f"{root.name} {gpu} {column}: {row[column].verdict}", file=sys.stderr, flush=True)
