"""Compares a profiled program's numbers, line by line, with the access log of its original kernels.

The program runs twice, built with the plugin both times: observed, and then with no kernel observed and the software
GPU's log of its accesses on. The n-th dispatch of a kernel in one run is compared with its n-th in the other."""

import os
import pathlib
import struct
import sys

import verdicts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import hardware  # noqa: E402
import lines  # noqa: E402

TABLE = pathlib.Path(__file__).resolve().parent / "unsteady.tsv"
LOG_LIMIT = 4 << 30  # bytes; reading that takes minutes
ET_EXEC, ET_DYN = 2, 3


def unsteady(name, path=TABLE):
    """Why two runs of that program do different accesses; None: they do the same. Columns: program, cause."""
    for line in path.read_text().splitlines():
        program, _, cause = line.partition("\t")
        if not line.startswith("#") and (name == program or name.endswith(f"/{program}")):
            return cause
    return None


def _database(folder):
    found = sorted(folder.glob("*.db"))
    if len(found) != 1:
        raise ValueError(f"{len(found)} processes used the GPU" if found else "no kernel was recorded")
    return found[0]


def has_code_objects(path):
    """Programs, shared libraries, and what they load with hipModuleLoad."""
    if not path.is_file():
        return False
    content = path.read_bytes()
    if content.startswith(hardware.BUNDLE):
        return True
    if len(content) < 20 or not content.startswith(b"\x7fELF"):
        return False
    kind, machine = struct.unpack_from("<HH", content, 16)
    return machine == hardware.EM_AMDGPU or (kind in (ET_EXEC, ET_DYN) and b".hip_fatbin\0" in content)


def _images(folder, work):
    """Those of the files in `folder`; what LLVM's tools need goes to `work`."""
    return [code for file in sorted(folder.iterdir()) if has_code_objects(file)
            for code in hardware.Code.of_program(file, work)]


def _entry(result):
    executed = result.counted + result.not_joined
    entry = {"kernels": result.kernels, "dispatches": result.dispatches, "counted": result.counted,
             "not_joined": result.not_joined, "wrong": result.wrong[:200],
             "not_joined_lines": [[*place, n] for place, n in result.by_kernel.most_common(50)]}
    if result.wrong:
        kernel, handler, metric, kind, file, line, have, want = result.wrong[0]
        reason = f"{len(result.wrong)} numbers differ: {kernel}: {file}:{line}: {kind}: {metric}: {have} reported, {want} done"
        return {**entry, "verdict": verdicts.FAILED, "reason": reason}
    if not result.counted:
        return {**entry, "verdict": verdicts.UNCHECKED, "reason": f"none of {executed} instructions is counted"}
    missing = f"{result.not_joined} of {executed} executed instructions not joined" if result.not_joined else ""
    return {**entry, "verdict": verdicts.PASSED, "reason": missing}


def compare(folder, observed, original):
    """Entry of the results. `observed`, `original`: folders with the databases; beside the latter is its access log."""
    log = original / "access.log"
    try:
        if not log.exists():
            raise ValueError("no kernel ran")
        report, loaded = lines.Report(_database(observed)), lines.Report(_database(original))
        return _entry(lines.Comparison(report, loaded, _images(folder, original), skip=0).feed(log))
    except ValueError as error:
        return {"verdict": verdicts.UNCHECKED, "reason": str(error)}
    finally:
        if log.exists():
            os.remove(log)
