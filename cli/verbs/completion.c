/* lanescope completion bash|zsh: scripts made from the tables of verbs, their options and settings, so that they never lag
 * behind. */
#include "cli/common/cli.h"
#include "cli/common/settings.h"
#include "gpus/gpus.h"

#include <argp.h>
#include <string.h>

/* Words of verbs that are no options. */
static const struct {
    const char *verb, *words;
} verb_words[] = {
    {"list", "handlers metrics gpus kernels"},
    {"completion", "bash zsh"},
};

static void print_options(const struct argp_option *o)
{
    const char *gap = "";
    for (; o->name || o->key; o++, gap = " ")
        if (o->name)
            printf("%s--%s", gap, o->name);
}

static void print_settings(void)
{
    for (int i = 0; i < N_SETTINGS; i++)
        printf("--%s ", settings[i].option);
    printf("--config");
}

/* A branch of the script for each verb, with its words between two texts. */
static void print_words(const char *before, const char *after)
{
    for (size_t i = 0; i < n_verbs; i++)
        if (verbs[i].options) {
            printf("    %s) %s", verbs[i].name, before);
            print_options(verbs[i].options);
            if (verbs[i].run == verb_gate) { /* it runs programs as `run` does */
                putchar(' ');
                print_settings();
            }
            printf("%s ;;\n", after);
        }
    for (size_t i = 0; i < sizeof(verb_words) / sizeof(*verb_words); i++)
        printf("    %s) %s%s%s ;;\n", verb_words[i].verb, before, verb_words[i].words, after);
}

static void print_verbs(void)
{
    for (size_t i = 0; i < n_verbs; i++)
        printf("%s%s", i ? " " : "", verbs[i].name);
}

static void print_gpus(void)
{
    char names[256];
    printf("auto hw soft %s", ls_gpu_names(names, sizeof(names), "soft:", " ", " "));
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
           "    if [ \"${COMP_WORDS[i]}\" = -- ] && [[ $verb == run || $verb == gate ]]; then\n"
           "      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); "
           "else COMPREPLY=($(compgen -c -f -- \"$cur\")); fi\n      return\n    fi\n  done\n"
           "  case $prev in\n"
           "    --gpu) COMPREPLY=($(compgen -W \"");
    print_gpus();
    printf("\" -- \"$cur\")); return ;;\n"
           "    --on-full) COMPREPLY=($(compgen -W \"wait drop\" -- \"$cur\")); return ;;\n"
           "    --log-level) COMPREPLY=($(compgen -W \"error warning info debug\" -- \"$cur\")); return ;;\n"
           "    --format) words=\"table csv json\"; [ \"$verb\" = explain ] && words=\"text markdown json\"\n"
           "      COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); return ;;\n"
           "    --to) COMPREPLY=($(compgen -W \"csv folded\" -- \"$cur\")); return ;;\n"
           "    --fail-on) COMPREPLY=($(compgen -W \"worse new any\" -- \"$cur\")); return ;;\n"
           "  esac\n"
           "  case $verb in\n    run|config) words=\"");
    print_settings();
    printf("\" ;;\n    help) words=\"");
    print_verbs();
    printf("\" ;;\n");
    print_words("words=\"", "\"");
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
           "  local at=${words[(i)--]}\n  if [[ $words[2] == (run|gate) ]] && (( at < CURRENT )); then\n"
           "    shift $at words\n    (( CURRENT -= at ))\n    _normal\n    return\n  fi\n"
           "  if [[ $words[CURRENT-1] == --gpu ]]; then\n    compadd -- ");
    print_gpus();
    printf("\n    return\n  fi\n  local -a options\n  case $words[2] in\n    run|config) options=(");
    print_settings();
    printf(") ;;\n    help) options=(");
    print_verbs();
    printf(") ;;\n");
    print_words("options=(", ")");
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
