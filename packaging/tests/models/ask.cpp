// ask.cpp - the question of ask.c in C++.
#include <lanescope/models.h>

#include <cstdio>

int main()
{
    uint64_t at[64];
    for (uint64_t lane = 0; lane < 64; lane++)
        at[lane] = 4096 + 256 * lane;
    struct lanescope_global_cost cost{}; // `struct`, because a function has the same name
    cost.size = sizeof(cost);
    if (lanescope_global_cost("gfx942", LANESCOPE_MODEL_WRITE, 4, ~0ull, at, 64, &cost))
        return 1;
    std::printf("%u %u %u\n", cost.bytes, cost.l1_lines, cost.l1_lines_needed);
    std::puts(lanescope_models_error(
        lanescope_global_cost("gfx000", LANESCOPE_MODEL_WRITE, 4, ~0ull, at, 64, &cost)));
}
