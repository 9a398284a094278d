"""tinygrad's own tests of what a backend must do, on its AMD backend, a client without ROCr.

Usage: tinygrad_tests.py SEED COUNT. Runs COUNT tests of each of the files below, of the checkout of tinygrad in /root/tinygrad."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

CHECKOUT = pathlib.Path("/root/tinygrad")
LLVM = "/usr/lib/llvm-22"
FILES = ["test_tiny", "device/test_hcq", "backend/test_graph", "backend/test_jit", "backend/test_multitensor", "backend/test_uops"]


def pytest(*options):
    env = {**os.environ, "DEV": "KFD+AMD:LLVM", "PATH": f"{LLVM}/bin:" + os.environ["PATH"], "PYTHONPATH": str(CHECKOUT),
           "LLVM_PATH": f"{LLVM}/lib/libLLVM.so.1"}
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options], cwd=CHECKOUT, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def sample(file, seed, count):
    """Always the same tests for one seed, however many others there are."""
    names = re.findall(r"^\S+::\S+$", pytest("--collect-only", f"test/{file}.py").stdout, re.M)
    return sorted(sorted(names, key=lambda n: hashlib.sha256(f"{seed} {n}".encode()).digest())[:count])


def check(file, names):
    """Prints a line for each of the tests; how many failed."""
    result = pathlib.Path(f"tinygrad-{file.replace('/', '-')}.xml").absolute()
    result.unlink(missing_ok=True)
    done = pytest(f"--junitxml={result}", *names)
    if not result.exists():
        print(f"FAILED {file}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]!r}", flush=True)
        return 1
    failed = 0
    for case in xml.parse(result).getroot().iter("testcase"):
        name = f"{file.split('/')[-1]}.{case.get('classname').split('.')[-1]}.{case.get('name')}"
        wrong = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        if wrong is not None:
            failed += 1
            print(f"FAILED {name}: {' '.join(wrong.get('message', '').split())[:200]}", flush=True)
        elif case.find("skipped") is not None:
            print(f"SKIPPED {name}: {' '.join(case.find('skipped').get('message', '').split())[:200]}", flush=True)
        else:
            print(f"PASSED {name}", flush=True)
    return failed


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    if not (CHECKOUT / "test").is_dir():
        print(f"SKIPPED tinygrad: no checkout of it in {CHECKOUT} of the root")
        return 0
    failures = 0
    for file in FILES:
        names = sample(file, seed, count)
        failures += check(file, names) if names else print(f"FAILED {file}: no tests in it") or 1
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
