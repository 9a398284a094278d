/* presets.c - what each preset of `run --preset` sets; docs/overhead.md says what each costs. */
#include "table.h"
#include "lanescope/defaults.h"

#include <stddef.h>

const char *const setting_preset_names[] = {"quick", "default", "everything", NULL};

const struct setting_preset setting_presets[] = {
    /* A first look: costs of a sixteenth of the wavefronts, of the first two launches of each kernel. */
    {"quick", SET_HANDLERS, LS_COUNTING_HANDLERS},
    {"quick", SET_SAMPLE_WAVES, "1/16"},
    {"quick", SET_ITERATIONS, "[1-2]"},
    /* Each handler that needs no probes of blocks. "default" sets nothing. */
    {"everything", SET_HANDLERS, LS_DEFAULT_HANDLERS ",alignment,redundancy,heatmap,wave_timeline"},
    {NULL, N_SETTINGS, NULL},
};
