"""Listings of the device library's machine code, which the build leaves in build/llvm-pass/device-22."""
import re


def functions(listing, labels=False):
    """{name: its instructions}, of the functions of the device library in a file of assembly; with its labels (".LBB0_1:") if wanted."""
    found, name = {}, None
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            text = line.split(";")[0].strip()
            if re.fullmatch(r"__ls_\w+:", text):
                name = text[:-1]
                found[name] = []
            elif text.startswith(".Lfunc_end"):
                name = None
            elif name and text and (text[0] not in "._" or (labels and text.startswith(".LBB"))):
                found[name].append(" ".join(text.split()))
    return found
