#!/usr/bin/env python3
"""reports.py BIN [DIR] - how long each verb takes on a database of 200 kernels, 5,000 dispatches and 165,000 values.

The database is recorded: a program of 200 different kernels, in a source of more than 5,000 lines, is compiled with probes and run
on the software GPU, twice. BIN is the folder of `lanescope` (build/stage/bin); DIR keeps program and databases for the next time.
Exit code 1 when a verb takes longer than the bar."""
import os
import resource
import subprocess
import sys
import tempfile
import time

BAR = 2.0  # seconds, for every verb; of the processor, as machines are shared
KERNELS, LAUNCHES, FILLER = 200, 25, 20
BODY = """template <int N> __global__ void kernel_{k}(float *out, const float *in, int n)
{{
  __shared__ float tile[64 * {pitch} + 64];
  const int t = threadIdx.x;
{filler}
  float x = in[t * {stride}];
  tile[t * {pitch}] = x;
  __syncthreads();
  x += tile[t * {back}];
  {more}out[(t * {out}) & (n - 1)] = x;
}}
"""
MORE = "x *= in[t * 13 + 4096];\n  "  # of every ninth kernel: 165,000 values in all
FILL = "  // {k}.{i}: what real sources have besides accesses"
MAIN = """
int main()
{{
  const int n = 1 << 16;
  float *in, *out;
  if (hipMalloc(&in, n * sizeof(float)) != hipSuccess || hipMalloc(&out, n * sizeof(float)) != hipSuccess)
    return 1;
  for (int i = 0; i < {launches}; i++) {{
{calls}
  }}
  return hipDeviceSynchronize() != hipSuccess;
}}
"""


def source():
    parts, calls = ["#include <hip/hip_runtime.h>\n"], []
    for k in range(KERNELS):
        filler = "\n".join(FILL.format(k=k, i=i) for i in range(FILLER))
        parts.append(BODY.format(k=k, pitch=1 + k % 33, stride=1 + k % 7, back=1 + k % 5, out=1 + k % 11, filler=filler,
                                 more="" if k % 9 else MORE))
        calls.append(f"    kernel_{k}<{k % 4}><<<1, 64>>>(out, in, n);")
    return "\n".join(parts) + MAIN.format(launches=LAUNCHES, calls="\n".join(calls))


def make(lanescope, folder):
    program, hip = os.path.join(folder, "app"), os.path.join(folder, "app.hip")
    with open(hip, "w") as f:
        f.write(source())
    subprocess.run([lanescope, "hipcc", "-g", "-O3", "--offload-arch=gfx90a", hip, "-o", program], check=True)
    for name in ("a.db", "b.db"):
        subprocess.run([lanescope, "run", "--gpu", "soft:gfx90a", "--no-summary", "-o", os.path.join(folder, name), "--", program],
                       check=True)


def commands(folder):
    a, b = (os.path.join(folder, name) for name in ("a.db", "b.db"))
    new = os.path.join(folder, "new")
    yield from (["report", *form, a] for form in ([], ["--kernels", "0"], ["--json"], ["--csv"], ["--stats"], ["--sort", "Bank Conflict"],
                                                  ["--html", new + ".html", "--force"]))
    yield from (["annotate", *form, a] for form in ([], ["--json"]))
    yield from (["diff", *form, a, b] for form in ([], ["--json"], ["--csv"], ["--all"]))
    yield from (["explain", *form, a] for form in ([], ["--top", "0"], ["--json", "--top", "0"]))
    yield ["gate", a, b, "--json", new + ".json", "--junit", new + ".xml", "--sarif", new + ".sarif"]
    yield from (["summary", *form, a] for form in ([], ["--json"]))
    yield from (["query", *form, a, "SELECT * FROM line_view"] for form in ([], ["--json"]))
    yield from (["check", a], ["list", "kernels", a], ["list", "metrics", a], ["list"], ["info"])
    yield ["merge", a, b, "-o", new + ".db"]
    yield from (["convert", a, "--to", form, "-o", f"{new}.{form}"] for form in ("csv", "rocpd"))
    yield from (["convert", a, "--to", *form, "-o", "-"] for form in (["json"], ["pftrace"], ["pftrace", "--metric", "Cache Lines"],
                                                                     ["speedscope"], ["folded", "--metric", "Cache Lines"]))


def measure(lanescope, words):
    """Wall and processor seconds of the better of two runs."""
    best = None
    for _ in range(2):
        for word in words:
            if word.endswith(("new.csv", "new.rocpd")):
                subprocess.run(["rm", "-rf", word], check=True)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([lanescope, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            sys.exit(f"{words[0]}: exit code {done.returncode}: {done.stderr}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best or (wall, cpu), (wall, cpu), key=lambda both: both[1])
    return best


def counted(lanescope, db):
    sql = "SELECT (SELECT count(*) FROM kernel), (SELECT count(*) FROM dispatch), (SELECT count(*) FROM value)"
    return subprocess.run([lanescope, "query", "-f", "csv", db, sql], check=True, capture_output=True, text=True).stdout.splitlines()[1]


def main():
    lanescope = os.path.join(os.path.abspath(sys.argv[1]), "lanescope")
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else temporary
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(os.path.join(folder, "b.db")):
            make(lanescope, folder)
        print("kernels, dispatches, values:", counted(lanescope, os.path.join(folder, "a.db")))
        print(f"{'wall':>6} {'cpu':>6}  verb (seconds; the bar is {BAR})")
        slow = 0
        for words in commands(folder):
            wall, cpu = measure(lanescope, words)
            slow += cpu > BAR
            told = " ".join(os.path.basename(w) if "/" in w else w for w in words)
            print(f"{wall:6.2f} {cpu:6.2f}  {told}{'  TOO SLOW' if cpu > BAR else ''}", flush=True)
    sys.exit(slow > 0)


if __name__ == "__main__":
    main()
