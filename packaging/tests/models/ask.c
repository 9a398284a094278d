/* ask.c - what stores of 4 bytes cost, 256 bytes apart, and what an unknown GPU is told. */
#include <lanescope/models.h>

#include <stdio.h>

int main(void)
{
    uint64_t at[64];
    struct lanescope_global_cost cost = {.size = sizeof(cost)};
    for (uint64_t lane = 0; lane < 64; lane++)
        at[lane] = 4096 + 256 * lane;
    if (lanescope_global_cost("gfx942", LANESCOPE_MODEL_WRITE, 4, ~0ull, at, 64, &cost))
        return 1;
    printf("%u %u %u\n", cost.bytes, cost.l1_lines, cost.l1_lines_needed);
    puts(lanescope_models_error(
        lanescope_global_cost("gfx000", LANESCOPE_MODEL_WRITE, 4, ~0ull, at, 64, &cost)));
    return 0;
}
