#!/usr/bin/env python3
"""Prints the first 1201 binary digits of 2/pi as C words (most significant first) for ref_valu_f64.c.
Computed with Machin's formula in integer arithmetic; no input."""

GUARD = 200
BITS = 1201


def arctan_inverse(x, one):
    total = term = one // x
    n, sign = 3, -1
    while term:
        term //= x * x
        total += sign * (term // n)
        n, sign = n + 2, -sign
    return total


def main():
    one = 1 << (BITS + GUARD)
    pi = 4 * (4 * arctan_inverse(5, one) - arctan_inverse(239, one))
    digits = ((2 * one << BITS) // pi).to_bytes((BITS + 7) // 8 + 1, "big")
    value = int.from_bytes(digits, "big")  # 2/pi * 2^BITS
    words = (BITS + 63) // 64
    value <<= words * 64 - BITS
    for i in range(words):
        print("    0x%016x," % (value >> (64 * (words - 1 - i)) & (2**64 - 1)))


main()
