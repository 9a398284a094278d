"""Device functions that come as machine code, made when the plugin was built, beside those that each file compiles.

The same source goes through the plugin and through the one that has no such code yet. Optimised clones must be the same
instruction by instruction, with the same registers and LDS; code generation may count up to 16 bytes of scratch more for
them. Unoptimised files take them, too, but for those that change registers which their calling convention preserves: e2e/test_hardware_lines runs such.
A processor without such code, and one whose modes need other code, get all compiled. Either way they leave registers for the largest work-group.
"""
import os
import re
import shlex
import sys

import toolchain as tc
from codeobject import CodeObject, mask

CODE = "__ls_cold"  # the function that only such machine code has


def compiled(major, plugin, out, source, flags):
    out = os.path.join(tc.WORK, out)
    tc.compile_changed(tc.command_of(major, source, out, *flags), lambda line: [a.replace(tc.plugin(major), plugin) for a in line])
    return CodeObject(out)


def sizes(kernel):
    return {k: v for k, v in kernel.items() if k.endswith(("_count", "_size")) and "private" not in k}


def same_clones(major, source, gpu, level):
    flags = [f"-O{level}", "-g", f"--offload-arch={gpu}"]
    one = compiled(major, os.environ["LANESCOPE_NO_CODE"].format(major), "compiled.co", source, flags)
    two = compiled(major, tc.plugin(major), "ready.co", source, flags)
    assert CODE in two.functions() and CODE not in one.functions(), "the code is not used"
    if level == 0:
        return  # clones spill to registers that the functions, as they were optimised, leave alone
    for name in one.kernels:
        assert mask(one.contents(name)) == mask(two.contents(name)), f"{name}: other instructions"
        a, b = one.kernels[name], two.kernels[name]
        assert sizes(a) == sizes(b), f"{name}: {sizes(a)} became {sizes(b)}"
        more = b[".private_segment_fixed_size"] - a[".private_segment_fixed_size"]
        assert 0 <= more <= 16, f"{name}: {more} more bytes of scratch"


def compiled_instead(major):
    for flags in (["-O3", "--offload-arch=gfx1010"], ["-O3", "--offload-arch=gfx90a", "-mtgsplit"]):
        made = compiled(major, tc.plugin(major), "other.co", "lines.hip", flags)
        assert CODE not in made.functions() and "__ls_access" in made.functions(), flags


def functions_of(major, plugin, source):
    """Name -> what LLVM's text has of the function behind the pass, with its attributes."""
    path = os.path.join(tc.WORK, "late.ll")
    with open(path, "w") as f:
        f.write(source)
    code, text = tc.run([tc.tool(major, "opt"), "-load-pass-plugin=" + plugin, "-passes=lanescope", "-S", path, "-o", "-"])
    assert code == 0, text
    attributes = dict(re.findall(r"^attributes (#\d+) = (.*)$", text, re.M))
    found = re.findall(r"^define [^@]*@(\w+)(.*?)^}", text, re.M | re.S)
    numbers = r"!\d+\b|(?<=\w)\.\d+\b(?=, ptr)"  # of metadata, and of types that are read again
    return {name: re.sub(r"#\d+\b", lambda m: attributes[m.group()], re.sub(numbers, "", body)) for name, body in found}


def written_out_after_all(major):
    """The library's functions, left out at first, are those of the plugin that leaves none out: where lengths are known at run
    time only, and, by LLVM 15, where calls go through pointers."""
    with open(os.path.join(tc.SOURCES, "late.ll")) as f:
        lengths = f.read()
    pointers = re.sub("^.*@llvm.memcpy.*$", "", lengths, flags=re.M).replace(";CALL", "")
    for source in (lengths, pointers)[: 2 if major < 16 else 1]:
        one, two = (functions_of(major, p, source) for p in (os.environ["LANESCOPE_NO_CODE"].format(major), tc.plugin(major)))
        assert "__ls_k_late" in one and "__ls_access" in one and CODE not in one
        assert one.keys() == two.keys(), one.keys() ^ two.keys()
        for name, text in one.items():
            assert two[name] == text, f"{name}:\n{text}\nbecame\n{two[name]}"


def largest_work_group_fits(major):
    """On one compute unit of gfx1030 (-mcumode), with 2 x 1,024 VGPRs of 32 lanes, a work-group of 1,024 work-items has 32
    wavefronts: 64 VGPRs for each."""
    for plugin in (tc.plugin(major), os.environ["LANESCOPE_NO_CODE"].format(major)):
        made = compiled(major, plugin, "registers.co", "../../hip-examples/matmul/matmul.hip",
                        ["-O3", "-mcumode", "--offload-arch=gfx1030"])
        assert "__ls_turns" in made.functions(), "no loop's turns are told"
        for name, kernel in made.kernels.items():
            assert kernel[".vgpr_count"] <= 64, f"{name}: {kernel['.vgpr_count']} vector registers"


def no_accvgprs(major):
    """On gfx90a they are added to a clone's own VGPRs: of 128, where a work-group has 1,024 work-items."""
    for plugin in (tc.plugin(major), os.environ["LANESCOPE_NO_CODE"].format(major)):
        made = compiled(major, plugin, "registers.co", "../../hip-examples/matmul/matmul.hip", ["-O3", "--offload-arch=gfx90a"])
        for name, kernel in made.kernels.items():
            assert not kernel[".agpr_count"] and kernel[".vgpr_count"] <= 72, f"{name}: {kernel}"


def says_nothing(major):
    """Who builds Lanescope asked about no GPU: what a user is told of one without models is not told then."""
    plugin = os.environ["LANESCOPE_NO_CODE"].format(major)
    driver = os.path.join(os.path.dirname(plugin), "gfx906.ll")
    code, said = tc.run([f"/usr/lib/llvm-{major}/bin/opt", "-load-pass-plugin=" + plugin, "-passes=lanescope-device", driver, "-o", "/dev/null"])
    assert (code, said) == (0, ""), said


def main():
    transpose = "../../hip-examples/transpose/transpose.hip"
    cases = {15: (("../../hip-examples/reduction/reduction.hip", "gfx90a", 3), (transpose, "gfx1030", 3)),
             22: ((transpose, "gfx90a", 0), ("lines.hip", "gfx90a", 2), ("lines.hip", "gfx950", 3), (transpose, "gfx942", 3),
                  (transpose, "gfx1200", 3))}
    known = [major for major in cases if major in tc.clangs()]
    for major in known:
        for source, gpu, level in cases[major]:
            same_clones(major, source, gpu, level)
        compiled_instead(major)
        written_out_after_all(major)
        says_nothing(major)
        largest_work_group_fits(major)
        if major >= 22:
            no_accvgprs(major)
    if not known:
        print("no clang 15 and no clang 22: nothing to compare")
        sys.exit(77)


main()
