// Averages, rounded in several ways.

#include <stddef.h>
#include <stdint.h>

void average_up_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + b[i] + 1) >> 1;
    }
}

void average_up_u16(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = ((uint32_t)a[i] + b[i] + 1) >> 1;
    }
}

void average_down_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + b[i]) >> 1;
    }
}

void average_down_by_bits(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & b[i]) + ((a[i] ^ b[i]) >> 1);
    }
}

void average_up_by_bits(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] | b[i]) - ((a[i] ^ b[i]) >> 1);
    }
}

void average_i16(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + b[i] + 1) >> 1;
    }
}

void average_of_four(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + a[i + 1] + b[i] + b[i + 1] + 2) >> 2;
    }
}

void average_twice(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t m = (a[i] + c[i]) >> 1;
        r[i] = (m + b[i] + 1) >> 1;
    }
}

void three_to_one(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (3 * a[i] + b[i] + 2) >> 2;
    }
}
