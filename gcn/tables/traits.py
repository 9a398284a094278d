"""Traits of operations: what an instruction is and does beyond its operands.

LLVM's assembler tells no side effects, so they stand here, by mnemonic, once for everything that asks (../gcn.h says
what each means). Sources: "AMD Instinct MI200 ISA" chapters 5 (scalar ALU: which write SCC), 6 (vector ALU), 8 to 11
(memory), 12 (instructions), and "AMD Instinct MI300 ISA", the same chapters; of what gfx10, gfx11 and gfx12 alone have, "AMD
RDNA 2 Instruction Set Architecture", chapter 12, and "RDNA3" and "RDNA4 Instruction Set Architecture", chapter 16.
../../soft-gpu/isa/tests/effects.c compares them with what the software GPU's instructions read and change.
"""
import re

WIDTHS = {"b4": 0, "b6": 0, "b8": 1, "u8": 1, "i8": 1, "b16": 2, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "b32": 4,
          "u32": 4, "i32": 4, "f32": 4, "b64": 8, "u64": 8, "i64": 8, "f64": 8, "b96": 12, "b128": 16}


def matches(pattern, name):
    return re.fullmatch(pattern, name) is not None


def unit(name, formats):
    """What executes the instruction: GCN_UNIT_..."""
    if matches(r"v_s?mfma.*|v_smfmac_.*|v_wmma_.*|v_swmmac_.*", name):
        return "MATRIX"
    if name.startswith("v_"):
        return "VALU"
    for prefix, what in (("ds_", "LDS"), ("flat_", "FLAT"), ("global_", "GLOBAL"), ("scratch_", "SCRATCH"),
                         ("buffer_", "BUFFER"), ("tbuffer_", "BUFFER"), ("image_", "IMAGE")):
        if name.startswith(prefix):
            return what
    if "SMEM" in formats or name == "s_icache_inv":
        return "SMEM"
    if matches(r"s_c?branch.*|s_setpc_b64|s_swappc_b64|s_call_b64|s_rfe_.*|s_endpgm.*|"
               r"s_subvector_loop_\w+", name):
        return "BRANCH"
    if matches(r"s_sleep(_var)?", name):
        return "SLEEP"
    if matches(r"s_wait(cnt\w*|_\w+)|s_nop|s_(get_)?barrier\w*|s_setprio|s_clause|s_inst_prefetch|"
               r"s_delay_alu", name):
        return "WAIT"
    if matches(r"s_sendmsg.*|s_trap|s_sethalt|s_setkill|s_wakeup|s_ttracedata\w*|s_version|s_code_end|s_(inc|dec)perflevel|s_alloc_vgpr", name):
        return "OTHER"
    return "SALU"


# Counters of the geometry stage, and the stack of a ray's walk through a tree.
GRAPHICS_LDS = r"ds_\w+_gs_reg\w*|ds_bvh_stack\w*|ds_nop"


def between_lanes(name):
    """LDS instructions that use the crossbar, not the memory."""
    return matches(r"ds_(swizzle|permute|bpermute|bpermute_fi)_b32", name)


def access(name, what):
    """LOAD, STORE, ATOMIC or NONE."""
    if what == "LDS":
        if between_lanes(name) or name.startswith("ds_gws_") or matches(GRAPHICS_LDS, name):
            return "NONE"
        return "LOAD" if name.startswith("ds_read") else "STORE" if name.startswith("ds_write") else "ATOMIC"
    if what in ("FLAT", "GLOBAL", "SCRATCH", "BUFFER", "IMAGE", "SMEM"):
        for part, kind in (("_atomic_", "ATOMIC"), ("_store", "STORE"), ("_load", "LOAD"), ("_sample", "LOAD"),
                           ("_gather4", "LOAD"), ("_bvh", "LOAD")):
            if part in name:
                return kind
    return "NONE"


def is_half(name):
    """The result of the vector instruction has 16 bits."""
    if matches(r"v_(cmpx?|pk|dot\w+|sad|mad_[ui]32|fma_mix|cvt_pk|cvt_scalef32|interp|mfma|smfmac|s)_.*|v_cvt_pk\w*|v_pack_.*", name):
        return matches(r"v_dot2_(b?f16)_\1", name)
    m = re.fullmatch(r"v_cvt_(?:norm_)?(f16|i16|u16)_\w+", name)
    return m is not None or name == "v_sat_pk_u8_i16" or (
        not name.startswith("v_cvt_") and re.fullmatch(r"v_\w+_(f16|i16|u16|b16)", name) is not None)


def access_bytes(name, what, kind):
    """Bytes of one access: of a lane, of the wavefront in scalar instructions. 0: no access, or the resource says.
    Of the vector ALU 2 when the result has 16 bits."""
    if what == "VALU":
        return 2 if is_half(name) else 0
    if kind == "NONE" or what == "IMAGE" or "_format_" in name:
        return 0
    if "_pk_" in name or matches(r"ds_(append|consume|ordered_count)", name):
        return 4
    if what == "LDS":
        return next(WIDTHS[w] for w in name.split("_") if WIDTHS.get(w))
    if kind == "ATOMIC":
        return 8 if matches(r".*_(x2|[fb]64)", name) else 4
    if name.endswith("_block"):
        return 128  # of 32 registers; M0 says which
    if size := re.search(r"_(?:tr_)?([uib](?:8|16|64|128))$", name):
        return WIDTHS[size.group(1)]
    m = re.search(r"dword(?:x(\d+))?", name)
    return 4 * int(m.group(1) or 1) if m else 1 if "byte" in name else 2


def idempotent(name):
    """Atomics that change nothing when they are done again with the same operands."""
    return re.search(r"swap|cmpst|wrxchg|_[usf]?min|_[usf]?max|_and|_or(?!d)", name) is not None


def scalar_flags(name):
    flags = set()
    if matches(r"s_(addc|subb)_u32|s_cselect_b\d+|s_cmovk?_\w+|s_cbranch_scc[01]", name):
        flags.add("READS_SCC")
    if matches(r"s_(add|sub|addc|subb|min|max|addk|absdiff|abs)_[ui]32|s_(and|or|xor|andn2|orn2|nand|nor|xnor|not)_b\d+|"
               r"s_(lsh[lr]|ashr|bfe)_[biu]\d+|s_lshl\d_add_u32|s_cmpk?_.*|s_bitcmp.*|s_(wqm|quadmask)_b\d+|"
               r"s_bcnt.*|s_\w+_(saveexec|wrexec)_b(32|64)|s_barrier_signal_isfirst|s_alloc_vgpr", name):
        flags.add("WRITES_SCC")
    if matches(r"s_\w+_(saveexec|wrexec)_b(32|64)", name):
        flags |= {"READS_EXEC", "WRITES_EXEC"}
    if matches(r"s_subvector_loop_\w+", name):
        flags |= {"READS_EXEC", "WRITES_EXEC", "JUMPS", "CONDITIONAL"}
    if matches(r"s_cbranch_execn?z", name):
        flags.add("READS_EXEC")
    if matches(r"s_cbranch_vccn?z", name):
        flags.add("READS_VCC")
    if matches(r"s_movrel.*|s_sendmsg.*|s_ttracedata|s_set_gpr_idx_(idx|mode)", name):
        flags.add("READS_M0")
    if matches(r"s_set_gpr_idx_(on|idx|mode)", name):
        flags.add("WRITES_M0")
    if matches(r"s_movrel.*|s_set_gpr_idx_.*", name):
        flags.add("INDEXES")
    if matches(r"s_endpgm.*", name):
        flags.add("ENDS")
    if matches(r"s_trap|s_rfe_.*|s_sethalt|s_sendmsghalt", name):
        flags.add("LEAVES")
    if matches(r"s_branch|s_cbranch_(scc|vcc|exec|cdbg)\w*|s_call_b64|s_cbranch_i_fork", name):
        flags.add("JUMPS")
    if matches(r"s_cbranch_\w+", name):
        flags.add("CONDITIONAL")
    if matches(r"s_setpc_b64|s_swappc_b64|s_rfe_.*|s_cbranch_(g_fork|join)", name):
        flags.add("INDIRECT")
    if matches(r"s_swappc_b64|s_call_b64", name):
        flags.add("CALLS")
    if matches(r"s_cbranch_(g_fork|i_fork|join)", name):
        flags.add("FORKS")
    if matches(r"s_mem(real)?time|s_sendmsg_rtn_b\d+", name):
        flags.add("READS_TIME")
    if matches(r"s_setreg_.*|s_setvskip|s_(round|denorm)_mode", name):
        flags.add("WRITES_MODE")
    if matches(r"s_dcache_.*|s_icache_inv|s_gl1_inv|s_(buffer_)?prefetch_.*", name):
        flags.add("CACHES")
    if matches(r"s_(buffer_)?load_i(8|16)", name):
        flags.add("CONVERTS")
    if matches(r"s_bitset[01]_b\d+|s_cmovk?_\w+", name):
        flags.add("KEEPS")
    return flags


def is_sum_of_operands(name, what, flags):
    """All that it does is to compute its destination, and SCC, from its operands."""
    if what == "SALU":
        return not flags & {"READS_EXEC", "INDEXES", "WRITES_MODE"} and not matches(r"s_getreg_b32|s_getpc_b64", name)
    return what == "VALU" and not flags & {"INDEXES"} and not matches(r"v_nop|v_pipeflush|v_clrexcp|v_screen_partition_4se_b32", name)


def vector_flags(name):
    flags = set()
    if matches(r"v_cmpx?_.*", name):
        flags.add("COMPARES")
    if matches(r"v_cmpx_.*", name):
        flags.add("WRITES_EXEC")
    if matches(r"v_div_fmas_.*", name):
        flags.add("READS_VCC")
    if matches(r"v_(readlane|readfirstlane|writelane)_b32|v_permlane\w+|v_s?mfma.*|v_wmma_.*|v_swmmac_.*", name):
        flags.add("CROSSES")
    if matches(r"v_(readlane|writelane)_b32|v_s?mfma.*|v_wmma_.*|v_swmmac_.*|v_s_.*", name):
        flags.add("IGNORES_EXEC")
    if matches(r"v_movrel\w+|v_swaprel_b32", name):
        flags |= {"READS_M0", "INDEXES"}
    if name.startswith("v_interp_"):
        flags.add("READS_M0")
    if matches(r"v_swap(rel)?_b(16|32)|v_permlane\w+_swap_b32", name):
        flags.add("SWAPS")
    if matches(r"v_smfmac_.*|v_swmmac_.*|v_cvt_pkaccum_u8_f32", name):
        flags.add("ACCUMULATES")
    # A part of the destination stays: one half or byte is written, or one lane.
    if matches(r"v_(min3|max3|med3|mad|fma|div_fixup)_[fiu]16|v_(add|sub)_i16|v_bitop3_b16|v_ashr_pk_[iu]8_i32|"
               r"v_cvt_scalef32_f16_\w+|v_writelane_b32|v_permlanex?16_b32|v_fma_mix(lo|hi)_f16|v_cvt_scalef32_(pk|sr)_?\w*(fp8|bf8|fp4|f16)_\w+|"
               r"v_wmma_b?f16_.*|v_cvt_(pk|sr)_(fp8|bf8)_f32|v_cvt_(sr_)?(pk_)?(f16|bf16|bf8|fp8)_\w+sr\w*|v_cvt_sr_\w+", name):
        flags.add("KEEPS")
    return flags


def image_form(name):
    """What the address of an image instruction has: GCN_IMAGE_..."""
    m = re.fullmatch(r"image_(sample|gather4h?|get_lod)(?:_(\w+))?", name)
    if name.startswith("image_bvh"):
        return {"RAY"}
    if not m:
        flags = set() if name == "image_get_resinfo" else {"COORDINATES"}
        return flags | ({"LEVEL"} if "_mip" in name or not flags else set())
    of_suffix = {"o": "OFFSET", "b": "BIAS", "c": "COMPARE", "d": "GRADIENTS", "cd": "GRADIENTS", "l": "LEVEL", "cl": "LEVEL",
                 "g16": "HALF_GRADIENTS", "lz": "COORDINATES"}
    flags = {of_suffix[part] for part in (m.group(2) or "lz").split("_")} | {"COORDINATES", "SAMPLER"}
    return flags | ({"GATHERS"} if m.group(1).startswith("gather4") else set())


def memory_flags(name, what, kind):
    flags = set()
    if name.startswith("ds_") and re.search(r"(read|write|wrxchg)2", name):
        flags.add("PAIR")
    if "2st64" in name:
        flags.add("STRIDE64")
    if between_lanes(name):
        flags.add("CROSSES")
    if name.startswith("ds_gws_"):
        flags |= {"GWS", "READS_M0"}
    if matches(r"ds_(append|consume)", name):
        flags |= {"WHOLE_WAVE", "READS_M0"}
    if matches(r"ds_ordered_count", name):
        flags |= {"GWS", "READS_M0"}
    if matches(r"ds_\w+_addtid_b32", name) or "_load_lds_" in name:
        flags.add("READS_M0")
    if kind == "ATOMIC" and idempotent(name):
        flags.add("IDEMPOTENT")
    if name.endswith("_block"):
        flags.add("READS_M0")
    if matches(r"buffer_(inv|gl[01]_inv|invl2|wbl2|wbinvl1\w*)|global_(inv|wb|wbinv)", name):
        flags.add("CACHES")
    if re.search(r"_d16(_|$)|_d16_hi$", name) and kind == "LOAD" and "_format_" not in name:
        flags.add("KEEPS")
    if "_format_d16_hi_" in name and kind == "LOAD":
        flags.add("KEEPS")
    if re.search(r"sbyte|sshort|_i8|_i16|_d16_hi|_format_|addtid_b32|_tr_", name) and kind in ("LOAD", "STORE"):
        flags.add("CONVERTS")
    if "cmpswap" in name or "cmpst" in name:
        flags.add("COMPARES")
    if "_load_lds_" in name:
        flags.add("TO_LDS")
    if "_tr_" in name:
        flags.add("CROSSES")
    return flags


def traits(name, formats):
    """(unit, access, bytes, flags) of an operation that exists in `formats`."""
    what = unit(name, formats)
    kind = access(name, what)
    if what in ("VALU", "MATRIX"):
        flags = vector_flags(name)
    elif what in ("LDS", "FLAT", "GLOBAL", "SCRATCH", "BUFFER", "IMAGE"):
        flags = memory_flags(name, what, kind)
    else:
        flags = scalar_flags(name)
        if kind == "ATOMIC" and idempotent(name):
            flags.add("IDEMPOTENT")
    if is_sum_of_operands(name, what, flags):
        flags.add("COMPUTES")
    return what, kind, access_bytes(name, what, kind), flags
