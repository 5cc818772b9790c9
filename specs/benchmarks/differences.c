// Absolute values and differences.

#include <stddef.h>
#include <stdint.h>

void difference_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    }
}

void difference_u16(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    }
}

void difference_by_max(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i] > b[i] ? a[i] : b[i], y = a[i] > b[i] ? b[i] : a[i];
        r[i] = x - y;
    }
}

void difference_by_int(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int d = a[i] - b[i];
        r[i] = d < 0 ? -d : d;
    }
}

void difference_by_saturation(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int x = a[i] - b[i], y = b[i] - a[i];
        r[i] = (x < 0 ? 0 : x) | (y < 0 ? 0 : y);
    }
}

void magnitude_i32(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t m = a[i] >> 31;
        r[i] = (a[i] ^ m) - m;
    }
}

void magnitude_i16(int16_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int16_t m = a[i] >> 15;
        r[i] = (a[i] + m) ^ m;
    }
}

void sign_i32(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] > 0) - (a[i] < 0);
    }
}

void sign_by_shifts(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] >> 31) | (int32_t)((uint32_t)-a[i] >> 31);
    }
}
