"""Five rows were added to the table of GPUs in one place (made_up.inc), nothing else was changed: everything lists them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PREFIX = pathlib.Path(os.environ["LANESCOPE_TEST_PREFIX"])
LANESCOPE = PREFIX / os.environ["LANESCOPE_TEST_BIN"] / "lanescope"
PIECES = PREFIX / os.environ["LANESCOPE_TEST_LIBDIR"]
CLANG = os.environ["LANESCOPE_TEST_CLANG"]
HERE = pathlib.Path(__file__).parent


def call(*command, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LANESCOPE_", "LD_PRELOAD"))} | environment
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120, env=env)


def rocminfo(gpu):
    return call("rocminfo", LD_PRELOAD=str(PIECES / "liblanescope-softgpu.so"), LANESCOPE_GPU=gpu)


class MadeUp(unittest.TestCase):
    def test_list(self):
        """Each GPU with what is known of it: by both, by the software GPU alone, by the models alone, by neither."""
        gpus = re.findall(r"^  (\S+) +(.*(?:\n {10}.*)*)$", call(LANESCOPE, "list", "gpus").stdout, re.M)
        known = {name: [line.strip() for line in text.splitlines()] for name, text in gpus}
        self.assertEqual(
            known["soft:gfx90c"],
            ["software GPU, as Made-up card (MadeUp1)",
             "bank conflicts: as measured for reads of 8, 12, 16 and writes of 4, 8, 12, 16 bytes, assumed for others",
             "cache lines: 64 bytes in L1, 128 in L2"])
        self.assertEqual(
            known["soft:gfx1035"],
            ["software GPU, as Made-up RDNA card (RDNA2)", "bank conflicts: assumed from related GPUs", "cache lines: 64 bytes in L1, 128 in L2"])
        self.assertRegex(" ".join(known["soft:gfx9fd"]),  # it has the card of gfx942
                         "software GPU.*no bank conflicts and no cache lines needs ROCr 6.1 and HIP 5.7 or later$")
        self.assertRegex(known["gfx1299"][0], "as hardware only$")
        self.assertNotIn("soft:gfx1299", known)
        self.assertEqual(len(known["gfx9fe"]), 1)
        self.assertRegex(known["gfx9fe"][0], "as hardware only: .*no bank conflicts and no cache lines")

    def test_completion(self):
        for shell in "bash", "zsh", "fish":
            text = call(LANESCOPE, "completion", shell).stdout
            self.assertIn("soft:gfx90c soft:gfx1035 soft:gfx9fd", text)
            self.assertNotIn("soft:gfx1299", text)
            self.assertIn("gfx90c gfx1035 gfx1299", text)  # what recordings can be priced on: its models are known

    def test_setting(self):
        """What is refused names what is taken; what is taken is taken."""
        done = call(LANESCOPE, "run", "--gpu", "soft:gfx1299", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("soft:gfx90c, soft:gfx1035 or soft:gfx9fd", done.stderr)
        done = call(LANESCOPE, "config", "--gpu", "soft:gfx90cx3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("soft:gfx90cx3", done.stdout)

    def test_driver(self):
        """The unmodified ROCr sees the card of the row. 3 GiB are 3145728 KB; 7 wavefronts on each of 4 SIMDs."""
        text = rocminfo("soft:gfx90c").stdout
        for pattern in (r"Name: +gfx90c\b", r"Compute Unit: +5\b", r"Size: +3145728\(", r"Chip ID: +5688\(0x1638\)",
                        r"Max Waves Per CU: +28\b", r"Size: +48\(0x30\) KB", r"L1: +24\(0x18\) KB", r"L2: +768\(0x300\) KB"):
            self.assertRegex(text, pattern)
        bad = rocminfo("soft:gfx1299")
        self.assertIn("soft:gfx90c, soft:gfx1035 or soft:gfx9fd", bad.stderr + bad.stdout)

    def test_driver_of_rdna(self):
        """5 GiB are 5242880 KB; wavefronts of 32 lanes; the family's 16 wavefronts on each of 2 SIMDs."""
        text = rocminfo("soft:gfx1035").stdout
        for pattern in (r"Name: +gfx1035\b", r"Compute Unit: +12\b", r"Size: +5242880\(", r"Chip ID: +5761\(0x1681\)",
                        r"Wavefront Size: +32\(", r"Max Waves Per CU: +32\b", r"L1: +8\(0x8\) KB", r"L2: +1536\(0x600\) KB"):
            self.assertRegex(text, pattern)

    def test_compiler(self):
        """For a ROCm that is too old for clang, device libraries are made for each GPU that it has none for: gfx9fe is
        version 9.15.14."""
        with tempfile.TemporaryDirectory() as folder:
            done = call(PREFIX / os.environ["LANESCOPE_TEST_BIN"] / "lanescope-compile", CLANG, "-x", "hip", "-O1", "-c",
                        "--cuda-device-only", "--offload-arch=gfx90c", HERE / "kernel.hip", "-o", f"{folder}/out",
                        XDG_CACHE_HOME=folder)
            made = list(pathlib.Path(folder).glob("lanescope/device-libs-*"))
            if not made:
                self.skipTest("the installed ROCm has all that clang asks for: " + done.stderr)
            text = call(CLANG, "-x", "ir", "-S", "-emit-llvm", made[0] / "oclc_isa_version_9fe.bc", "-o", "-").stdout
            self.assertRegex(text, "__oclc_ISA_version = .* i32 10514")

    def test_pass(self):
        """The row's probes are those of gfx940 and later, which read where they run from register 20, XCC_ID; those of the
        family gfx9 do not."""
        with tempfile.TemporaryDirectory() as folder:
            for gpu, expected in ("gfx90c", True), ("gfx909", False):
                out = pathlib.Path(folder) / gpu
                done = call(CLANG, "-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", f"--offload-arch={gpu}", "-O1", "-S",
                            f"-fpass-plugin={PIECES}/lanescope-pass.so", HERE / "kernel.hip", "-o", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                text = out.read_text()
                self.assertIn("s_getreg_b32", text)
                self.assertEqual(bool(re.search(r"s_getreg_b32 \S+ hwreg\((20|HW_REG_XCC_ID)\)", text)), expected, gpu)

    def test_pass_of_rdna(self):
        """Probes of gfx10, for wavefronts of 32 lanes: HW_ID1 in the place of HW_ID, EXEC of one register."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            done = call(CLANG, "-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "--offload-arch=gfx1035", "-O1", "-S",
                        f"-fpass-plugin={PIECES}/lanescope-pass.so", HERE / "kernel.hip", "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = out.read_text()
            self.assertRegex(text, r"s_getreg_b32 \S+ hwreg\((23|HW_REG_HW_ID1)\)")
            self.assertRegex(text, r"s_mov_b32 \S+ exec_lo")


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv)
