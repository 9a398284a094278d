"""Compares a profiled program's numbers, line by line, with the access log of its original kernels.

The program runs twice, built with the plugin both times: observed, and then with no kernel observed and the software
GPU's log of its accesses on. The n-th process of one run that uses the GPU is compared with the n-th of the other, and the
n-th dispatch of a kernel with its n-th."""

import os
import pathlib
import struct
import sys

import verdicts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import hardware  # noqa: E402
import lines  # noqa: E402

TABLE = pathlib.Path(__file__).resolve().parent / "unsteady.tsv"
LOG = "access.{}.log"  # of a process
ET_EXEC, ET_DYN = 2, 3


def unsteady(name, path=TABLE):
    """Why two runs of that program do different accesses; None: they do the same. Columns: program, cause."""
    for line in path.read_text().splitlines():
        program, _, cause = line.partition("\t")
        if not line.startswith("#") and (name == program or name.endswith(f"/{program}")):
            return cause
    return None


def _reports(folder):
    """Of the processes that used the GPU, in the order of their start."""
    return sorted((lines.Report(file) for file in folder.glob("*.db")), key=lambda report: report.start)


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


def _compare(observed, original, images):
    reports, loaded = _reports(observed), _reports(original)
    if not reports:
        raise ValueError("no kernel was recorded")
    if len(reports) != len(loaded):
        raise ValueError(f"{len(reports)} processes used the GPU in one run, {len(loaded)} in the other")
    logs = [original / LOG.format(report.pid) for report in loaded]
    if not any(log.exists() for log in logs):
        raise ValueError("no kernel ran")
    result = lines.Result()
    for report, same, log in zip(reports, loaded, logs):
        if log.exists():
            result += lines.Comparison(report, same, images, skip=0).feed(log)
    return result


def compare(folder, observed, original):
    """Entries of the results. `observed`: {kind: folder with the databases of a run}; `original`: the folder of the run that
    all are compared with, where logs are beside the databases, which it deletes."""
    entries, images = {}, _images(folder, original)
    for kind, databases in observed.items():
        try:
            entries[kind] = _entry(_compare(databases, original, images))
        except ValueError as error:
            entries[kind] = {"verdict": verdicts.UNCHECKED, "reason": str(error)}
    for log in original.glob(LOG.format("*")):
        os.remove(log)
    return entries
