/* make_sample PATH SOURCE [PID] [killed|shared] - writes the sample recording for the tests of the command line. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: make_sample PATH SOURCE [PID] [killed|shared]\n");
        return 2;
    }
    sample_shares = argc > 4 && !strcmp(argv[4], "shared");
    return sample_write(argv[1], argv[2], argc > 3 ? atoll(argv[3]) : 1234, argc > 4 && !sample_shares) ? 1
                                                                                                        : 0;
}
