/* lanescope completion bash|zsh|fish: scripts made from the tables of verbs, their options and settings, so that they
 * never lag behind. */
#include "cli/common/cli.h"
#include "results/file/error_text.h"
#include "verb_options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

static bool runs_programs(const struct verb *v)
{
    return v->run == verb_run || v->run == verb_gate;
}

static void print_verbs(void)
{
    for (size_t i = 0; i < n_verbs; i++)
        printf("%s%s", i ? " " : "", verbs[i].name);
}

/* ---- bash and zsh ---- */

/* A branch of the script for each verb, with its words and options between two texts. */
static void print_words(const char *before, const char *after)
{
    for (size_t i = 0; i < n_verbs; i++) {
        size_t n;
        struct verb_option *o = verb_options(&verbs[i], &n);
        char *words = verb_words(&verbs[i]);
        const char *gap = *words ? " " : "";
        printf("    %s) %s%s", verbs[i].name, before, words);
        for (size_t j = 0; j < n; j++, gap = " ")
            printf("%s--%s", gap, o[j].is->name);
        if (verbs[i].run == verb_help)
            print_verbs();
        printf("%s ;;\n", after);
        free(words);
        free(o);
    }
}

/* A branch for each option of which the table says what it accepts; a value that may be left out stands behind `=` only. */
static void print_choices(const char *before, const char *after)
{
    for (size_t i = 0; i < n_verbs; i++) {
        size_t n;
        struct verb_option *o = verb_options(&verbs[i], &n);
        for (size_t j = 0; j < n; j++) {
            char *choices = option_choices(&o[j]);
            if (*choices && !(o[j].is->flags & OPTION_ARG_OPTIONAL))
                printf("    %s,--%s|", verbs[i].name, o[j].is->name);
            if (*choices)
                printf("%s%s,--%s=) %s%s%s ;;\n", o[j].is->flags & OPTION_ARG_OPTIONAL ? "    " : "",
                       verbs[i].name, o[j].is->name, before, choices, after);
            free(choices);
        }
        free(o);
    }
}

static void bash(void)
{
    printf("# bash completion of lanescope: source <(lanescope completion bash)\n"
           "_lanescope() {\n"
           "  local verb=${COMP_WORDS[1]} at=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev i words\n"
           "  COMPREPLY=()\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W \"");
    print_verbs();
    printf(" hipcc clang++ cc\" -- \"$cur\"))\n    return\n  fi\n"
           "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
           "    if [ \"${COMP_WORDS[i]}\" = -- ] && [[ $verb == run || $verb == gate ]]; then\n"
           "      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); return; fi\n"
           "      compopt -o filenames 2>/dev/null\n"
           "      if ((COMP_CWORD > i + 1)); then mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); "
           "else mapfile -t COMPREPLY < <(compgen -c -f -- \"$cur\"); fi\n      return\n    fi\n  done\n"
           /* readline makes words of soft:GPU and --option=value at the signs */
           "  while ((at > 2)) && [[ $cur == :* || ${COMP_WORDS[at-1]} == *: ]]; do\n"
           "    cur=${COMP_WORDS[at-1]}$cur\n    at=$((at - 1))\n  done\n"
           "  prev=${COMP_WORDS[at-1]}\n"
           "  if [ \"$cur\" = = ]; then cur= prev=$prev=\n"
           "  elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[at-2]}=; fi\n"
           "  words=\n  case $verb,$prev in\n");
    print_choices("words=\"", "\"");
    /* of several values, separated by commas, the last one */
    printf("  esac\n  if [ -n \"$words\" ]; then\n    local before=\n    [[ $cur != *,* ]] || "
           "before=${cur%%,*},\n"
           "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\"))\n"
           "    if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then "
           "COMPREPLY=(\"${COMPREPLY[@]#\"${cur%%:*}:\"}\"); fi\n"
           "    return\n  fi\n  compopt -o filenames 2>/dev/null # not for values, where it escapes signs\n  "
           "case $verb in\n");
    print_words("words=\"", "\"");
    printf("  esac\n"
           "  if [[ $cur == -* || $verb == list || $verb == help || $verb == completion ]]; then\n"
           "    COMPREPLY=($(compgen -W \"$words --help --version\" -- \"$cur\"))\n"
           "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n  fi\n}\n"
           "complete -F _lanescope lanescope\n");
}

static void zsh(void)
{
    printf("#compdef lanescope\n# zsh completion of lanescope: source <(lanescope completion zsh)\n"
           "_lanescope() {\n  local -a verbs\n  verbs=(\n");
    for (size_t i = 0; i < n_verbs; i++)
        printf("    '%s:%s'\n", verbs[i].name, verbs[i].summary);
    printf("  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
           "  local at=${words[(i)--]}\n  if [[ $words[2] == (run|gate) ]] && (( at < CURRENT )); then\n"
           "    shift $at words\n    (( CURRENT -= at ))\n    _normal\n    return\n  fi\n"
           "  local -a options\n  local option=$words[CURRENT-1]\n"
           "  if [[ $words[CURRENT] == --*=* ]]; then\n"
           "    option=${words[CURRENT]%%%%=*}=\n    compset -P '*='\n  fi\n"
           "  case $words[2],$option in\n");
    print_choices("options=(", ")");
    printf(
        "  esac\n  if (( $#options )); then\n    compset -P '*,'\n    compadd -- $options\n    return\n  fi\n"
        "  case $words[2] in\n");
    print_words("options=(", ")");
    printf("  esac\n  compadd -- $options --help --version\n  _files\n}\n"
           /* A file in $fpath is the body of the function, which it replaces when it is called first. */
           "if [[ $funcstack[1] == _lanescope ]]; then _lanescope \"$@\"; else compdef _lanescope lanescope; "
           "fi\n");
}

/* ---- fish ---- */

/* Within single quotes fish knows \' and \\ alone. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('\'');
}

static void fish_option(const struct verb *v, const struct verb_option *o)
{
    char *choices = option_choices(o);
    const bool optional = o->is->flags & OPTION_ARG_OPTIONAL;
    printf("complete -c lanescope -n '__lanescope_verb %s' -l %s", v->name, o->is->name);
    if (o->is->key > ' ' && o->is->key < 0x7f)
        printf(" -s %c", o->is->key);
    if (o->is->arg && !optional)
        fputs(option_takes_file(o) || option_takes_folder(o) ? " -r -F" : " -x", stdout);
    if (*choices) {
        fputs(" -a ", stdout);
        char *several = option_takes_several(o) ? ls_text("(__fish_append , %s)", choices) : NULL;
        print_quoted(several ? several : choices);
        free(several);
    }
    if (o->is->doc) {
        fputs(" -d ", stdout);
        print_quoted(o->is->doc);
    }
    putchar('\n');
    free(choices);
}

static void fish_verb(const struct verb *v)
{
    size_t n;
    struct verb_option *o = verb_options(v, &n);
    char *words = verb_words(v);
    printf("complete -c lanescope -n __lanescope_first -f -a %s -d ", v->name);
    print_quoted(v->summary);
    putchar('\n');
    for (size_t i = 0; i < n; i++)
        fish_option(v, &o[i]);
    if (*words)
        printf("complete -c lanescope -n '__lanescope_verb %s' -a '%s'\n", v->name, words);
    if (v->run == verb_help) {
        printf("complete -c lanescope -n '__lanescope_verb help' -f -a '");
        print_verbs();
        printf("'\n");
    }
    if (runs_programs(v))
        printf("complete -c lanescope -n '__lanescope_program %s' -f -a '(__lanescope_complete_program)'\n",
               v->name);
    free(words);
    free(o);
}

static void fish(void)
{
    printf("# fish completion of lanescope: lanescope completion fish | source\n"
           "function __lanescope_first\n"
           "  test (count (commandline -opc)) -eq 1\nend\n"
           "function __lanescope_verb\n"
           "  set -l words (commandline -opc)\n"
           "  test (count $words) -gt 1; and test $words[2] = $argv[1]; and not contains -- -- $words\nend\n"
           "function __lanescope_program\n"
           "  set -l words (commandline -opc)\n"
           "  test (count $words) -gt 1; and test $words[2] = $argv[1]; and contains -- -- $words\nend\n"
           "function __lanescope_complete_program\n"
           "  set -l words (commandline -opc) (commandline -ct)\n"
           "  set -l at (contains -i -- -- $words)\n"
           "  set -l rest $words[(math $at + 1)..-1]\n"
           "  complete -C (string join ' ' -- (string escape -- $rest[1..-2]) $rest[-1])\nend\n"
           "complete -c lanescope -n __lanescope_first -f -a 'hipcc clang++ cc' -d 'compile with probes'\n");
    for (size_t i = 0; i < n_verbs; i++)
        fish_verb(&verbs[i]);
    printf("complete -c lanescope -l help -d 'show the help'\n"
           "complete -c lanescope -l version -d 'show the version'\n");
}

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
enum { SHELLS = sizeof(shells) / sizeof(*shells) };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    void (**print)(void) = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        for (size_t i = 0; i < SHELLS && !*print; i++)
            if (!strcmp(arg, shells[i].name)) {
                *print = shells[i].print;
                return 0;
            }
        argp_error(state, "'%s' is not accepted; give bash, zsh or fish", arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no shell given; give bash, zsh or fish");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp completion_argp = {
    NULL,
    parse,
    "bash|zsh|fish",
    "Prints a completion script.\v"
    "bash: put `source <(lanescope completion bash)` into ~/.bashrc.\n"
    "zsh: write the output to a file _lanescope in a directory of $fpath.\n"
    "fish: lanescope completion fish > ~/.config/fish/completions/lanescope.fish",
    NULL,
    NULL,
    NULL};

int verb_completion(int argc, char **argv)
{
    void (*print)(void) = NULL;
    if (argp_parse(&completion_argp, argc, argv, 0, NULL, &print))
        return EXIT_USAGE;
    print();
    return close_output(stdout, NULL);
}
