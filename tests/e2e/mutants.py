"""Lanescope with one line of its device library changed: the library compiled anew as the build does it, a compiler plugin with
it, and an installation with that plugin."""

import pathlib
import re
import shutil
import subprocess

import profiling

ROOT = profiling.SOURCE.parent.parent
PLUGIN = "llvm-pass/device-22/liblanescope-device-22.so"  # has no machine code of the library: all comes from the bitcode
BITCODE = "llvm-pass/device-22/probe_64_9.bc"


def commands(target):
    """What the build runs to make it, the last one last."""
    done = subprocess.run(["ninja", "-C", profiling.BUILD, "-t", "commands", target], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if not line.startswith("ninja:")]


def shell(command):
    subprocess.run(command, shell=True, check=True, cwd=profiling.BUILD)


def change(directory, file, old, new):
    path = directory / file
    text = path.read_text()
    assert text.count(old) == 1, f"{file} has changed: look for what stands there now"
    path.write_text(text.replace(old, new))


def device_bitcode(sources, out):
    """The library of wavefronts of 64 lanes on gfx9, from other sources."""
    built = str(profiling.BUILD / "llvm-pass/device-22")
    for command in commands(BITCODE):
        if "-emit-llvm" in command or "llvm-link" in command:
            shell(command.replace(str(ROOT / "device-lib"), str(sources)).replace(built, str(out)))
    header = out / "device_bitcode.h"
    shell(f"cmake -DOUT={header} -DIN={out}/probe_64_9.bc -P {ROOT}/device-lib/embed.cmake")


def plugin(out):
    """The compiler plugin with the bitcode in `out`."""
    *compiles, link = commands(PLUGIN)
    (device,) = (c for c in compiles if re.search(r" -c \S*/ls_pass_device\.c$", c))
    built = profiling.BUILD / "llvm-pass/device-22"
    device = device.replace(f"-I{built} ", f"-I{out} ")
    device = re.sub(r"ccache ", "", re.sub(r" -o \S+", f" -o {out}/device.o", re.sub(r" -M[DTF]+( \S+\.o(\.d)?)?", "", device)))
    shell(device)
    link = re.sub(r"\S*/ls_pass_device\.c\.o", f"{out}/device.o", link)
    shell(link.replace(f"-o {PLUGIN}", f"-o {out}/plugin.so"))
    return out / "plugin.so"


def install(directory, changes):
    """The launcher of an installation of Lanescope with these changes: (file, old text, new text) each."""
    sources, gen, stage = directory / "device-lib", directory / "gen", directory / "stage"
    directory.mkdir()
    shutil.copytree(ROOT / "device-lib", sources)
    gen.mkdir()
    for c in changes:
        change(sources, *c)
    device_bitcode(sources, gen)
    shutil.copytree(profiling.BUILD / "stage", stage, symlinks=True, copy_function=lambda a, b: pathlib.Path(b).symlink_to(a))
    launcher = stage / "bin" / "lanescope"
    launcher.unlink()
    shutil.copy(profiling.LANESCOPE, launcher) # it looks for the others beside itself
    (old,) = stage.glob("lib*/**/liblanescope-pass-22.so")
    old.unlink()
    shutil.copy(plugin(gen), old)
    return launcher
