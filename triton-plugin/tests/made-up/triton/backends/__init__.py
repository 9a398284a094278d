import collections
import os
import re
import types

dumped = []  # of each module that files for lookers-on are written of: whether it has a clone
llvm = types.SimpleNamespace(translate_to_mir=lambda src: dumped.append("@__ls_k_k" in src))


class HIPBackend:
    binary_ext = "hsaco"

    @staticmethod
    def make_amdgcn(src, metadata, options):
        metadata["name"] = "k"
        _ = llvm.translate_to_mir(src)
        clone = "@__ls_k_k" in src
        if clone and os.environ.get("MADE_UP_REFUSES"):
            raise RuntimeError("unknown attribute")
        nop = "\ts_nop 0\n" if clone and os.environ.get("MADE_UP_CHANGES") else ""
        body = f"k:\n{nop}\ts_endpgm\n.Lfunc_end0:\n\t.amdhsa_kernel k\n\t.end_amdhsa_kernel\n"
        strings = re.findall(r'asm sideeffect "\\0A\\09\.ascii \\22([^"\\]*)\\22"', src)  # inline assembly stays what it is
        assembly = body + ("__ls_k_k:\n\ts_endpgm\n.Lfunc_end1:\n" if clone else "") + "".join(f'\t.ascii\t"{s}"\n' for s in strings)
        if os.environ.get("AMDGCN_ENABLE_DUMP") == "1":
            print(assembly)
        return assembly

    @staticmethod
    def make_hsaco(src, metadata, options):
        return src.encode()

    def hash(self):
        return "stock"


class HIPDriver:
    pass


Backend = collections.namedtuple("Backend", "compiler driver")
backends = {"amd": Backend(HIPBackend, HIPDriver)}
