"""llama.cpp's own models with made-up weights: the GPU's numbers are the CPU's (test-llama-archs compares them).

Usage: llama_archs.py SEED COUNT: COUNT of the architectures below."""

import random
import re
import subprocess
import sys

TEST = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-llama-archs"
ARCHITECTURES = ["llama", "falcon", "gpt2", "gptneox", "mpt", "starcoder", "bloom", "stablelm", "qwen2", "qwen2moe", "qwen3",
                 "phi2", "phi3", "gemma", "gemma2", "gemma3", "mamba", "mamba2", "command-r", "dbrx", "olmo", "olmo2", "olmoe",
                 "openelm", "arctic", "deepseek2", "t5", "jais", "nemotron", "exaone", "rwkv6", "rwkv7", "granite", "smollm3"]
GPU = "AMD Instinct"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def rows(text):
    """[device, configuration, answers...] of the table's lines."""
    cells = ([c.strip() for c in line.strip().strip("|").split("|")] for line in COLOUR.sub("", text).splitlines())
    return [c[1:] for c in cells if len(c) == 6 and c[1].startswith(GPU)]


def check(name, seed):
    """What is wrong with it, None, or an empty text when llama.cpp does not test it."""
    done = subprocess.run([TEST, "-a", f"^{name}$", "-s", seed], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace")
    found = rows(done.stdout + done.stderr)
    answers = [a for row in found for a in row[2:]]
    if done.returncode == 0 and not any(a.startswith("OK") for a in answers):
        return ""
    bad = [f"{row[1]}: {a}" for row in found for a in row[2:] if not a.startswith(("OK", "SKIP"))]
    if done.returncode and not bad:
        bad = [f"exit code {done.returncode}: {(done.stdout + done.stderr).strip().splitlines()[-1:]}"]
    return "; ".join(bad) or None


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    failures = 0
    for name in random.Random(seed).sample(ARCHITECTURES, min(count, len(ARCHITECTURES))):
        wrong = check(name, str(random.Random(seed + name).randrange(1, 1 << 31)))
        failures += bool(wrong)
        print(f"FAILED {name}: {wrong}" if wrong else f"SKIPPED {name}: nothing of it is tested" if wrong == "" else f"PASSED {name}",
              flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
