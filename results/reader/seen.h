/* seen.h - which recordings were read already: one that is given twice would count twice. */
#ifndef RESULTS_SEEN_H
#define RESULTS_SEEN_H

struct ls_seen_recording;

/* Recordings by the guids of their processes; begins as {0}. */
struct ls_seen {
    struct ls_seen_recording *table;
};

/* What was entered with the guid; NULL: it is new, or "", which is nobody's. */
const char *ls_seen_before(const struct ls_seen *s, const char *guid);
/* Enters a guid with the file that it is from; one that is there already keeps its first file. */
void ls_seen_enter(struct ls_seen *s, const char *guid, const char *file);
void ls_seen_free(struct ls_seen *s);

#endif
