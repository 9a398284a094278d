// A handler in C++ that throws out of the interface, which it must not do.
#include <stdexcept>

#include "lanescope/handler.h"

static int begin(void *, const lanescope_dispatch *, void **state)
{
    static int something;
    *state = &something;
    return 0;
}

static void accesses(void *, const lanescope_access *, size_t)
{
    throw std::runtime_error("out of the interface");
}

static void end(void *, lanescope_results *)
{
}

extern "C" __attribute__((visibility("default"))) const lanescope_handler lanescope_handler;
const struct lanescope_handler lanescope_handler = {LANESCOPE_HANDLER_ABI,
                                                    sizeof(struct lanescope_handler),
                                                    "throwing",
                                                    "1",
                                                    "throws",
                                                    nullptr,
                                                    begin,
                                                    accesses,
                                                    nullptr,
                                                    nullptr,
                                                    end,
                                                    nullptr,
                                                    nullptr,
                                                    0,
                                                    nullptr};
