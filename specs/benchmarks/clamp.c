// Numbers brought into a range.

#include <stddef.h>
#include <stdint.h>

void clamp_i32_to_u8(uint8_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < 0 ? 0 : a[i] > 255 ? 255 : a[i];
    }
}

void clamp_i16_to_u8(uint8_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < 0 ? 0 : a[i] > 255 ? 255 : a[i];
    }
}

void clamp_i16_to_i8(int8_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < -128 ? -128 : a[i] > 127 ? 127 : a[i];
    }
}

void clamp_in_place(int16_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < -1000 ? -1000 : a[i] > 1000 ? 1000 : a[i];
    }
}

void clamp_by_mask(uint8_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] & ~0xff ? ~a[i] >> 15 : a[i];
    }
}

void relu_i16(int16_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] & ~(a[i] >> 15);
    }
}

void round_shift_clamp(uint8_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t x = (a[i] + 32) >> 6;
        r[i] = x < 0 ? 0 : x > 255 ? 255 : x;
    }
}

void range_test(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >= '0' && a[i] <= '9' ? 0xff : 0;
    }
}
