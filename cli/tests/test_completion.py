"""What shells complete: the scripts of `lanescope completion` in bash, zsh and fish."""
import os
import re
import shlex
import shutil
import subprocess
import unittest

from common import Case, environment


class Completion(Case):
    def test_completion_scripts_parse(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                script = self.write("script", self.expect(0, "completion", shell).stdout)
                subprocess.run([shell, "-n", script], check=True)

    def test_bash_completes(self):
        script = self.expect(0, "completion", "bash").stdout
        asked = {"lanescope re": "report", "lanescope run --on": "--on-full", "lanescope run --on-full ''": "wait drop",
                 "lanescope run --on-full = d": "drop", "lanescope run --on-full =": "wait drop",
                 "lanescope explain --format m": "markdown", "lanescope query --format t": "table",
                 "lanescope gate --fail-on n": "new", "lanescope completion f": "fish", "lanescope list k": "kernels",
                 "lanescope help e": "explain", "lanescope run --gpu s": "soft",
                 # readline's words: the part behind the last sign is what is replaced
                 "lanescope selftest --gpu h": "hw", "lanescope report --as gfx94": "gfx942", "lanescope report --as = gfx94": "gfx942",
                 "lanescope run --as gfx90a,gfx94": "gfx90a,gfx942",
                 # a value that may be left out: behind the sign alone
                 "lanescope run --check = u": "uninit", "lanescope run --check = races,g": "races,global", "lanescope run --check u": "",
                 "lanescope run --gpu soft : gfx94": "gfx942", "lanescope gate --gpu = soft : gfx95": "gfx950",
                 "lanescope report b": "b x.db", "lanescope run -- cat b": "b x.db"}
        self.write("b x.db", "")
        script += "COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'\n"
        for words in asked:
            script += f"COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _lanescope; echo ${{COMPREPLY[@]}}\n"
        r = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True, cwd=self.dir)
        got = dict(zip(asked, r.stdout.splitlines()))
        self.assertTrue(got["lanescope run --gpu s"].startswith("soft soft:gfx"), got)
        got["lanescope run --gpu s"] = "soft"
        self.assertEqual((got, r.stderr), (asked, ""))

    def options_of_help(self, verb):
        told = set(re.findall(r"(?m)^ +(?:-\w, )?(--[a-z0-9-]+)", self.expect(0, verb, "--help").stdout))
        return told - {"--help", "--usage", "--version"}

    def all_verbs(self):
        verbs = re.findall(r"(?m)^  ([a-z]+) ", self.expect(0, "--help").stdout.split("\n\n")[2])
        self.assertIn("report", verbs)
        return verbs

    def test_completion_knows_all_options(self):
        """Those that the help of each verb names."""
        for shell in ("bash", "zsh"):
            script = self.expect(0, "completion", shell).stdout
            for verb in self.all_verbs():
                words = set(re.search(rf"(?m)^    {verb}\) \w+=[\"(](.*)[\")] ;;$", script)[1].split())
                self.assertEqual({w for w in words if w.startswith("--")}, self.options_of_help(verb), verb)
        script = self.expect(0, "completion", "fish").stdout
        for verb in self.all_verbs():
            self.assertEqual({"--" + w for w in re.findall(rf"'__lanescope_verb {verb}' -l (\S+)", script)},
                             self.options_of_help(verb), verb)

    def fish(self, line):
        """What fish offers behind the line."""
        script = f"source {self.path('lanescope.fish')}; complete -C {shlex.quote(line)}\n"
        r = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True, cwd=self.dir,
                           env=environment(HOME=self.dir, TERM="dumb"))
        self.assertEqual(r.stderr, "")
        return {line.split("\t")[0] for line in r.stdout.splitlines()}

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        self.write("lanescope.fish", self.expect(0, "completion", "fish").stdout)
        self.write("a.db", "")
        os.mkdir(self.path("folder"))
        self.assertEqual(self.fish("lanescope re"), {"report"})
        self.assertTrue(set(self.all_verbs()) <= self.fish("lanescope "))
        for verb in self.all_verbs():
            self.assertEqual({w.rstrip("=") for w in self.fish(f"lanescope {verb} --")} - {"--help", "--version"},
                             self.options_of_help(verb), verb)
        self.assertEqual(self.fish("lanescope run --on-full "), {"wait", "drop"})
        self.assertEqual(self.fish("lanescope run --on-full=w"), {"--on-full=wait"})
        self.assertEqual(self.fish("lanescope explain --format "), {"text", "markdown", "json"})
        self.assertEqual(self.fish("lanescope report --as gfx94"), {"gfx942"})
        self.assertEqual(self.fish("lanescope run --as gfx90a,gfx94"), {"gfx90a,gfx942"})
        self.assertEqual(self.fish("lanescope run --check=races,g"), {"--check=races,global"})
        self.assertEqual(self.fish("lanescope completion "), {"bash", "zsh", "fish", "a.db", "folder/", "lanescope.fish"})
        self.assertEqual(self.fish("lanescope report a"), {"a.db"})
        self.assertEqual(self.fish("lanescope run -d fo"), {"folder/"})
        self.assertIn("fish", self.fish("lanescope run --force -- fi"))
        self.assertEqual(self.fish("lanescope run -- cat a"), {"a.db"})

    def test_zsh_completes(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        # What zsh's completion system would be told, in place of that system.
        script = ("_describe() { print -l -- $verbs }\ncompadd() { print -l -- $argv[2,-1] }\n_files() { print FILES }\n"
                  "_normal() { print NORMAL $CURRENT $words }\ncompdef() { print compdef $1 $2 }\ncompset() { print compset $* }\n")
        script += self.expect(0, "completion", "zsh").stdout
        for words, current in (("lanescope re", 2), ("lanescope run --on", 3), ("lanescope report -", 3),
                               ("lanescope run -o x -- gcc -", 7), ("lanescope run --on-full=d", 3)):
            script += f"words=({words}); CURRENT={current}; print @; _lanescope\n"
        r = subprocess.run(["zsh", "-f"], input=script, text=True, capture_output=True, check=True)
        self.assertEqual(r.stderr, "")
        loaded, verbs, run, report, program, value = (part.split("\n") for part in r.stdout.split("@\n"))
        self.assertEqual(loaded[0], "compdef _lanescope lanescope")
        self.assertTrue(any(v.startswith("report:") for v in verbs), verbs)
        self.assertTrue({"--on-full", "--handlers", "--help", "FILES"} <= set(run), run)
        self.assertTrue({"--top", "--json", "FILES"} <= set(report), report)
        self.assertNotIn("--on-full", report)
        self.assertEqual(program[0], "NORMAL 2 gcc -")
        self.assertEqual(value[:4], ["compset -P *=", "compset -P *,", "wait", "drop"])

    def test_zsh_completes_at_once(self):
        """As a file in $fpath, which is loaded at the first key: that one offers something already."""
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        self.write("_lanescope", self.expect(0, "completion", "zsh").stdout)
        script = ("_describe() { print -l -- $verbs }\ncompdef() { print compdef }\nfpath=(. $fpath)\nautoload -U _lanescope\n"
                  "words=(lanescope re); CURRENT=2\n_lanescope\nprint @\n_lanescope\n")
        r = subprocess.run(["zsh", "-f"], input=script, text=True, capture_output=True, check=True, cwd=self.dir)
        first, second = r.stdout.split("@\n")
        self.assertTrue("report:" in first, r.stdout)
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
