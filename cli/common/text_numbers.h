/* text_numbers.h - a number for each of many texts. */
#ifndef CLI_TEXT_NUMBERS_H
#define CLI_TEXT_NUMBERS_H

#include <stddef.h>

/* NULL is an empty table. */
struct text_number;

/* The number of `text`, which is taken over; of a text that comes for the first time it is `first`. It can be changed, and
 * stays where it is until text_numbers_free. */
size_t *text_number(struct text_number **table, char *text, size_t first);
void text_numbers_free(struct text_number *table);

#endif
