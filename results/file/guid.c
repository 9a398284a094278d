/* guid.c - see guid.h. */
#include "guid.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

void ls_make_guid(char out[LS_GUID])
{
    unsigned char b[16] = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    if (getrandom(b, sizeof(b), 0) != sizeof(b)) /* cannot happen after boot; the time and pid still differ */
        memcpy(b + 8, &now, 8);
    for (int i = 0; i < 6; i++)
        b[i] = (unsigned char)(ms >> (40 - 8 * i));
    b[6] = (unsigned char)(0x70 | (b[6] & 15));
    b[8] = (unsigned char)(0x80 | (b[8] & 63));
    char *p = out;
    for (int i = 0; i < 16; i++)
        p += sprintf(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}
