"""What the common path of a probe waits for, read from the machine code that was made when the plugin was built.

Three waits each: LLVM begins a function with one for all that its caller has asked for and ends it with one for what
it has asked for itself; between them the write position is waited for. Nothing there writes caches back or empties them,
nor does anything else but the end of a wavefront in summary mode.
"""
import os
import re
import sys

COMMON = ("__ls_access", "__ls_access_lds", "__ls_partial", "__ls_partial_lds", "__ls_irregular", "__ls_irregular_partial")
ENDS = {"__ls_end_summary"}  # asks for all that other wavefronts have counted
CACHES = re.compile(r"buffer_(wbl2|inv|wbinvl1)|s_dcache|global_(wb|inv)")
WAITS = ["vmcnt(0) expcnt(0) lgkmcnt(0)", "vmcnt(0)", "vmcnt(0)"]


def functions(listing):
    """{name: its instructions}"""
    found, name = {}, None
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            text = line.split(";")[0].strip()
            if re.fullmatch(r"__ls_\w+:", text):
                name = text[:-1]
                found[name] = []
            elif text.startswith(".Lfunc_end"):
                name = None
            elif name and text and text[0] not in "._":
                found[name].append(" ".join(text.split()))
    return found


def main():
    folder = os.path.dirname(os.environ["LANESCOPE_NO_CODE"].format(22))
    listings = {gpu: os.path.join(folder, f"{gpu}.s") for gpu in ("gfx90a", "gfx942", "gfx950")}
    if not all(map(os.path.exists, listings.values())):
        print("no machine code: LLVM 22 is not installed")
        return 77
    for gpu, listing in listings.items():
        code = functions(listing)
        for name in COMMON:
            waits = [i.split(" ", 1)[1] for i in code[name] if i.startswith("s_waitcnt")]
            assert waits == WAITS, f"{gpu} {name}: {waits}"
        caches = {name for name, instructions in code.items() if any(map(CACHES.match, instructions))}
        assert caches == ENDS, f"{gpu}: {caches}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
