/* quantity.h - numbers as users write them: in settings and in the options of handlers alike. */
#ifndef LANESCOPE_QUANTITY_H
#define LANESCOPE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

/* Decimal digits only: strtoull would take signs, spaces, and octal numbers. Returns what follows, or NULL: there is none, or
 * it is too large. */
static inline const char *lanescope_digits(const char *s, uint64_t *value)
{
    uint64_t v = 0;
    if (*s < '0' || *s > '9')
        return NULL;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return NULL;
    *value = v;
    return s;
}

/* Digits, perhaps with K, M or G (powers of 1024, also small) behind them. Likewise. */
static inline const char *lanescope_size(const char *s, uint64_t *value)
{
    s = lanescope_digits(s, value);
    if (!s)
        return NULL;
    const unsigned shift = *s == 'K' || *s == 'k'   ? 10
                           : *s == 'M' || *s == 'm' ? 20
                           : *s == 'G' || *s == 'g' ? 30
                                                    : 0;
    if (*value > UINT64_MAX >> shift)
        return NULL;
    *value <<= shift;
    return s + (shift != 0);
}

#endif
