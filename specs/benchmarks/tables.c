// Functions of a byte or of half of one, and values that a loop keeps for its next iteration.

#include <stddef.h>
#include <stdint.h>

void hexadecimal_digit(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t digit = a[i] & 15;
        r[i] = digit < 10 ? digit + '0' : digit + 'a' - 10;
    }
}

void gray_of_half(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i] & 15;
        x ^= x >> 2;
        x ^= x >> 1;
        r[i] = x * 17;
    }
}

void ones_of_byte(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x = x - ((x >> 1) & 0x55);
        x = (x & 0x33) + ((x >> 2) & 0x33);
        r[i] = (x + (x >> 4)) & 15;
    }
}

void parity_of_byte(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x ^= x >> 4;
        x ^= x >> 2;
        r[i] = (x ^ x >> 1) & 1;
    }
}

void swapped_pairs(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x = (x >> 1 & 0x55) | (x & 0x55) << 1;
        r[i] = (x >> 2 & 0x33) | (x & 0x33) << 2;
    }
}

void average_with_the_one_before(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    int before = a[0];
    for (size_t i = 0; i < n; i++) {
        int own = a[i];
        r[i] = (before + own + 1) >> 1;
        before = own;
    }
}

void difference_from_the_one_before(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    int before = a[0];
    for (size_t i = 0; i < n; i++) {
        int own = a[i], d = own - before;
        r[i] = d < 0 ? -d : d;
        before = own;
    }
}
