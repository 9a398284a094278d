// Does not compile.
#include <no/such/header.h>
