/* make_sample PATH SOURCE [PID] [killed] - writes the sample recording for the tests of the command line. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: make_sample PATH SOURCE [PID] [killed]\n");
        return 2;
    }
    return sample_write(argv[1], argv[2], argc > 3 ? atoll(argv[3]) : 1234, argc > 4) ? 1 : 0;
}
