// Tricks with bits.

#include <stddef.h>
#include <stdint.h>

void rotate_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 7 | a[i] >> 25;
    }
}

void merge_bits(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] ^ ((a[i] ^ b[i]) & m[i]);
    }
}

void majority(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & b[i]) | (a[i] & c[i]) | (b[i] & c[i]);
    }
}

void exclusive_by_or(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] | b[i]) - (a[i] & b[i]);
    }
}

void sum_by_logic(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] ^ b[i]) + 2 * (a[i] & b[i]);
    }
}

void or_by_sum(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & ~b[i]) + b[i];
    }
}

void lowest_bit(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] & -a[i];
    }
}

void without_lowest(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] & (a[i] - 1);
    }
}

void nibbles(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)(a[i] << 4) | a[i] >> 4;
    }
}

void next_power(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i] - 1;
        x |= x >> 1;
        x |= x >> 2;
        x |= x >> 4;
        x |= x >> 8;
        x |= x >> 16;
        r[i] = x + 1;
    }
}

void parity_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x ^= x >> 4;
        x ^= x >> 2;
        x ^= x >> 1;
        r[i] = x & 1;
    }
}

void interleave_bits(uint16_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t x = a[i];
        x = (x | x << 4) & 0x0f0f;
        x = (x | x << 2) & 0x3333;
        r[i] = (x | x << 1) & 0x5555;
    }
}

void reverse_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x = (x & 0xf0) >> 4 | (x & 0x0f) << 4;
        x = (x & 0xcc) >> 2 | (x & 0x33) << 2;
        r[i] = (x & 0xaa) >> 1 | (x & 0x55) << 1;
    }
}

void top_bits(uint32_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[4 * i + 3] >> 6;
    }
}
