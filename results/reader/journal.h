/*
 * journal.h - whether a rollback journal of SQLite belongs to the database that it stands beside. Its format
 * is in "Database File Format" (sqlite.org/fileformat.html), section 3.
 */
#ifndef RESULTS_JOURNAL_H
#define RESULTS_JOURNAL_H

enum ls_journal {
    LS_JOURNAL_FITS,
    LS_JOURNAL_NAMES_A_FILE, /* another journal, which SQLite would remove;
                              * Lanescope writes no such journals */
    LS_JOURNAL_FOREIGN,      /* of another database: its pages would stand among those of this one */
    LS_JOURNAL_UNREADABLE,
};

/* Both files are only read. A journal that has not saved the first page is not told from one of another
 * database. */
enum ls_journal ls_journal_judge(const char *journal, const char *database);

#endif
