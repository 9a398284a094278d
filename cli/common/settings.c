#include "settings.h"
#include "arguments.h"
#include "cli.h"
#include "results/file/error_text.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

#define KEY_FIRST 0x100
#define KEY_CONFIG (KEY_FIRST + N_SETTINGS)
#define KEY_NO_SOURCE (KEY_CONFIG + 1)

static struct argp_option option_list[N_SETTINGS + 3];

static error_t parse_setting(int key, char *arg, struct argp_state *state)
{
    struct given *g = state->input;
    if (key == KEY_CONFIG) {
        g->config = arg;
        return 0;
    }
    if (key == KEY_NO_SOURCE) {
        g->value[SET_SOURCES] = "none";
        return 0;
    }
    for (int i = 0; i < N_SETTINGS; i++) {
        if (key != KEY_FIRST + i && (!settings[i].letter || key != settings[i].letter))
            continue;
        g->value[i] = arg ? arg : settings[i].flag_value;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp settings_argp = {option_list, parse_setting, NULL, NULL, NULL, NULL, NULL};

void settings_prepare(void)
{
    for (int i = 0; i < N_SETTINGS; i++)
        option_list[i] = (struct argp_option){.name = settings[i].option,
                                              .key = settings[i].letter ? settings[i].letter : KEY_FIRST + i,
                                              .arg = settings[i].arg,
                                              .flags = settings[i].arg_optional ? OPTION_ARG_OPTIONAL : 0,
                                              .doc = settings[i].help,
                                              .group = 1};
    option_list[N_SETTINGS] = (struct argp_option){.name = "config",
                                                   .key = KEY_CONFIG,
                                                   .arg = "FILE",
                                                   .doc = "read settings from this JSON file (also: "
                                                          "LANESCOPE_CONFIG)",
                                                   .group = N_SETTINGS + 1};
    option_list[N_SETTINGS + 1] = (struct argp_option){
        .name = "no-source", .key = KEY_NO_SOURCE, .doc = "the same as --sources=none", .group = 1};
}

void settings_without_result(void)
{
    option_list[SET_OUTPUT_FILE].flags |= OPTION_HIDDEN;
    option_list[SET_OUTPUT_DIRECTORY].flags |= OPTION_HIDDEN;
}

int settings_spelling(int argc, char **argv)
{
    enum { OTHERS = 5 };
    const char *names[N_SETTINGS + OTHERS] = {"config", "help", "usage", "version", "no-source"};
    for (int i = 0; i < N_SETTINGS; i++)
        names[i + OTHERS] = settings[i].option;
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (strncmp(argv[i], "--", 2))
            continue;
        char *word = strndup(argv[i] + 2, strcspn(argv[i] + 2, "="));
        bool known = false;
        for (size_t j = 0; j < N_SETTINGS + OTHERS; j++)
            known |= !strncmp(names[j], word, strlen(word)); /* getopt takes unambiguous beginnings */
        const char *near = known ? NULL : nearest(word, names, N_SETTINGS + OTHERS);
        if (near)
            message("unknown option '--%s'; did you mean '--%s'? `%s --help` lists all", word, near, argv[0]);
        free(word);
        if (near)
            return EXIT_USAGE;
    }
    return 0;
}

/* ---- origins ---- */

char *setting_origin(const struct effective *e, enum setting_id id)
{
    switch (e->origin[id]) {
    case ORIGIN_FILE:
        return ls_text("%s: %s", e->file, settings[id].key);
    case ORIGIN_ENVIRONMENT:
        return strdup(settings[id].env);
    case ORIGIN_OPTION:
        return ls_text("--%s", settings[id].option);
    case ORIGIN_PRESET:
        return ls_text("preset %s", e->value[SET_PRESET]);
    default:
        return ls_text("default of %s", settings[id].key);
    }
}

bool setting_true(const struct effective *e, enum setting_id id)
{
    return !strcmp(e->value[id], "true");
}

/* Takes `text` as the value; 0 or an exit code after a message. */
static int take(struct effective *e, enum setting_id id, const char *text, enum origin origin)
{
    char *normal = NULL;
    const char *wanted = setting_check(id, text, &normal);
    free(e->value[id]);
    e->value[id] = normal ? normal : strdup(text);
    e->origin[id] = origin;
    if (!wanted)
        return 0;
    char *where = setting_origin(e, id);
    message("%s: '%s' is not accepted; give %s", where, text, wanted);
    free(where);
    return EXIT_USAGE;
}

/* A value of the configuration file as text:
 * strings, numbers, booleans, lists of strings. malloc'd or NULL. */
static char *config_text(const json_t *value)
{
    if (json_is_string(value))
        return strdup(json_string_value(value));
    if (json_is_boolean(value))
        return strdup(json_is_true(value) ? "true" : "false");
    if (json_is_integer(value))
        return ls_text("%lld", (long long)json_integer_value(value));
    if (!json_is_array(value))
        return NULL;
    char *text = strdup("");
    size_t i;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        char *more =
            json_is_string(item) ? ls_text("%s%s%s", text, i ? "," : "", json_string_value(item)) : NULL;
        free(text);
        text = more;
        if (!text)
            break;
    }
    return text;
}

static int unknown_key(const char *file, const char *key)
{
    const char *keys[N_SETTINGS];
    for (int i = 0; i < N_SETTINGS; i++)
        keys[i] = settings[i].key;
    const char *near = nearest(key, keys, N_SETTINGS);
    if (near)
        message("%s: unknown key '%s'; did you mean '%s'? `lanescope config` lists all", file, key, near);
    else
        message("%s: unknown key '%s'; `lanescope config` lists all", file, key);
    return EXIT_USAGE;
}

static int take_key(struct effective *e, const char *key, const json_t *value)
{
    int id = 0;
    while (id < N_SETTINGS && strcmp(settings[id].key, key))
        id++;
    if (id == N_SETTINGS)
        return unknown_key(e->file, key);
    char *text = config_text(value);
    if (!text) {
        message("%s: %s: a text, a number, true or false, or a list of texts is expected", e->file, key);
        return EXIT_USAGE;
    }
    int rc = take(e, (enum setting_id)id, text, ORIGIN_FILE);
    free(text);
    return rc;
}

/* $XDG_CONFIG_HOME/lanescope/config.json when there is one. Nothing is taken from the current directory: a
 * configuration can name handlers, which are code. */
static char *user_config(void)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    if (base && *base)
        path = ls_text("%s/lanescope/config.json", base);
    else if (home && *home)
        path = ls_text("%s/.config/lanescope/config.json", home);
    if (path && access(path, F_OK)) {
        free(path);
        path = NULL;
    }
    return path;
}

/* Reads the whole file; a pipe may be one (`--config <(...)`), but one that nobody writes to is not waited
 * for without end. 0, or -1 with errno; *text is malloc'd in either case. */
static int read_config(const char *path, char **text, size_t *size)
{
    enum { MOST = 1 << 20, PATIENCE_MS = 5000 };
    ssize_t n = -1;
    *size = 0;
    *text = malloc(MOST + 1);
    int fd = *text ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    while (fd >= 0 && *size <= MOST) {
        struct pollfd p = {fd, POLLIN, 0};
        int ready = poll(&p, 1, PATIENCE_MS);
        if (ready == 0)
            errno = ETIMEDOUT;
        n = ready > 0 ? read(fd, *text + *size, MOST + 1 - *size) : -1;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            break;
        *size += (size_t)n;
    }
    if (*size > MOST)
        errno = EFBIG;
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return n < 0 || *size > MOST ? -1 : 0;
}

static int load_file(struct effective *e, const char *named)
{
    const char *key;
    char *text = NULL;
    size_t size;
    json_t *value;
    json_error_t error;
    if (!named || !*named)
        named = getenv("LANESCOPE_CONFIG");
    e->file = named && *named ? strdup(named) : user_config();
    if (!e->file)
        return 0;
    if (read_config(e->file, &text, &size)) {
        message("%s: cannot read the configuration file: %s", e->file, strerror(errno));
        free(text);
        return EXIT_USAGE;
    }
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!root) {
        message("%s:%d:%d: the configuration is not valid JSON: %s", e->file, error.line, error.column,
                error.text);
        return EXIT_USAGE;
    }
    int rc = 0;
    if (!json_is_object(root)) {
        message("%s: the configuration must be a JSON object, as {\"handlers\": \"lds_bank_conflicts\"}",
                e->file);
        rc = EXIT_USAGE;
    }
    json_object_foreach(root, key, value)
    {
        if (!rc)
            rc = take_key(e, key, value);
    }
    json_decref(root);
    return rc;
}

/* ---- variables that nobody reads ---- */

static size_t known_variables(const char **names)
{
    size_t n = 0;
    for (int i = 0; i < N_VARIABLES; i++)
        names[n++] = settings[i].env;
    for (size_t i = 0; setting_other_variables[i]; i++)
        names[n++] = setting_other_variables[i];
    return n;
}

/* `name` is likely a typing error of another name, or of nothing that we know; unset and empty are the same. */
static void warn_of(const char *name, size_t length, const char *const *known, size_t n)
{
    enum { MOST = 128 };
    const char *rest[MOST];
    const size_t prefix = strlen(SETTING_PREFIX);
    for (size_t i = 0; i < n && i < MOST; i++) {
        if (strlen(known[i]) == length && !strncmp(known[i], name, length))
            return;
        rest[i] = known[i] + prefix;
    }
    char *word = strndup(name + prefix, length - prefix);
    const char *near = word ? nearest(word, rest, n < MOST ? n : MOST) : NULL;
    if (near)
        message("%.*s in the environment is no setting, and has no effect; did you mean " SETTING_PREFIX
                "%s?",
                (int)length, name, near);
    else
        message("%.*s in the environment is no setting, and has no effect; `lanescope config` lists all",
                (int)length, name);
    free(word);
}

static void warn_of_unknown_variables(void)
{
    const char *known[N_VARIABLES + 64];
    size_t n = known_variables(known);
    for (char **v = environ; *v; v++) {
        size_t length = strcspn(*v, "=");
        if (starts(*v, SETTING_PREFIX) && (*v)[length] && (*v)[length + 1] &&
            !starts(*v, SETTING_PREFIX "TEST_"))
            warn_of(*v, length, known, n);
    }
}

int settings_load(struct effective *e, const struct given *g)
{
    memset(e, 0, sizeof(*e));
    for (int i = 0; i < N_SETTINGS; i++) {
        e->value[i] = strdup(settings[i].fallback);
        e->origin[i] = ORIGIN_DEFAULT;
    }
    warn_of_unknown_variables();
    int rc = load_file(e, g->config);
    for (int i = 0; i < N_SETTINGS && !rc; i++) {
        const char *v = getenv(settings[i].env);
        if (g->value[i])
            rc = take(e, (enum setting_id)i, g->value[i], ORIGIN_OPTION);
        else if (v && *v)
            rc = take(e, (enum setting_id)i, v, ORIGIN_ENVIRONMENT);
    }
    for (const struct setting_preset *p = setting_presets; p->preset && !rc; p++)
        if (e->origin[p->id] == ORIGIN_DEFAULT && !strcmp(p->preset, e->value[SET_PRESET]))
            rc = take(e, p->id, p->value, ORIGIN_PRESET);
    return rc;
}

char *setting_alone(enum setting_id id)
{
    const char *v = getenv(settings[id].env), *named = getenv("LANESCOPE_CONFIG");
    if (v && *v)
        return strdup(v);
    char *file = named && *named ? strdup(named) : user_config();
    json_t *root = file ? json_load_file(file, JSON_REJECT_DUPLICATES, NULL) : NULL;
    char *text = config_text(json_object_get(root, settings[id].key));
    json_decref(root);
    free(file);
    return text;
}

void settings_free(struct effective *e)
{
    for (int i = 0; i < N_SETTINGS; i++)
        free(e->value[i]);
    free(e->file);
}
