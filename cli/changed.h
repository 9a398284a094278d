/* changed.h - sources that were edited since they were recorded. */
#ifndef CLI_CHANGED_H
#define CLI_CHANGED_H

#include "profile.h"

/* Tells on stderr which of the profile's source files hold another text now, where they can be read here. */
void tell_changed_sources(const struct ls_profile *p);

#endif
