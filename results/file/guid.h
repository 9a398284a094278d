/* guid.h - names of recordings that no other recording has. */
#ifndef RESULTS_GUID_H
#define RESULTS_GUID_H

enum { LS_GUID = 37 };

/* A UUID of version 7 (RFC 9562) as text. */
void ls_make_guid(char out[LS_GUID]);

#endif
