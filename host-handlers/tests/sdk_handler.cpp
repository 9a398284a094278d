// sdk_handler.cpp - the same handler, as C++.
#include "sdk_handler.c"
