// Products and their sums.

#include <stddef.h>
#include <stdint.h>

void multiply_high_i16(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int32_t)a[i] * b[i] >> 16;
    }
}

void multiply_high_u16(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint32_t)a[i] * b[i] >> 16;
    }
}

void multiply_round_i16(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = ((int32_t)a[i] * b[i] + 0x4000) >> 15;
    }
}

void multiply_by_255(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned p = a[i] * b[i] + 128;
        r[i] = (p + (p >> 8)) >> 8;
    }
}

void multiply_wide(int32_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] * b[i];
    }
}

void multiply_bytes(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] * b[i];
    }
}

void pairs(int32_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    }
}

void pair_differences(int32_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[2 * i] - a[2 * i + 1];
    }
}

void blend(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, uint8_t w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] * w + b[i] * (256 - w)) >> 8;
    }
}

void times_nine(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] << 3) + a[i];
    }
}
