// Comparisons and what they choose.

#include <stddef.h>
#include <stdint.h>

void equal_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] == b[i] ? 0xff : 0;
    }
}

void less_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < b[i] ? 0xff : 0;
    }
}

void less_i32(int32_t *restrict r, const int32_t *restrict a, const int32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < b[i] ? -1 : 0;
    }
}

void choose(int32_t *restrict r, const int32_t *restrict a, const int32_t *restrict b, const int32_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = c[i] < 0 ? a[i] : b[i];
    }
}

void choose_by_mask(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const int8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t m = c[i] >> 7;
        r[i] = (a[i] & m) | (b[i] & ~m);
    }
}

void negative_count(uint8_t *restrict r, const int8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)a[i] >> 7;
    }
}

void negate_where(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = b[i] < 0 ? -a[i] : a[i];
    }
}

void any_zero_byte(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] - 0x01010101) & ~a[i] & 0x80808080;
    }
}

void upper_case(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] - ((a[i] >= 'a' && a[i] <= 'z') << 5);
    }
}

void threshold(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] > 100 ? 255 : 0;
    }
}
