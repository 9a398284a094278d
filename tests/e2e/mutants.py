"""Lanescope with one line changed. Of its device library: the library compiled anew as the build does it, a compiler plugin with
it, its machine code, and an installation with that plugin. Of its tool library: an installation with another one."""

import pathlib
import re
import shutil
import subprocess

import profiling

ROOT = profiling.SOURCE.parent.parent
PLUGIN = "llvm-pass/device-22/liblanescope-device-22.so"  # has no machine code of the library: all comes from the bitcode
TOOL = "stage/lib/lanescope/liblanescope-hsa.so"
# Wavefront size and generation of the library's variant that a GPU takes (llvm-pass/CMakeLists.txt).
VARIANTS = {"gfx90a": "64_9", "gfx942": "64_94"}
LLVM = pathlib.Path("/usr/lib/llvm-22/bin")


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


def device_bitcode(sources, out, gpu):
    """The library's variant for a GPU, from other sources."""
    built, bitcode = str(profiling.BUILD / "llvm-pass/device-22"), f"probe_{VARIANTS[gpu]}.bc"
    for command in commands(f"llvm-pass/device-22/{bitcode}"):
        if "-emit-llvm" in command or "llvm-link" in command:
            shell(command.replace(str(ROOT / "device-lib"), str(sources)).replace(built, str(out)))
    header = out / "device_bitcode.h"
    shell(f"cmake -DOUT={header} -DIN={out}/{bitcode} -P {ROOT}/device-lib/embed.cmake")


def elsewhere(compile_command, out):
    """The command with another output, without what it tells the build."""
    command = re.sub(r" -o \S+", f" -o {out}", re.sub(r" -M[DTF]+( \S+\.o(\.d)?)?", "", compile_command))
    return re.sub(r"ccache ", "", command)


def plugin(out):
    """The compiler plugin with the bitcode in `out`."""
    *compiles, link = commands(PLUGIN)
    (device,) = (c for c in compiles if re.search(r" -c \S*/ls_pass_device\.c$", c))
    built = profiling.BUILD / "llvm-pass/device-22"
    shell(elsewhere(device.replace(f"-I{built} ", f"-I{out} "), out / "device.o"))
    link = re.sub(r"\S*/ls_pass_device\.c\.o", f"{out}/device.o", link)
    shell(link.replace(f"-o {PLUGIN}", f"-o {out}/plugin.so"))
    return out / "plugin.so"


def changed_plugin(directory, changes, gpu):
    """The compiler plugin with these changes: (file, old text, new text) each."""
    sources, gen = directory / "device-lib", directory / "gen"
    directory.mkdir()
    shutil.copytree(ROOT / "device-lib", sources)
    gen.mkdir()
    for c in changes:
        change(sources, *c)
    device_bitcode(sources, gen, gpu)
    return plugin(gen)


def machine_code(directory, changes, gpu):
    """The listing of the changed library's machine code for a GPU, made as that of the build."""
    out = f"{directory}/{gpu}"
    load = f"-load-pass-plugin={changed_plugin(directory, changes, gpu)}"
    shell(f"{LLVM}/opt {load} -passes=lanescope-device llvm-pass/device-22/{gpu}.ll -o {out}.bc")
    shell(f"{LLVM}/llc -O3 -relocation-model=pic -function-sections -mcpu={gpu} -filetype=asm {out}.bc -o {out}.waits.s")
    shell(f"{profiling.BUILD}/stage/bin/lanescope-device-waits {out}.waits.s {out}.s")
    return f"{out}.s"


def staged(directory, name, library):
    """The launcher of an installation in which a library is another one."""
    stage = directory / "stage"
    shutil.copytree(profiling.BUILD / "stage", stage, symlinks=True, copy_function=lambda a, b: pathlib.Path(b).symlink_to(a))
    launcher = stage / "bin" / "lanescope"
    launcher.unlink()
    shutil.copy(profiling.LANESCOPE, launcher) # it looks for the others beside itself
    (old,) = stage.glob(f"lib*/**/{name}")
    old.unlink()
    shutil.copy(library, old)
    return launcher


def install(directory, changes, gpu="gfx90a"):
    """The launcher of an installation of Lanescope with these changes of the device library."""
    return staged(directory, "liblanescope-pass-22.so", changed_plugin(directory, changes, gpu))


def install_tool(directory, file, old, new):
    """The launcher of one whose tool library has a file of hsa-plugin/ changed."""
    sources, compiled, library = directory / "hsa-plugin", directory / "changed.o", directory / "tool.so"
    directory.mkdir()
    shutil.copytree(ROOT / "hsa-plugin", sources)
    change(sources, file, old, new)
    *compiles, link = commands(TOOL)
    source = f"-c {ROOT}/hsa-plugin/{file}"
    (command,) = (c for c in compiles if c.endswith(f" {source}"))
    shell(elsewhere(command.replace(source, f"-iquote {directory} -c {sources}/{file}"), compiled))
    shell(link.replace(re.search(r" -o (\S+)", command)[1], str(compiled)).replace(f"-o {TOOL}", f"-o {library}"))
    return staged(directory, "liblanescope-hsa.so", library)
