// Numbers of ones and of leading zeros.

#include <stddef.h>
#include <stdint.h>

void ones_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x = x - ((x >> 1) & 0x55);
        x = (x & 0x33) + ((x >> 2) & 0x33);
        r[i] = (x + (x >> 4)) & 0x0f;
    }
}

void ones_u16(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t x = a[i];
        x = x - ((x >> 1) & 0x5555);
        x = (x & 0x3333) + ((x >> 2) & 0x3333);
        x = (x + (x >> 4)) & 0x0f0f;
        r[i] = (x + (x >> 8)) & 0x1f;
    }
}

void ones_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i];
        x = (x & 0x55555555) + ((x >> 1) & 0x55555555);
        x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
        x = (x & 0x07070707) + ((x >> 4) & 0x07070707);
        x = (x & 0x000f000f) + ((x >> 8) & 0x000f000f);
        r[i] = (x & 0x1f) + (x >> 16);
    }
}

void distance_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i] ^ b[i];
        x = x - ((x >> 1) & 0x55);
        x = (x & 0x33) + ((x >> 2) & 0x33);
        r[i] = (x + (x >> 4)) & 0x0f;
    }
}

void leading_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] ? __builtin_clz(a[i]) - 24 : 8;
    }
}

void zeros_below(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t x = ~a[i] & (a[i] - 1);
        r[i] = __builtin_popcount(x);
    }
}
