// Finds a wrong result and still exits with 0.
#include <cstdio>

int main()
{
    printf("value 3 is wrong\nFAIL\n");
}
