// Ends by a signal, after a word that must not be lost.
#include <cstdio>
#include <cstdlib>

int main()
{
    puts("this fails");
    abort();
}
