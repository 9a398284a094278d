"""Prints what the launcher gave to the program: variables, arguments, signals that are blocked or ignored."""
import json
import os
import sys

keys = [k for k in os.environ if k.startswith("LANESCOPE") or k in ("HSA_TOOLS_LIB", "LD_PRELOAD",
                                                                    "HSA_TOOLS_ROCPROFILER_V1_TOOLS")]
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
print(json.dumps({"env": {k: os.environ[k] for k in keys}, "argv": sys.argv[1:], "blocked": status["SigBlk"],
                  "pid": os.getpid()}))
