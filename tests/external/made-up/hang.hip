// Never ends; its child must not outlive the run either.
#include <unistd.h>

int main()
{
    fork();
    for (;;)
        pause();
}
