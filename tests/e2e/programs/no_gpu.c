/* A program without any GPU code. */
#include <stdio.h>

int main(void)
{
    puts("no GPU here");
    return 4;
}
