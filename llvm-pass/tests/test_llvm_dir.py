"""LLVM_DIR: the build takes the LLVM that it is given, says so, and refuses what it cannot serve. Only configured, not built."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CONFIG, OLDEST = os.environ["LANESCOPE_LLVM_CONFIG"], os.environ["LANESCOPE_OLDEST_LLVM_CONFIG"]


def ask(what, config=CONFIG):
    return subprocess.run([config, what], capture_output=True, text=True, check=True).stdout.strip()


class GivenLlvm(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.prefix = os.path.join(self.dir.name, "llvm")
        os.makedirs(os.path.join(self.prefix, "lib", "cmake", "llvm"))

    def configure(self, llvm_dir, majors="15", components="common;gpus;flow;llvm-pass"):
        return subprocess.run(["cmake", "-S", SOURCE, "-B", os.path.join(self.dir.name, "build"), "-G", "Ninja",
                               f"-DCMAKE_C_COMPILER={os.environ['CC']}", f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}",
                               f"-DLANESCOPE_COMPONENTS={components}", "-DBUILD_TESTING=OFF",
                               f"-DLANESCOPE_LLVM_MAJORS={majors}", f"-DLLVM_DIR={llvm_dir}"], capture_output=True, text=True)

    def wrapper(self, name, script):
        path = os.path.join(self.prefix, "bin", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)

    def other(self, version, config=CONFIG):
        """An LLVM at another place, with the installed one's tools and headers."""
        bin_dir = os.path.join(self.prefix, "bin")
        self.wrapper("llvm-config", f'case $1 in --version) echo {version};; --bindir) echo {bin_dir};; *) exec {config} "$@";; esac\n')
        for tool in ("clang", "llvm-link", "llc", "opt"):
            os.symlink(os.path.join(ask("--bindir", config), tool), os.path.join(bin_dir, tool))
        return os.path.join(self.prefix, "bin")

    def test_it_takes_the_place_of_the_installed_one(self):
        major = ask("--version").split(".")[0]
        bin_dir = self.other(ask("--version"))
        for given in (os.path.join(self.prefix, "lib", "cmake", "llvm"), self.prefix):
            r = self.configure(given, major)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertIn(f"Compilers served: LLVM {major} ({bin_dir})\n", r.stdout)
            self.assertIn("to add one: ", r.stdout)
        # And a version that is in no list; ROCm's call themselves so.
        r = self.configure(self.prefix, "99")
        self.assertIn(f"Compilers served: LLVM {major} ({bin_dir})\n", r.stdout, r.stderr)

    def test_no_part_wants_the_newest(self):
        """As where ROCm's LLVM is the only one."""
        self.other(ask("--version", OLDEST), OLDEST)
        r = self.configure(self.prefix, "", "")
        self.assertEqual((r.returncode, r.stderr), (0, ""))

    def test_what_cannot_be_served(self):
        self.assertIn("belongs to no LLVM with llvm-config", self.configure(self.prefix).stderr)
        self.other("14.0.6git")
        r = self.configure(self.prefix)
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("is of LLVM 14.0.6git; 15 to 22 are served", " ".join(r.stderr.split()))
        os.remove(os.path.join(self.prefix, "bin", "llvm-link"))
        self.wrapper("llvm-config", f'case $1 in --version) echo 22.1;; --bindir) echo {self.prefix}/bin;; *) exec {CONFIG} "$@";; esac\n')
        self.assertIn("lacks headers, clang or llvm-link", " ".join(self.configure(self.prefix).stderr.split()))


if __name__ == "__main__":
    sys.exit(unittest.main())
