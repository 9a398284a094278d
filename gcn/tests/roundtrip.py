#!/usr/bin/env python3
"""Compares the decoder with llvm-mc-22.

    roundtrip.py GCN_DISASM [--fuzz N] [--seed S] [--arch A]

Part 1: every opcode slot of every format with random registers, constants and modifiers: where LLVM accepts the
words, our text must be the same (after canonical()), and of each slot it must accept some. Part 2: random words:
whatever LLVM accepts must be accepted by us with the same length and mnemonic. The other way round we may be more
lenient: LLVM also rejects set reserved bits.
"""
import argparse
import functools
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tables"))
import generate  # noqa: E402

# Operands with symbolic names in LLVM's syntax: only the mnemonic and the registers are compared.
SYMBOLIC = ("s_waitcnt", "s_sendmsg", "s_sendmsghalt", "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32",
            "s_set_gpr_idx_on", "s_set_gpr_idx_mode", "s_delay_alu", "s_sendmsg_rtn_b32",
            "s_sendmsg_rtn_b64", "s_waitcnt_depctr", "s_wait_alu", "s_clause", "s_inst_prefetch",
            "s_round_mode", "s_denorm_mode", "s_version", "ds_swizzle_b32", "s_atc_probe", "s_atc_probe_buffer")

# Registers that LLVM's disassembler accepts on every GPU, and these GPUs do not have.
NOT_HERE = ("src_flat_scratch_base", "src_pops_exiting_wave_id", "src_lds_direct")
# Scalar instructions without operands: LLVM hides the immediate when it is 0.
BARE = ("s_endpgm", "s_barrier", "s_icache_inv", "s_ttracedata", "s_endpgm_saved", "s_set_gpr_idx_off", "s_wakeup",
        "s_endpgm_ordered_ps_done", "s_code_end", "s_wait_idle", "s_ttracedata_imm", "s_barrier_leave")
# LLVM does not show all source modifiers of these.
NO_MODIFIERS = r"v_pk_fmac_f16|v_dot\dc_|v_cvt_pk_u8_f32|v_cvt_pkaccum_u8_f32|v_cvt_(sr|scalef32)_|v_ashr_pk_|v_trig_preop_|v_ldexp_f(16|32|64)"
NO_MODIFIERS_GFX11 = (r"v_cvt_([iu]32|f16)_[iu]16|v_cvt_(pk_)?f32_(fp8|bf8)|"
                      r"v_(mov|sat_pk_u8)_[bi]16|v_cmpx?_\w+_[iu]16|v_cmpx?_class_|v_align(bit|byte)_b32|"
                      r"v_(mad|min|max|min3|max3|med3|add|sub|minmax|maxmin|mul_lo|lshlrev|lshrrev|ashrrev)_[iub]16|"
                      r"v_mad_[iu]32_[iu]16|v_(and|or|xor|not|cndmask)_b16")
# Of gfx10 and later: instructions of graphics, whose operands or formats are not decoded.
GRAPHICS = r"v_interp_|exp |(lds|ds)_(param|direct)_load"


def not_here(arch, text, word):
    # gfx9's VOP3, of which LLVM takes some on later GPUs, too; gfx12 has images there.
    if generate.encoding(arch) >= 10 and word >> 26 == 0b110100 and not text.startswith("image_"):
        return True
    return any(x in text for x in NOT_HERE) or (generate.encoding(arch) == 9 and "null" in text)


def llvm(arch, words_list, lanes=None):
    """[(bytes, text, None)] per entry; bytes 0: invalid, or not the words that LLVM itself has for that text; those are the third then.
    LLVM's disassembler crashes on a few invalid words: halve then."""
    out = llvm_run(arch, words_list, lanes)
    if out is not None:
        return out
    if len(words_list) == 1:
        return [(0, "", None)]
    middle = len(words_list) // 2
    return llvm(arch, words_list[:middle], lanes) + llvm(arch, words_list[middle:], lanes)


def llvm_run(arch, words_list, lanes):
    marker = "0x34 0x12 0x80 0xbf " * 5 + "0x35 0x12 0x80 0xbf"
    lines = []
    for words in words_list:
        raw = b"".join(w.to_bytes(4, "little") for w in words)
        lines += [" ".join("0x%02x" % b for b in raw), marker]
    run = subprocess.run(generate.mc_command(arch, lanes), input="\n".join(lines) + "\n", capture_output=True, text=True)
    if run.returncode < 0:
        return None
    bad = {int(m.group(1)) for m in re.finditer(r"<stdin>:(\d+):\d+: warning", run.stderr)}
    out, group = [], []
    for line in run.stdout.splitlines():
        if line.startswith("\ts_nop 0x1235"):
            i = len(out)
            out.append(group[0] if group and 2 * i + 1 not in bad else (0, "", None))
            group = []
        elif "; encoding: [" in line and not line.startswith("\ts_nop 0x1234"):
            text, encoding = line.split("; encoding: [")
            text = text.split("//")[0]
            invalid = "/*Invalid" in text or "/*" in text
            text = re.sub(r"/\*.*?\*/", "", text).strip()
            # LLVM prints the bytes after encoding the instruction again: others than those given where these set fields that it does not have.
            raw = bytes(int(b, 16) for b in encoding.strip().rstrip("]").split(","))
            same = raw == b"".join(w.to_bytes(4, "little") for w in words_list[len(out)])[:len(raw)]
            # A literal that the words do not have is read from the marker.
            invalid = invalid or not_here(arch, text, words_list[len(out)][0]) or re.search(r"\b0x(bf80)?1234\b", text)
            own = None if same or invalid else [int.from_bytes(raw[i:i + 4], "little") for i in range(0, len(raw), 4)]
            group.append((len(raw) if same and not invalid else 0, text, own))
    assert len(out) == len(words_list)
    return out


def ours(tool, arch, words_list, lanes):
    text = "".join(" ".join("%x" % w for w in words) + "\n" for words in words_list)
    run = subprocess.run([tool, arch] + ([str(lanes)] if lanes else []), input=text, capture_output=True, text=True, check=True)
    return [(int(l.split("\t")[0]), l.split("\t")[1]) for l in run.stdout.splitlines()]


def canonical(text, arch):
    return " :: ".join(canonical_one(part, arch) for part in text.split(" :: "))


def canonical_one(text, arch):
    parts = text.split(None, 1)
    name = generate.base_name(parts[0])
    rest = parts[1] if len(parts) > 1 else ""
    m = re.match(r"[av]\[(\d+):(\d+)\]", rest)
    name = generate.normalise_mfma(name, int(m.group(2)) - int(m.group(1)) + 1 if m else 1)
    if name in SYMBOLIC:
        return name
    if name in BARE and rest.strip() in ("0", "0x0"):
        return name
    hidden = {9: "", 10: "|v_cmpx?_class_"}.get(generate.encoding(arch), "|" + NO_MODIFIERS_GFX11)
    if re.match(NO_MODIFIERS + hidden, name):
        rest = rest.replace("-", "").replace("|", "").replace("neg(", "").replace(")", "")
    rest = re.sub(r"\|(v\d+), (vcc\w*)\|", r"|\1|, \2", rest)  # LLVM closes the bars of v_cndmask's second source too late
    if name == "buffer_wbl2":  # LLVM does not show the bit that it always sets
        rest = rest.replace("glc", "")
    rest = re.sub(r" format:(\[[^\]]*\]|\d+)", "", rest)
    if re.match(r"v_wmma_", name):
        rest = rest.replace("0.15915494309189532", "0.15915494")
    # Of these LLVM shows the sources' selection bits, and more in some encodings; of an accumulator it shows one more.
    if generate.encoding(arch) >= 10 and re.match(r"v_cmpx?_|v_permlane", name):
        rest = re.sub(r" op_sel:\[([01],[01])[^\]]*\]", r" op_sel:[\1]", rest)
        rest = rest.replace(" op_sel:[0,0]", "")
    if name == "v_fmac_f16":
        rest = re.sub(r" op_sel:\[([01],[01]),[01],", r" op_sel:[\1,", rest)
    # gfx12 has names for what op_sel selects here.
    if generate.encoding(arch) == 12 and re.match(r"v_cvt_(sr_|f32_)?(fp8|bf8)|v_swmmac_", name):
        rest = re.sub(r" (byte_sel|index_key):\d| op_sel:\[[^\]]*\]", "", rest)
    # LLVM shows unused selection bits of these; of v_cndmask_b16 it shows the halves alone.
    if re.match(r"v_cvt_(sr|scalef32)_|v_ashr_pk_|v_trig_preop_|v_cndmask_b16", name):
        rest = re.sub(r" op_sel:\[[^\]]*\]", "", rest)
    rest = re.sub(r"\b0x([0-9a-fA-F]+)\b", lambda m: str(int(m.group(1), 16)), rest)
    if re.search(r"_[iubf]16$", name) or "_f16" in name or name.startswith("v_align"):  # LLVM shows the half of a literal that counts
        rest = re.sub(r"\b\d{5,}\b", lambda m: str(int(m.group(0)) & 0xFFFF), rest)
    rest = re.sub(r"\s+", " ", rest.replace(",", ", ")).strip()
    return (name + " " + rest).strip()


class Fields:
    """Random field values."""

    def __init__(self, seed, encoding):
        rdna = encoding >= 10
        self.gfx11 = encoding >= 11
        self.gfx12 = encoding == 12
        self.r = random.Random(seed)
        self.special = [106, 126, 124, 125, 104, 112] if rdna else [106, 126, 124, 102, 112]
        self.rdna = rdna
        self.literal = None

    def vgpr(self):
        return self.r.choice([self.r.randrange(0, 240) & ~1, self.r.randrange(0, 224) & ~3, self.r.randrange(0, 250)])

    def sdst(self):
        return self.r.choice([self.r.randrange(0, 96) & ~3, self.r.randrange(0, 96) & ~1] + self.special)

    def ssrc(self, literal=True):
        pick = self.r.randrange(10)
        if pick < 4:
            return self.r.randrange(0, 96) & ~3
        if pick < 6:
            return self.r.randrange(128, 209)
        if pick < 7:
            return self.r.randrange(240, 249)
        if pick == 7 and literal:
            return 255
        return self.r.choice(self.special[:3] + [253, 251, 252, 235, 237] + self.special[3:])

    def src(self, literal=True):
        return 256 + self.vgpr() if self.r.random() < 0.6 else self.ssrc(literal)

    def bits(self, n):
        return self.r.getrandbits(n)

    def rare(self, n, p=0.3):
        return self.r.getrandbits(n) if self.r.random() < p else 0


def sdwa_dword(f, fmt):
    w = f.vgpr() | f.r.randrange(7) << 16 | f.r.randrange(7) << 24 | f.rare(1) << 19 | f.rare(1) << 27
    w |= f.rare(2) << 20 | f.rare(2) << 28
    if f.r.random() < 0.2:
        w = w & ~0xFF | 1 << 23 | f.sdst()
    if fmt == "VOPC":
        return w | (f.r.choice([0, 1 << 15 | (f.sdst() & 0x7E) << 8]))
    return w | f.r.randrange(7) << 8 | f.r.randrange(3) << 11 | f.rare(1) << 13 | f.rare(2, 0.1) << 14


def ds_registers(f, slot):
    """Registers where the slot has them: LLVM reads no others."""
    return sum((slot.words[1] >> at & 0xFF and f.vgpr()) << at for at in (0, 8, 16, 24))


def dpp_dword(f):
    if f.rdna:
        ctrl = f.r.choice([f.r.randrange(256), 0x101 + f.r.randrange(15), 0x111 + f.r.randrange(15),
                           0x121 + f.r.randrange(15), 0x140, 0x141, 0x150 + f.r.randrange(32)])
        return f.vgpr() | ctrl << 8 | f.rare(1) << 18 | f.rare(1) << 19 | f.rare(4) << 20 | f.bits(8) << 24
    ctrl = f.r.choice([f.r.randrange(256), 0x101 + f.r.randrange(15), 0x111 + f.r.randrange(15),
                       0x121 + f.r.randrange(15), 0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143,
                       0x150 + f.r.randrange(16)])
    return f.vgpr() | ctrl << 8 | f.rare(1) << 19 | f.rare(4) << 20 | f.bits(8) << 24


def dual(f, first, second):
    """gfx11's two operations in one; both may have the same literal."""
    src = [f.src(), f.src()]
    k = 255 in src or any("LITERAL" in flag for slot in (first, second) for flag in slot.flags)
    return [0b110010 << 26 | first.opcode << 22 | second.opcode << 17 | f.vgpr() << 9 | src[0],
            f.vgpr() << 24 | f.bits(7) << 17 | f.vgpr() << 9 | src[1]] + ([f.bits(32)] if k else [])


def with_dpp(f, words):
    """gfx11's VOP3 with its first source by DPP."""
    code = f.r.choice([250, 233, 234])
    return [words[0], words[1] & ~0x1FF | code, dpp_dword(f) & ~(0xF << 20) if code == 250 else f.vgpr() | f.bits(24) << 8]


def image_modifiers(f, slot, word, fields):
    """(random words of an image instruction of gfx10 on as one number, without its registers but that of the sampler; registers of its address);
    `fields`: where they stand."""
    form = generate.traits.image_form(slot.op)
    # Images of several samples have neither samplers nor levels.
    a16, dim, ray = f.rare(1), f.r.randrange(6 if form & {"SAMPLER", "LEVEL"} else 8), "RAY" in form
    coordinates = [1, 2, 3, 3, 2, 3, 3, 4][dim] * ("COORDINATES" in form) + ("LEVEL" in form)
    gradients = [2, 4, 6, 4, 2, 4, 4, 4][dim] * ("GRADIENTS" in form)
    if "HALF_GRADIENTS" in form:
        gradients = (gradients // 2 + 1) // 2 * 2
    registers = (coordinates + a16) // (1 + a16) + gradients + len(form & {"OFFSET", "BIAS", "COMPARE"})
    if ray:
        registers = (8 if a16 else 11) + slot.op.startswith("image_bvh64")
    dmask = f.r.choice([1, 2, 4, 8]) if "GATHERS" in form else f.bits(4)
    if "_atomic_" in slot.op:
        dmask = f.r.choice([3, 15] if slot.op.endswith("cmpswap") else [1, 3])
    w = word | dim << fields["dim"] | (15 if ray else dmask) << fields["dmask"] | a16 << fields["a16"]
    for bit in {"unorm", "glc", "slc", "dlc", "r128", "tfe", "lwe", "d16"} & set(fields):
        # Atomics have none of these, and LLVM has no data of three registers for gathers.
        none = ray or bit in ("tfe", "lwe", "d16") and "_atomic_" in slot.op or bit == "tfe" and "GATHERS" in form
        w |= (not none and f.rare(1)) << fields[bit]
    if ray:
        w |= 1 << fields.get("unorm", fields["r128"]) | 1 << fields["r128"]
    if "SAMPLER" in form:
        w |= f.r.randrange(24) << fields["sampler"] + ("dlc" not in fields) * 2
    return w, registers


def image(f, slot, word, fields):
    """Random words of an image instruction of gfx10 or gfx11."""
    w, registers = image_modifiers(f, slot, word, fields)
    w |= (f.vgpr() & ~15 | (f.vgpr() & ~15) << 8 | f.r.randrange(23) << 16) << 32
    most = 1 if f.gfx11 else 3
    further = f.r.randrange(2) and min((registers + 2) // 4, most)
    if f.gfx11 and "RAY" in generate.traits.image_form(slot.op):  # LLVM shows the vectors of a ray given in one run only
        further = 1
    names = [f.r.randrange(0, 240) for _ in range(registers - 1)] + [0] * 16
    more = [sum(n << 8 * i for i, n in enumerate(names[4 * k:4 * k + 4])) for k in range(further)]
    return [(w | further << fields["nsa"]) & 0xFFFFFFFF, w >> 32] + more


def image_gfx12(f, slot, op, policy):
    """The same of gfx12; registers that the address does not have are 0."""
    sampling = "SAMPLER" in generate.traits.image_form(slot.op) or slot.op == "image_msaa_load"
    w, registers = image_modifiers(f, slot, (0b111001 if sampling else 0b110100) << 26 | op << 14,
                                   IMAGE_VSAMPLE if sampling else IMAGE_VIMAGE)
    names = [f.r.randrange(0, 240) * (i < registers) for i in range(4 if sampling else 5)]
    w |= (f.vgpr() & ~15 | f.r.randrange(23) << 11 | policy) << 32
    w |= 0 if sampling else names.pop() << 56
    return [w & 0xFFFFFFFF, w >> 32, sum(n << 8 * i for i, n in enumerate(names))]


IMAGE_GFX10 = {"nsa": 1, "dim": 3, "dlc": 7, "dmask": 8, "unorm": 12, "glc": 13, "r128": 15, "tfe": 16, "lwe": 17, "slc": 25,
               "sampler": 53, "a16": 62, "d16": 63}
IMAGE_GFX11 = {"nsa": 0, "dim": 2, "unorm": 7, "dmask": 8, "slc": 12, "dlc": 13, "glc": 14, "r128": 15, "a16": 16, "d16": 17, "tfe": 53,
               "lwe": 54, "sampler": 58}
IMAGE_VIMAGE = {"dim": 0, "r128": 4, "d16": 5, "a16": 6, "dmask": 22, "tfe": 55}
IMAGE_VSAMPLE = {"dim": 0, "tfe": 3, "r128": 4, "d16": 5, "a16": 6, "unorm": 13, "dmask": 22, "lwe": 40, "sampler": 55}


def instance_gfx11(f, fmt, op, slot, slots):
    """Random words of one slot of a format that gfx11 has in its own way; None: it is that of gfx10."""
    if fmt in ("VOPDX", "VOPDY"):
        other = f.r.choice([key for key in sorted(slots) if key[0] == ("VOPDY" if fmt == "VOPDX" else "VOPDX")])
        return dual(f, *(slots[other], slot) if fmt == "VOPDY" else (slot, slots[other]))
    if fmt == "SMEM":
        soffset = f.r.choice([0x7C, f.sdst()])
        return [0b111101 << 26 | op << 18 | f.rare(2) << 13 | f.sdst() << 6 | f.r.randrange(48),
                soffset << 25 | f.rare(21, 0.7)]
    if fmt in ("VOP3", "VOP3P") and f.r.random() < 0.2:
        words = instance_gfx10(f, fmt, op, slot)[:2]
        if all(words[1] >> at & 0x1FF != 255 for at in (9, 18)):
            return with_dpp(f, words)
    if fmt in ("FLAT", "GLOBAL", "SCRATCH"):
        seg = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}[fmt]
        saddr = 0x7C if fmt == "FLAT" else f.r.choice([0x7C, f.r.randrange(0, 104) & ~1])
        w0 = 0b110111 << 26 | op << 18 | seg << 16 | f.rare(3) << 13 | f.rare(12 if fmt == "FLAT" else 13, 0.7)
        return [w0, f.vgpr() | f.vgpr() << 8 | saddr << 16 | (fmt == "SCRATCH" and f.bits(1)) << 23 | f.vgpr() << 24]
    if fmt == "MIMG":
        return image(f, slot, 0b111100 << 26 | op << 18, IMAGE_GFX11)
    if fmt in ("MUBUF", "MTBUF"):
        w0 = f.rare(12, 0.7) | f.rare(3) << 12
        w1 = f.vgpr() | f.vgpr() << 8 | f.r.randrange(24) << 16 | f.bits(2) << 22 | f.ssrc(False) << 24
        if fmt == "MUBUF":
            return [0b111000 << 26 | op << 18 | w0, w1 | ("load" in slot.op and f.rare(1)) << 21]
        return [0b111010 << 26 | f.r.randrange(1, 64) << 19 | op << 15 | w0, w1]
    return None


def instance_gfx12(f, fmt, op, slot):
    """Random words of one slot of a format that gfx12 has in its own way; None: it is that of gfx11."""
    policy = f.rare(2) << 18 | f.rare(3) << 20
    if fmt == "SOP1" and slot.op.startswith("s_barrier_"):
        return [0b101111101 << 23 | op << 8 | f.r.choice([125, 193, 129 + f.r.randrange(16)])]
    if fmt == "SMEM":
        soffset = f.r.choice([0x7C, f.sdst()])
        data = f.r.randrange(32) if "PREFETCH" in slot.flags else f.sdst()
        return [0b111101 << 26 | op << 13 | f.rare(2) << 21 | f.rare(2) << 23 | data << 6 | f.r.randrange(48),
                soffset << 25 | f.rare(24, 0.7)]
    if fmt in ("FLAT", "GLOBAL", "SCRATCH"):
        seg = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}[fmt]
        saddr = 0x7C if fmt == "FLAT" else f.r.choice([0x7C, f.r.randrange(0, 104) & ~1])
        address = fmt != "SCRATCH" or f.bits(1)
        return [0b111011 << 26 | seg << 24 | op << 14 | saddr,
                (slot.dst and f.vgpr()) | (fmt == "SCRATCH" and address) << 17 | policy | (slot.src1 and f.vgpr()) << 23,
                (address and f.vgpr()) | f.rare(24, 0.7) << 8]
    if fmt in ("MUBUF", "MTBUF"):
        soffset = f.r.choice([0x7C, f.sdst()])
        w1 = f.vgpr() | f.r.randrange(24) << 11 | policy | f.bits(2) << 30
        w2 = f.vgpr() | f.rare(23, 0.7) << 8
        if fmt == "MUBUF":
            return [0b110001 << 26 | ("load" in slot.op and f.rare(1)) << 22 | op << 14 | soffset, w1, w2]
        return [0b110001 << 26 | (op | 128) << 14 | soffset, w1 | f.r.randrange(1, 64) << 23, w2]
    if fmt == "MIMG":
        return image_gfx12(f, slot, op, policy)
    return None


def instance_gfx10(f, fmt, op, slot):
    """Random words of one slot of a format that gfx10 has in its own way; None: it is that of gfx9."""
    if fmt == "SMEM":
        soffset = f.r.choice([0x7D, f.sdst()])
        return [0b111101 << 26 | op << 18 | f.rare(1) << 16 | f.rare(1) << 14 | f.sdst() << 6 | f.r.randrange(48),
                soffset << 25 | f.rare(21, 0.7)]
    if fmt == "VOP3":
        s = [f.src() for _ in range(3)]
        n = f.r.randrange(4)
        n = 3 if f.r.random() < 0.7 else n
        dst = f.vgpr() if f.r.random() < 0.7 else f.sdst()
        if slot.op.startswith("v_cmpx"):
            dst = 126
        return [0b110101 << 26 | op << 16 | f.rare(1) << 15 | f.rare(4, 0.15) << 11 | f.rare(3) << 8 | dst,
                sum(s[i] << 9 * i for i in range(n)) | f.rare(2, 0.1) << 27 | f.rare(3) << 29
                ] + ([f.bits(32)] if 255 in s[:n] else [])
    if fmt == "VOP3P":
        s = [f.src() for _ in range(3)]
        return [0b110011000 << 23 | op << 16 | f.rare(1) << 15 | f.bits(4) << 11 | f.rare(3) << 8 | f.vgpr(),
                s[0] | s[1] << 9 | s[2] << 18 | f.bits(2) << 27 | f.rare(3) << 29] + ([f.bits(32)] if 255 in s else [])
    if fmt == "DS":
        return [0b110110 << 26 | op << 18 | slot.words[0] & 1 << 17 | f.rare(16, 0.7), ds_registers(f, slot)]
    if fmt in ("FLAT", "GLOBAL", "SCRATCH"):
        seg = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}[fmt]
        saddr = 0x7D if fmt == "FLAT" else f.r.choice([0x7D, 0x7F, f.r.randrange(0, 104) & ~1])
        w0 = 0b110111 << 26 | op << 18 | seg << 14 | f.rare(2) << 16 | f.rare(1) << 12
        w0 |= f.rare(11 if fmt == "FLAT" else 12, 0.7)
        return [w0, f.vgpr() | f.vgpr() << 8 | saddr << 16 | f.vgpr() << 24]
    if fmt == "MIMG":
        return image(f, slot, 0b111100 << 26 | (op & 127) << 18 | op >> 7, IMAGE_GFX10)
    if fmt in ("MUBUF", "MTBUF"):
        w0 = f.bits(3) << 12 | f.rare(12, 0.7) | f.rare(1) << 15
        w1 = f.vgpr() | f.vgpr() << 8 | f.r.randrange(24) << 16 | f.rare(1) << 22 | f.ssrc(False) << 24
        if fmt == "MUBUF":
            return [0b111000 << 26 | (op & 127) << 18 | op >> 7 << 25 | f.rare(1, 0.1) << 16 | w0,
                    w1 | ("load" in slot.op and f.rare(1)) << 23]
        return [0b111010 << 26 | f.r.randrange(1, 78) << 19 | (op & 7) << 16 | w0, w1 | op >> 3 << 21]
    return None


def instance(f, fmt, op, slots):
    """Random words of one slot."""
    slot = slots[fmt, op]
    own = instance_gfx12(f, fmt, op, slot) if f.gfx12 else None
    own = own or (instance_gfx11(f, fmt, op, slot, slots) if f.gfx11 else None)
    own = own or (instance_gfx10(f, fmt, op, slot) if f.rdna else None)
    return own or instance_gfx9(f, fmt, op, slot)


def data_format(f, slot):
    """cbsz or blgp. Where they choose a format of the operand, 5 to 7 are reserved, which LLVM takes all the same."""
    value = f.rare(3)
    return value % 5 if "_f8f6f4" in slot.op else value


def scalar_gfx9(f, fmt, op, slot):
    """Random words of one slot of gfx9's scalar formats; None: of another format."""
    if fmt == "SOP2":
        s = [f.ssrc(), f.ssrc()]
        return [2 << 30 | op << 23 | f.sdst() << 16 | s[1] << 8 | s[0]] + ([f.bits(32)] if 255 in s else [])
    if fmt == "SOPK":
        return [0b1011 << 28 | op << 23 | f.sdst() << 16 | f.bits(16)
                ] + ([f.bits(32)] if "LITERAL_LAST" in slot.flags else [])
    if fmt == "SOP1":
        s = f.ssrc()
        return [0b101111101 << 23 | f.sdst() << 16 | op << 8 | s] + ([f.bits(32)] if s == 255 else [])
    if fmt == "SOPC":
        s = [f.ssrc(), f.ssrc()]
        return [0b101111110 << 23 | op << 16 | s[1] << 8 | s[0]] + ([f.bits(32)] if 255 in s else [])
    if fmt == "SOPP":
        return [0b101111111 << 23 | op << 16 | f.r.choice([0, f.bits(16), f.bits(4)])]
    if fmt == "SMEM":
        mode = f.r.randrange(4)
        w0 = 0b110000 << 26 | op << 18 | (mode & 1) << 17 | (mode >> 1) << 14 | f.rare(1) << 16
        w0 |= (f.sdst() & 0x7C) << 6 | (f.r.randrange(0, 48) & ~1)
        reg = f.r.choice([f.r.randrange(100), 124])
        return [w0, [reg, f.bits(21), reg << 25, f.bits(21) | reg << 25][mode]]
    return None


def instance_gfx9(f, fmt, op, slot):
    """Random words of one slot of gfx9, and of formats that gfx10 has in the same way."""
    if scalar := scalar_gfx9(f, fmt, op, slot):
        return scalar
    if fmt in ("VOP2", "VOP1", "VOPC"):
        sub = f.r.randrange(7 if f.rdna else 6)
        src0 = f.src() if sub < 4 else 249 if sub == 4 else 250 if sub == 5 else 233 + f.bits(1)
        if slot.op == "v_accvgpr_mov_b32":
            src0 = 256 + f.vgpr()
        w = {"VOP2": op << 25 | f.vgpr() << 17 | f.vgpr() << 9,
             "VOP1": 0b0111111 << 25 | f.vgpr() << 17 | op << 9,
             "VOPC": 0b0111110 << 25 | op << 17 | f.vgpr() << 9}[fmt] | src0
        if src0 == 249:
            return [w, sdwa_dword(f, fmt)]
        if src0 == 250:
            return [w, dpp_dword(f)]
        if src0 in (233, 234):
            return [w, f.vgpr() | f.bits(24) << 8]
        return [w, f.bits(32)] if src0 == 255 or "LITERAL_MIDDLE" in slot.flags or "LITERAL_LAST" in slot.flags else [w]
    if fmt == "VOP3":
        s = [f.src(False) for _ in range(3)]
        n = f.r.randrange(4)
        w1 = sum(s[i] << 9 * i for i in range(n)) if f.r.random() < 0.3 else sum(s[i] << 9 * i for i in range(3))
        dst = f.vgpr() if f.r.random() < 0.7 else f.sdst()
        return [0b110100 << 26 | op << 16 | f.rare(1) << 15 | f.rare(4, 0.15) << 11 | f.rare(3) << 8 | dst,
                w1 | f.rare(2, 0.1) << 27 | f.rare(3) << 29]
    if fmt == "VOP3P":
        s = [f.src(False) for _ in range(3)]
        if "MAI" in slot.flags:  # LLVM takes scalars here, the matrix unit reads vector registers only
            s[:2] = [256 + f.vgpr(), 256 + f.vgpr()]
        return [0x1A7 << 23 | op << 16 | f.rare(1) << 15 | f.bits(4) << 11 | data_format(f, slot) << 8 | f.vgpr(),
                s[0] | s[1] << 9 | s[2] << 18 | f.bits(2) << 27 | data_format(f, slot) << 29]
    if fmt == "VOP3PX":
        s = [256 + f.vgpr() for _ in range(3)]
        scale = [f.src(False), f.src(False)]
        return [0x1A7 << 23 | 44 << 16 | f.rare(4) << 11, scale[0] | scale[1] << 9 | f.rare(2) << 27,
                0x1A7 << 23 | op << 16 | f.rare(1) << 15 | 1 << 11 | data_format(f, slot) << 8 | f.vgpr(),
                s[0] | s[1] << 9 | s[2] << 18 | f.bits(2) << 27 | data_format(f, slot) << 29]
    if fmt == "DS":
        return [0b110110 << 26 | op << 17 | slot.words[0] & 1 << 16 | f.rare(1) << 25 | f.rare(16, 0.7), ds_registers(f, slot)]
    if fmt in ("FLAT", "GLOBAL", "SCRATCH"):
        seg = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}[fmt]
        saddr = 0 if fmt == "FLAT" else f.r.choice([0x7F, f.r.randrange(0, 96) & ~1])
        w0 = 0b110111 << 26 | op << 18 | seg << 14 | f.rare(2) << 16 | f.rare(1) << 25
        w0 |= f.rare(12 if fmt == "FLAT" else 13, 0.7)
        return [w0, f.vgpr() | f.vgpr() << 8 | saddr << 16 | f.rare(1) << 23 | f.vgpr() << 24]
    if fmt == "MUBUF":
        return [0b111000 << 26 | op << 18 | f.rare(1) << 17 | f.rare(1, 0.1) << 16 | f.rare(1) << 15 | f.bits(3) << 12
                | f.rare(12, 0.7),
                f.vgpr() | f.vgpr() << 8 | f.r.randrange(24) << 16 | f.rare(1) << 23 | f.ssrc(False) << 24]
    if fmt == "MTBUF":
        return [0b111010 << 26 | f.bits(7) << 19 | op << 15 | f.bits(3) << 12 | f.rare(12, 0.7),
                f.vgpr() | f.vgpr() << 8 | f.r.randrange(24) << 16 | f.rare(3) << 21 | f.ssrc(False) << 24]
    if fmt == "MIMG":
        # Bit 7 scc, then dmask, unorm, glc, da, a16, acc, lwe; bit 25 slc. LLVM shows one register where the data
        # starts at an odd one, or where an atomic's dmask makes no sense.
        dmask = f.bits(4)
        if "_atomic_" in slot.op:
            dmask = f.r.choice([3, 15] if slot.op.endswith("cmpswap") else [1, 3])
        sampler = f.r.randrange(24) if slot.op == "image_sample" else 0
        return [0b111100 << 26 | op << 18 | f.rare(1) << 25 | f.rare(2) << 16 | f.bits(4) << 12 | dmask << 8
                | f.rare(1) << 7,
                f.vgpr() | (f.vgpr() & ~1) << 8 | f.r.randrange(23) << 16 | sampler << 21
                | ("_atomic_" not in slot.op and f.rare(1)) << 31]
    return None


class Differences:
    """Counts, and prints two of each instruction, not too many."""

    def __init__(self, arch):
        self.arch, self.accepted, self.wrong, self.lenient, self.seen = arch, 0, 0, 0, {}

    def compare(self, words, size, text, n, mine):
        self.accepted += 1
        if n == size and canonical(text, self.arch) == canonical(mine, self.arch):
            return
        self.wrong += 1
        key = canonical(text, self.arch).split()[0]
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] <= 2 and len(self.seen) < 40:
            print("%s %s\n  llvm %d %s\n  ours %d %s" % (self.arch, " ".join("%08x" % x for x in words), size,
                                                        canonical(text, self.arch), n, canonical(mine, self.arch)))


slots_of = functools.cache(generate.slots_of)  # asks LLVM about each opcode: for both sizes of wavefronts once
TRIES = 96


def nearer(f, fmt, words, own, tries):
    """Random words that LLVM has not taken, the more like those of the slot's probe the more tries there were. The probe has vector registers
    where some have scalar ones alone."""
    if tries < 2:
        return words
    mask = [f.bits(32), f.bits(32) & f.bits(32), f.bits(32) & f.bits(32) & f.bits(32), 0][min(tries, 5) - 2]
    if fmt == "VOP3":
        own = [own[0], own[1] & ~(f.bits(1) << 8 | f.bits(1) << 17 | f.bits(1) << 26)]
    return [o ^ (o ^ w) & mask for o, w in zip(own, words + own)]


def encodings(arch, words, lanes):
    """[(words, bytes, text)] as LLVM has them: what it reads from words that set more than it would is compared as it writes it."""
    found = llvm(arch, words, lanes)
    own = {i: own for i, (_, _, own) in enumerate(found) if own}
    for i, again in zip(own, llvm(arch, list(own.values()), lanes) if own else []):
        words[i], found[i] = own[i], again
    return [(w, size, text) for w, (size, text, _) in zip(words, found)]


def compare_slots(tool, arch, seed, rounds, lanes):
    """`rounds` encodings of every slot; of those that LLVM has accepted none of, others, so that each is compared."""
    f = Fields(seed, generate.encoding(arch))
    slots = slots_of(arch)
    if lanes == 64:  # two operations in one instruction are there for 32 lanes alone
        slots = {key: slot for key, slot in slots.items() if not key[0].startswith("VOPD")}
    todo = [key for key in sorted(slots) for _ in range(rounds)]
    differ = Differences(arch)
    for tries in range(TRIES):
        words = [nearer(f, key[0], instance(f, *key, slots), slots[key].words, tries) for key in todo]
        asked = encodings(arch, words, lanes)
        done = set()
        for key, (w, size, text), (n, mine) in zip(todo, asked, ours(tool, arch, [w for w, *_ in asked], lanes)):
            # A source where the destination stands, or graphics.
            graphics = f.rdna and re.match(GRAPHICS, text)
            odd = re.match(r"v_(cmpx?_\w+|read(first)?lane_b32) src_|v_nop .", text)  # also v_nop with a source
            done |= {key} if size and not odd else set()
            if not size or odd or graphics:
                differ.lenient += n != 0
            else:
                differ.compare(w, size, text, n, mine)
        todo = [key for key in dict.fromkeys(todo) if key not in done]
        if not todo:
            break
    left = [slots[key].op for key in todo if not (f.rdna and re.match(GRAPHICS, slots[key].op))]
    print("%s: %d encodings that LLVM accepts, %d differ; %d accepted by us alone; of %d slots %d not compared %s" % (
        arch, differ.accepted, differ.wrong, differ.lenient, len(slots), len(left), " ".join(left[:100])))
    return differ.wrong + len(left)


def fuzz(tool, arch, seed, count, lanes):
    r = random.Random(seed)
    words = [[r.getrandbits(32) for _ in range(5)] for _ in range(count)]
    wrong = accepted = lenient = 0
    for w, (size, text, _), (n, mine) in zip(words, llvm(arch, words, lanes), ours(tool, arch, words, lanes)):
        if generate.encoding(arch) >= 10 and re.match(GRAPHICS, text):
            continue
        accepted += size != 0
        lenient += size == 0 and n != 0
        if size and (n != size or canonical(text, arch).split()[0] != canonical(mine, arch).split()[0]):
            wrong += 1
            if wrong < 10:
                print("%s %s\n  llvm %d %s\n  ours %d %s" % (arch, " ".join("%08x" % x for x in w), size, text, n, mine))
    print("%s: fuzz %d words, LLVM accepts %d, %d differ; %d accepted by us alone" % (arch, count, accepted, wrong,
                                                                                    lenient))
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("--fuzz", type=int, default=20000)
    p.add_argument("--rounds", type=int, default=12)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--arch", action="append")
    args = p.parse_args()
    wrong = 0
    for arch in args.arch or generate.arches():
        for lanes in (32, 64) if generate.encoding(arch) >= 10 else (None,):
            wrong += compare_slots(args.tool, arch, args.seed, args.rounds, lanes)
            wrong += fuzz(args.tool, arch, args.seed, args.fuzz, lanes)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
