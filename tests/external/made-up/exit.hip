// Claims success, and exits with another code than 0.
#include <cstdio>

int main()
{
    printf("PASS\n");
    return 3;
}
