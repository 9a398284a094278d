/* lanescope completion bash|zsh: scripts made from the tables of verbs and settings, so that they never lag
 * behind. */
#include "cli.h"
#include "settings.h"

#include <argp.h>
#include <string.h>

/* Options of the verbs that have no settings. */
static const struct {
    const char *verb, *words;
} verb_words[] = {
    {"report", "--kernel --top --sort --json --csv --rows --output --full-paths"},
    {"annotate", "--kernel --context --metric --output --full-paths"},
    {"diff", "--kernel --metric --threshold --per-dispatch --all --json --csv --output --full-paths"},
    {"query", "--format --output"},
    {"check", "--quiet"},
    {"list", "handlers metrics gpus"},
    {"completion", "bash zsh"},
};

static void print_settings(void)
{
    for (int i = 0; i < N_SETTINGS; i++)
        printf("--%s ", settings[i].option);
    printf("--config");
}

static void print_verbs(void)
{
    for (size_t i = 0; i < n_verbs; i++)
        printf("%s%s", i ? " " : "", verbs[i].name);
}

static void bash(void)
{
    printf("# bash completion of lanescope: source <(lanescope completion bash)\n"
           "_lanescope() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} i "
           "words\n"
           "  COMPREPLY=()\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W \"");
    print_verbs();
    printf(" hipcc clang++ cc\" -- \"$cur\"))\n    return\n  fi\n"
           "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
           "    if [ \"${COMP_WORDS[i]}\" = -- ] && [ \"$verb\" = run ]; then\n"
           "      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); "
           "else COMPREPLY=($(compgen -c -f -- \"$cur\")); fi\n      return\n    fi\n  done\n"
           "  case $prev in\n"
           "    --gpu) COMPREPLY=($(compgen -W \"auto hw soft soft:gfx90a soft:gfx942 soft:gfx950\" -- "
           "\"$cur\")); "
           "return ;;\n"
           "    --on-full) COMPREPLY=($(compgen -W \"wait drop\" -- \"$cur\")); return ;;\n"
           "    --log-level) COMPREPLY=($(compgen -W \"error warning info debug\" -- \"$cur\")); return ;;\n"
           "    --format) COMPREPLY=($(compgen -W \"table csv json\" -- \"$cur\")); return ;;\n"
           "  esac\n"
           "  case $verb in\n    run|config) words=\"");
    print_settings();
    printf("\" ;;\n    help) words=\"");
    print_verbs();
    printf("\" ;;\n");
    for (size_t i = 0; i < sizeof(verb_words) / sizeof(*verb_words); i++)
        printf("    %s) words=\"%s\" ;;\n", verb_words[i].verb, verb_words[i].words);
    printf("  esac\n"
           "  if [[ $cur == -* || $verb == list || $verb == help || $verb == completion ]]; then\n"
           "    COMPREPLY=($(compgen -W \"$words --help --version\" -- \"$cur\"))\n"
           "  else\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n  fi\n}\n"
           "complete -o filenames -F _lanescope lanescope\n");
}

static void zsh(void)
{
    printf("#compdef lanescope\n# zsh completion of lanescope: source <(lanescope completion zsh)\n"
           "_lanescope() {\n  local -a verbs\n  verbs=(\n");
    for (size_t i = 0; i < n_verbs; i++)
        printf("    '%s:%s'\n", verbs[i].name, verbs[i].summary);
    printf("  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
           "  local at=${words[(i)--]}\n  if [[ $words[2] == run ]] && (( at < CURRENT )); then\n"
           "    shift $at words\n    (( CURRENT -= at ))\n    _normal\n    return\n  fi\n"
           "  local -a options\n  case $words[2] in\n    run|config) options=(");
    print_settings();
    printf(") ;;\n    help) options=(");
    print_verbs();
    printf(") ;;\n");
    for (size_t i = 0; i < sizeof(verb_words) / sizeof(*verb_words); i++)
        printf("    %s) options=(%s) ;;\n", verb_words[i].verb, verb_words[i].words);
    printf("  esac\n  compadd -- $options --help --version\n  _files\n}\n"
           "compdef _lanescope lanescope 2>/dev/null || _lanescope \"$@\"\n");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const char **shell = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*shell || (strcmp(arg, "bash") && strcmp(arg, "zsh")))
            argp_error(state, "'%s' is not accepted; give bash or zsh", arg);
        *shell = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no shell given; give bash or zsh");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int verb_completion(int argc, char **argv)
{
    static const struct argp completion_argp = {NULL,
                                                parse,
                                                "bash|zsh",
                                                "Prints a completion script.\vbash: put `source <(lanescope "
                                                "completion bash)` into ~/.bashrc.\nzsh: write the "
                                                "output to a file _lanescope in a directory of $fpath.",
                                                NULL,
                                                NULL,
                                                NULL};
    const char *shell = NULL;
    if (argp_parse(&completion_argp, argc, argv, 0, NULL, &shell))
        return EXIT_USAGE;
    if (!strcmp(shell, "bash"))
        bash();
    else
        zsh();
    return close_output(stdout, NULL);
}
