"""The protocol's SDK for the tests: that of the system, else one that pip puts into LANESCOPE_TEST_SDK. As a program: fetches it, which may
take minutes, so that the tests themselves need no network."""
import os
import subprocess
import sys

FOLDER = os.environ["LANESCOPE_TEST_SDK"]


def found():
    """Whether it can be imported now."""
    if os.path.isdir(FOLDER) and FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)
    try:
        import mcp.server.mcpserver  # noqa: F401
    except ImportError:
        return False
    return True


def fetch():
    """None, or why it cannot be had."""
    try:
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", FOLDER,
                               "mcp>=2,<3"], capture_output=True, text=True, timeout=540)
    except (OSError, subprocess.TimeoutExpired) as why:
        return str(why)
    return (done.stderr.strip().splitlines() or ["pip failed"])[-1] if done.returncode else None


if __name__ == "__main__":
    missing = None if found() else fetch()
    if missing:
        print(f"skipped: the SDK mcp 2 cannot be installed: {missing}")
