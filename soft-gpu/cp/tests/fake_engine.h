/*
 * fake_engine.h - control of the stand-in engine. Global state: one test program, one engine.
 */
#ifndef SOFT_GPU_CP_TESTS_FAKE_ENGINE_H
#define SOFT_GPU_CP_TESTS_FAKE_ENGINE_H

#include "../../isa/engine.h"

struct fake_dispatch {
    struct sg_dispatch d;
    sg_done_fn done;
    void *user;
};

/* On: submissions are kept until fake_take. Off: they complete inside sg_engine_submit. */
void fake_hold(bool on);
/* Takes the i-th oldest kept dispatch out; the caller calls its `done`. */
bool fake_take(unsigned i, struct fake_dispatch *out);
unsigned fake_submitted(void);
unsigned fake_invalidations(void);

#endif
