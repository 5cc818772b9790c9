// Steps of hashes, generators and codes.

#include <stddef.h>
#include <stdint.h>

void xorshift_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i];
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        r[i] = x;
    }
}

void mix_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i];
        x ^= x >> 16;
        x *= 0x7feb352d;
        x ^= x >> 15;
        r[i] = x;
    }
}

void choose_by_bits(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & b[i]) ^ (~a[i] & c[i]);
    }
}

void odd_of_three(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] ^ b[i] ^ c[i];
    }
}

void sigma_of_rotations(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] >> 7 | a[i] << 25) ^ (a[i] >> 18 | a[i] << 14) ^ a[i] >> 3;
    }
}

void add_rotate_xor(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = (a[i] + b[i]) ^ c[i];
        r[i] = x << 16 | x >> 16;
    }
}

void rotate_by_eight(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 8 | a[i] >> 24;
    }
}

void rotate_u16_by_eight(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint16_t)(a[i] << 8 | a[i] >> 8);
    }
}

void rotate_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)(a[i] << 3 | a[i] >> 5);
    }
}

void double_in_field(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)(a[i] << 1 ^ (a[i] >> 7) * 0x1b);
    }
}

void double_in_field_by_sign(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)(a[i] << 1 ^ ((int8_t)a[i] >> 7 & 0x1b));
    }
}

void of_gray(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i];
        x ^= x >> 4;
        x ^= x >> 2;
        x ^= x >> 1;
        r[i] = x;
    }
}

void swap_nibbles(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)(a[i] << 4 | a[i] >> 4);
    }
}

void swap_pairs_of_bits(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)((a[i] & 0x55) << 1 | (a[i] >> 1 & 0x55));
    }
}

void reverse_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i];
        x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
        x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
        x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
        x = (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
        r[i] = x << 16 | x >> 16;
    }
}
