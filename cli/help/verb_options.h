/* verb_options.h - what the table of verbs says of options and words, for completions and manual pages. */
#ifndef CLI_VERB_OPTIONS_H
#define CLI_VERB_OPTIONS_H

#include "cli/common/cli.h"
#include "cli/common/settings.h"

struct verb_option {
    const struct argp_option *is;
    bool of_run;                   /* one of those that `run`, `gate` and `config` share */
    const struct setting *setting; /* that such a one sets; NULL: none */
};

/* The options of a verb with a name, those of `run` last; not --help and its like.
 * malloc'd; *n of them. */
struct verb_option *verb_options(const struct verb *v, size_t *n);
/* What an option accepts where the table names it, separated by blanks; "" where it may be anything.
 * malloc'd. */
char *option_choices(const struct verb_option *o);
/* Whether it takes several of them, separated by commas. */
bool option_takes_several(const struct verb_option *o);
/* Whether its value is the name of a file or a folder. */
bool option_takes_file(const struct verb_option *o);
bool option_takes_folder(const struct verb_option *o);
/* Words of the verb that are no options, separated by blanks: "bash zsh fish". malloc'd. */
char *verb_words(const struct verb *v);

#endif
