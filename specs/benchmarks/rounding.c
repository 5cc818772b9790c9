// Fixed-point numbers: rounding shifts, products and quotients by constants.

#include <stddef.h>
#include <stdint.h>

void round_shift_u16(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + 8u) >> 4;
    }
}

void round_shift_i16(int16_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + 32) >> 6;
    }
}

void round_by_last_bit(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] >> 3) + (a[i] >> 2 & 1);
    }
}

void round_narrow_u16(uint8_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)((a[i] + 128u) >> 8);
    }
}

void shift_towards_zero(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] / 8;
    }
}

void remainder_of_eight(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] % 8;
    }
}

void divide_by_three(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] / 3;
    }
}

void divide_by_255(uint8_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)((a[i] + 128 + ((a[i] + 128) >> 8)) >> 8);
    }
}

void divide_by_ten_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] / 10;
    }
}

void q15_product(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int16_t)(((int32_t)a[i] * b[i]) >> 15);
    }
}

void q15_product_rounded(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int16_t)(((int32_t)a[i] * b[i] + 0x4000) >> 15);
    }
}

void q7_product(int8_t *restrict r, const int8_t *restrict a, const int8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int8_t)(((int16_t)a[i] * b[i] + 64) >> 7);
    }
}

void q31_product(int32_t *restrict r, const int32_t *restrict a, const int32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int32_t)(((int64_t)a[i] * b[i]) >> 31);
    }
}

void ceiling_of_half(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] >> 1) + (a[i] & 1);
    }
}

void to_multiple_of_16(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + 15) & ~15u;
    }
}

void mean_of_three(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)((a[i] + 2 * b[i] + c[i] + 2) >> 2);
    }
}
