#!/usr/bin/env python3
"""Makes the corpus of the fuzz targets. Usage: tests/fuzz/make_corpus.py BUILD. Inputs that a run has found and that once did
harm (regression-*) are left as they are. All of it is made here, from our own formats and our own kernel."""

import json
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
GPUS = ("gfx90a", "gfx942", "gfx950")


def put(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def run(*command):
    subprocess.run([str(c) for c in command], check=True, capture_output=True)


def compiled(build, folder, gpu, instrumented):
    out = folder / f"{gpu}-{instrumented}.co"
    small = [w for page in ("max-page-size=256", "common-page-size=256") for w in ("-Xoffload-linker", "-z", "-Xoffload-linker", page)]
    plugin = [f"-fpass-plugin={next(build.glob('stage/lib*/lanescope/liblanescope-pass-22.so'))}"] if instrumented else []
    run("clang++-22", *plugin, "-x", "hip", "-nogpuinc", "-nogpulib",
        "--cuda-device-only", "--no-gpu-bundle-output", f"--offload-arch={gpu}", "-O2", "-gline-tables-only", *small,
        f"-ffile-prefix-map={HERE.parents[1]}=/src/kernel", "-fdebug-compilation-dir=/src/kernel",  # no machine's paths
        HERE / "kernel.hip", "-o", out)
    return out


def section(file, name, folder):
    out = folder / "section"
    run("llvm-objcopy-22", f"--dump-section={name}={out}", file, folder / "copy")
    return out.read_bytes()


def code_objects(build, folder):
    for i, gpu in enumerate(GPUS):
        plain, probed = (compiled(build, folder, gpu, p) for p in (False, True))
        for target in ("elf", "loader"):
            put(target, f"kernel-{gpu}", plain.read_bytes())
        put("machine_code", f"kernel-{gpu}", bytes([i]) + section(plain, ".text", folder))
        put("decode", f"kernel-{gpu}", section(plain, ".text", folder))
        if gpu == "gfx90a":
            damaged(plain.read_bytes())
            note = section(plain, ".note", folder)
            put("metadata", "note", note[20:])  # behind its head and "AMDGPU"
            put("metadata", "kernel", plain.read_bytes())
            put("dwarf", "kernel", plain.read_bytes().replace(b"AMDGPU", b"amdgpu"))
            put("sites", "kernel", section(probed, ".lanescope.sites", folder))
            joined(probed.read_bytes())
    log = folder / "log"
    run(build / "stage/bin/sg-run", "-L", log, "-g", "64", "-w", "64", plain.with_name("gfx90a-False.co"), "k", "buf:256",
        "buf:256", "i32:2")
    put("access_log", "kernel", log.read_bytes())


def shortened(image, function):
    """The code object with no code but that function's, which is the first of .text: the probes of the device library are long. Numbers of
    sections' and segments' headers as in elf.h."""
    image = bytearray(image)
    segments, sections = struct.unpack_from("<QQ", image, 32)
    n_segments, _, n_sections, _ = struct.unpack_from("<HHHH", image, 56)
    headers = [list(struct.unpack_from("<IIQQQQIIQQ", image, sections + 64 * i)) for i in range(n_sections)]
    text = next(h for h in headers if h[2] & 4)  # SHF_EXECINSTR
    symtab = next(h for h in headers if h[1] == 2)
    names = headers[symtab[6]]
    for at in range(symtab[4], symtab[4] + symtab[5], 24):
        name, kind, _, _, value, size = struct.unpack_from("<IBBHQQ", image, at)
        if kind & 15 == 2 and image[names[4] + name :].startswith(function + b"\0"):
            first, last = value - text[3], value - text[3] + size
    assert first == 0
    begin, end = text[4] + last, text[4] + text[5]
    gone = (end - begin) // 64 * 64
    for h in headers:
        h[4] -= gone if h[4] >= end else 0
    text[5] -= gone
    for i, h in enumerate(headers):
        struct.pack_into("<IIQQQQIIQQ", image, sections + 64 * i, *h)
    struct.pack_into("<Q", image, 40, sections - gone)
    for p in range(segments, segments + 56 * n_segments, 56):
        offset, = struct.unpack_from("<Q", image, p + 8)
        if offset >= end:
            struct.pack_into("<Q", image, p + 8, offset - gone)
    return bytes(image[:end - gone] + image[end:])


def joined(image):
    """Accesses in front of the code object: of each site one of 64 lanes in a row."""
    accesses = chunk(*(message(site, 1, 0x1000 * site, 0, 4) for site in range(6)))
    image = shortened(image, b"k").replace(b"AMDGPU", b"amdgpu")
    for name, messages in (("kernel", b""), ("kernel-accesses", accesses)):
        put("join", name, struct.pack("<H", len(messages)) + messages + image)


def launches():
    """A descriptor as clang makes it (AMDGPUUsage, "Kernel Descriptor") of each GPU, and one work-group of 64; with scratch memory."""
    for gpu in range(7):
        descriptor = struct.pack("<IIIIq20xIIIHHI", 0, 0, 280, 0, 256, 0, 0xaf0040, 0x84, 9, 0, 0)
        for name, private in (("plain", 0), ("scratch", 16)):
            put("launch", f"{name}-{gpu}", bytes([gpu]) + descriptor + struct.pack("<I", (1 << 20) + 4096) +
                struct.pack("<IHIHIH", 128, 64, 1, 1, 1, 1) + struct.pack("<II", 512, private) + (1 << 20).to_bytes(5, "little") + bytes(8))


def damaged(image):
    """One wrong number of a code object each (elf.h, Elf64_Ehdr, Elf64_Phdr and Elf64_Shdr)."""
    segments, sections = struct.unpack_from("<QQ", image, 32)
    n_segments, _, n_sections = struct.unpack_from("<HHH", image, 56)
    load = next(p for p in range(segments, segments + 56 * n_segments, 56) if struct.unpack_from("<I", image, p)[0] == 1)
    dynsym = next(s for s in range(sections, sections + 64 * n_sections, 64) if struct.unpack_from("<I", image, s + 4)[0] == 11)
    symbol = struct.unpack_from("<Q", image, dynsym + 24)[0] + 24  # the first one that is not empty
    for name, at, value in (("segment-address", load + 16, 2**64 - 4096), ("segment-memory", load + 40, 2**63),
                            ("segment-file-longer", load + 40, 1), ("symbol-entries", dynsym + 56, 0),
                            ("symbol-address", symbol + 8, 2**40), ("symbol-size", symbol + 16, 2**64 - 1)):
        wrong = bytearray(image)
        struct.pack_into("<Q", wrong, at, value)
        put("loader", f"damaged-{name}", bytes(wrong))
        put("elf", f"damaged-{name}", bytes(wrong))


def metadata():
    """MessagePack of {"amdhsa.kernels": [{".name": "k", WHAT}]}, with a WHAT for each kind of value there is (its specification,
    "Formats"), and such as say that more follows than does."""
    kinds = {"text-8": b"\xd9\2ab", "text-16": b"\xda\0\2ab", "text-32": b"\xdb\0\0\0\2ab", "list-16": b"\xdc\0\1\xc0", "list-32": b"\xdd\0\0\0\1\xc2",
             "map-16": b"\xde\0\1\xa0\xc3", "map-32": b"\xdf\0\0\0\1\xa0\xc0", "number-16": b"\xcd\1\2", "number-64": b"\xcf" + bytes(8),
             "negative": b"\xd3" + b"\xff" * 8, "real": b"\xcb" + bytes(8), "bytes": b"\xc4\1a", "extension": b"\xd4\1a",
             "long-text": b"\xdb\xff\xff\xff\xff", "long-list": b"\xdd\xff\xff\xff\xff", "long-map": b"\xdf\xff\xff\xff\xff", "deep": b"\x91" * 100}
    for name, value in kinds.items():
        put("metadata", name, b"\x81\xaeamdhsa.kernels\x91\x83\xa1x" + value + b"\xa5.name\xa1k\xab.sgpr_count" + value)


def bundles():
    """Compressed bundles of clang's three versions, by zlib and by zstd (one block that is stored as it is, RFC 8878)."""
    text = b"__CLANG_OFFLOAD_BUNDLE__" + b"hip-amdgcn-amd-amdhsa--gfx90a" * 6
    packed = (zlib.compress(text),
              b"\x28\xb5\x2f\xfd\x20" + bytes((len(text),)) + (len(text) << 3 | 1).to_bytes(3, "little") + text)
    for version in (1, 2, 3):
        for method, body in enumerate(packed):
            sizes = (struct.pack("<I", len(text)), struct.pack("<II", 24 + len(body), len(text)),
                     struct.pack("<QQ", 32 + len(body), len(text)))[version - 1]
            put("bundle", f"version-{version}-{('zlib', 'zstd')[method]}",
                b"\x08CCOB" + struct.pack("<HH", version, method) + sizes + bytes(8) + body)


def machine_code(build, folder):
    """The functions of the engine's own tests, one by one."""
    for i, gpu in enumerate(GPUS):
        file = build / f"soft-gpu/isa/core-{gpu}-O3.co"
        text = section(file, ".text", folder)
        symbols = subprocess.run(["llvm-readelf-22", "-sSW", file], check=True, capture_output=True, text=True).stdout
        base = int(re.search(r"\.text\s+PROGBITS\s+([0-9a-f]+)", symbols)[1], 16)
        for at, size, name in re.findall(r"^\s+\d+: ([0-9a-f]+)\s+(\d+) FUNC\s.*\s(\w+)$", symbols, re.M):
            start = int(at, 16) - base
            if int(size) <= 2048 and (gpu == "gfx90a" or len(name) % 3 == i):
                put("machine_code", f"{name}-{gpu}", bytes([i]) + text[start : start + int(size)])


def message(site, kind, word1, word2, word3, mask=None, tail=b""):
    """A message of include/lanescope/wire.h; the partial bit stands for a mask."""
    head = (site + 1) | kind << 24 | (mask is not None) << 28
    return struct.pack("<IIII", head, word1, word2, word3) + (b"" if mask is None else struct.pack("<Q", mask)) + tail


def chunk(*messages):
    body = b"".join(messages)
    return (struct.pack("<9IIQQII", int.from_bytes(b"LSCK", "little"), 64 + len(body), 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 64) + body)


def chunks():
    words = lambda n: struct.pack(f"<{n}I", *range(0, 8 * n, 8))  # noqa: E731
    kinds = {"strided": message(0, 1, 0x1000, 0, 4), "partial": message(1, 1, 0, 0, 4, 0xff), "delta": message(0, 2, 0x1000, 0, 64, None, words(64)),
             "window": message(1, 3, 0, 0, 2, 5, words(2)), "raw": message(0, 4, 0, 0, 64, None, words(128)),
             "length": message(1, 1, 0, 0, 4) + message(1, 5, 64, 0, 0), "block": message(2, 6, 1, 0, 0), "time": message(3, 7, 1, 0, 9),
             "count": message(0, 8, 64 << 8 & 0, 4, 4, None, struct.pack("<Q", 7)), "cost": message(0, 10, 4 << 16, 0, 0, None, words(16)),
             "rows": message(0, 12, 0x1000, 0, 4, None, struct.pack("<iI", -1024, 4)), "rows-partial": message(1, 12, 64, 0, 4, 0xff00ff, struct.pack("<iI", 256, 3)),
             "rows-far": message(0, 12, 0x1000, 0, 4, None, struct.pack("<iI", 1 << 30, 1)),
             "wave": struct.pack("<IIII", 9 << 24, 1, 0, 5), "evidence": message(0, 11, 0, 0, 0, 3, words(128))}
    for gpu in range(4):
        put("chunk", f"all-{gpu}", bytes([gpu, 8]) + chunk(*kinds.values()))
    for name, one in kinds.items():
        put("chunk", name, bytes([0, 8]) + chunk(one, one))


def packet(kind, body=b""):
    return (struct.pack("<H", kind | 1 << 9 | 1 << 11) + body).ljust(64, b"\0")


def packets():
    data, signal = (1 << 20) + 0x600, (1 << 20) + 0x500
    queue = b"\0" * 0xc0 + struct.pack("<Q", signal)  # amd_queue_t: queue_inactive_signal
    memory = lambda ring: ring.ljust(1024, b"\0") + queue.ljust(256, b"\0") + struct.pack("<qq", 1, 1).ljust(256, b"\0")  # noqa: E731
    descriptor = struct.pack("<IIIIq", 0, 0, 16, 0, 256).ljust(64, b"\0")
    dispatch = struct.pack("<H3HH3IIIQQQQ", 1, 64, 1, 1, 0, 64, 1, 1, 0, 0, data, data + 0x100, 0, signal)
    barrier = struct.pack("<HI5QQQ", 0, 0, signal, 0, 0, 0, 0, 0, signal)
    pm4 = struct.pack("<HIIII", 0x0101, 0xc0023f00, data + 0x80, 0, 4 | 1 << 23)
    for name, ring in (("dispatch", packet(2, dispatch)), ("barrier-and", packet(3, barrier)), ("barrier-or", packet(5, barrier)),
                       ("vendor", packet(0, pm4)), ("all", packet(2, dispatch) + packet(3, barrier) + packet(0, pm4))):
        body = memory(ring) + descriptor
        body = body.ljust(0x680, b"\0") + struct.pack("<4I", 0xc0055800, 0, 0, 0)  # an ACQUIRE_MEM
        put("packets", f"aql-{name}", b"\0" + body)
    copy = struct.pack("<III QQ", 1, 63, 0, data, data + 0x100)
    fence = struct.pack("<IQI", 5, signal, 7)
    poll = struct.pack("<IQIII", 8 | 1 << 31 | 3 << 28, signal, 1, 0xffffffff, 0)
    fill = struct.pack("<IQII", 11 | 2 << 30, data, 5, 63)
    atomic = struct.pack("<IQQQI", 10 | 47 << 25, signal, 1, 0, 0)
    rect = struct.pack("<I QI QI", 1 | 4 << 8, data, 0, 64, 0).ljust(52, b"\0")
    for name, ring in (("copy", copy), ("fence", fence), ("poll", poll), ("fill", fill), ("atomic", atomic), ("rect", rect),
                       ("all", copy + fence + fill + atomic)):
        put("packets", f"sdma-{name}", b"\1" + memory(ring))


def texts():
    for i, text in enumerate(("[1-2],[5-8]", "3", "0:4,1:2,:", "64K", "18446744073709551615-1")):
        put("config", f"numbers-{i}", b"\0" + text.encode())
    for i, text in enumerate(("1/4", "true", "soft:gfx90a:2", "lds_bank_conflicts,advice:fix=1", "wait", "1-2")):
        put("config", f"check-{i}", b"\1" + text.encode())
        put("config", f"variable-{i}", bytes([2 + 5 * (i * 3 % 25)]) + text.encode())
    for i, text in enumerate(("%pid%_%hostname%", "%env{HOME}%/%rank%", "{pid}%%%p%j", "%env{", "%tag%")):
        put("config", f"name-{i}", b"\3" + text.encode())
    whole = {"handlers": ["lds_bank_conflicts", "advice"], "on_full": "wait", "summary": False, "ring_size": 65536}
    put("config", "file", b"\4" + json.dumps(whole).encode())
    for i, text in enumerate(("ds_read2st64_b64 v[0:3], v4 offset0:1 offset1:255", "global_load_dwordx4 v[0:3], v[4:5], off offset:-16",
                              "buffer_store_dword v0, off, s[0:3], 0 offset:4095", "s_load_dwordx16 s[0:15], s[16:17], 0x10",
                              "ds_cmpst_rtn_b32 v0, v1, v2, v3", "flat_atomic_add v[0:1], v2", "scratch_load_dword v0, off, s32")):
        put("isa_text", f"text-{i}", text)
    side = {"access": "write", "file": "a.hip", "line": 4, "column": 2, "instruction": "ds_write_b32 v0, v1", "wave": 1, "lane": 2}
    finding = {"kind": "race", "severity": "error", "space": "LDS", "kernel": "k", "count": 3, "gpu": 0, "dispatch": 0, "address": 16,
               "workgroup": [0, 0, 0], "sides": [side, side]}
    put("findings", "race", json.dumps({"pid": 1, "dispatches": 2, "lost": 0}) + "\n" + json.dumps(finding) + "\n")
    put("findings", "cut-off", json.dumps({"pid": 1, "dispatches": 2}) + "\n" + json.dumps(finding)[:50])


def database(build, folder, name, *options):
    path, source = folder / f"{name}.db", folder / "a.hip"
    source.write_text("int a;\nint b;\n")
    run(build / "results/tests/make_sample", path, source, *options)
    with sqlite3.connect(path, isolation_level=None) as db:
        for statement in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=512", "VACUUM"):
            db.execute(statement)
    put("database", name, path.read_bytes())
    wave = {"workgroup": "0,0,0", "wave": 0, "xcc": 0, "engine": 1, "array": 0, "unit": 3, "simd": 2, "slot": 0, "start_ns": 5,
            "duration_ns": 7}
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("UPDATE dispatch SET thread = 7, submit_ns = start_ns - 100")
        db.execute("INSERT INTO handler_row(dispatch, handler, table_name, json) VALUES(1, 'wave_timeline', 'waves', ?)",
                   (json.dumps(wave),))
        db.executemany("INSERT INTO copy(process, number, source, destination, bytes, start_ns, end_ns, submit_ns, thread)"
                       " VALUES(1, ?, ?, ?, 64, ?, ?, 900, 7)", [(1, None, 1, 1000, 1500), (2, 1, None, 1200, 1700), (3, 1, 1, 0, 0)])
        db.executemany("INSERT INTO marker(process, thread, kind, text, start_ns, end_ns) VALUES(1, 7, ?, ?, ?, ?)",
                       [(0, "mark", 900, 900), (1, "outer", 800, 5000000), (1, "inner", 900, 1000), (2, "started", 950, None)])
        db.execute("VACUUM")
    for target in ("convert", "merge"):
        put(target, name, path.read_bytes())


def beside_others(folder):
    """Journals, results of self-tests, object files in pairs, code objects by URI."""
    page = bytearray(512)
    page[:28] = b"SQLite format 3\0" + bytes(8) + struct.pack(">I", 7)
    head = lambda records: bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", records, 1, 2, 512, 512)  # noqa: E731
    record = struct.pack(">I", 1) + bytes(page) + bytes(4)
    for name, journal in (("fits", head(1).ljust(512, b"\0") + record), ("endless", head(2**32 - 1).ljust(512, b"\0") + record * 2),
                          ("names-a-file", head(0).ljust(512, b"\0") + b"/tmp/x" + struct.pack(">II", 6, 9) + head(0)[:8]), ("empty", b"")):
        put("journal", name, bytes(page[:100]) + journal)
    row = {"way": "b32", "verdict": "found", "table": "same", "groups": [[0, 1]], "banks": 32}
    for soft in (False, True):
        whole = {"lanescope_selftest": 1, "version": "0", "gpu": "gfx90a", "software_gpu": soft,
                 "steps": [{"step": "s", "part": "lds", "problems": ["p", 1, "p"], "rows": [row, row, 3]}, {"step": 1},
                           {"counts": [{"pattern": "p", "counter": "c", "model": 1.0, "counted": 2}, 5]}]}
        put("selftest", f"whole-{soft}", json.dumps(whole))
    titles, line = '"Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value"\n', '1,"lds_""a""",SQ_WAVES,2.5\r\n'
    for name, text in (("quoted", titles + line * 2), ("ends-early", titles + '7,"lds'), ("no-title", line), ("numbers", titles + "-1,a,b,1e999\n")):
        put("counter_file", name, text)
    objects = []
    for text in ("int f(int a) { return a + 1; }", "int f(int a) { return a + 1; } int g(int a) { return a * 3; }"):
        (folder / "o.c").write_text(text)
        run("clang-22", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-O1", "-c", folder / "o.c", "-o", folder / "o.o")
        objects.append((folder / "o.o").read_bytes())
    for name, pair in (("other-has-more", objects), ("other-has-less", objects[::-1])):
        put("same_code", name, struct.pack("<H", len(pair[0])) + b"".join(pair))
    image = compiled(None, folder, "gfx90a", False).read_bytes()
    symbols = subprocess.run(["llvm-readelf-22", "-sW", folder / "gfx90a-False.co"], check=True, capture_output=True, text=True).stdout
    kernel, pc = (int(re.search(rf"([0-9a-f]+)\s+\d+ {kind}\s.* {name}$", symbols, re.M)[1], 16) for kind, name in (("OBJECT", r"k\.kd"), ("FUNC", "k")))
    for how in range(2):
        put("code_place", f"kernel-{how}", struct.pack("<BII", how, kernel, pc + 8) + image)
    for i, uri in enumerate(("file:///a%20b%2#offset=0x10&size=4", "file:///a%", "memory://1#offset=0&size=18446744073709551615", "file://",
                             ("file:///" + "a" * 5000)[:4093] + "%2")):
        put("code_place", f"uri-{i}", struct.pack("<BII", 2, 1, 1) + uri.encode())


def plans():
    site = lambda kind, space, size, form: struct.pack("<BBIBIBB", kind, space, size, 0, 0x116, form, 1) + struct.pack("<BHBB", 0, 0, 4, 1) * 4  # noqa: E731
    for arch in range(5):
        put("plan", f"arch-{arch}", bytes([arch, 2]) + site(1, 1, 4, 1) + site(2, 3, 16, 3) + site(1, 3, 1000, 0) + b"\1\1")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code_objects(build, folder)
        machine_code(build, folder)
        database(build, folder, "sample")
        database(build, folder, "shared", "1234", "shared")  # dispatches share values
        beside_others(folder)
    metadata()
    bundles()
    chunks()
    packets()
    launches()
    texts()
    plans()


main()
