// Sums and differences that stay at the ends of their range.

#include <stddef.h>
#include <stdint.h>

void sat_add_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned s = a[i] + b[i];
        r[i] = s > 255 ? 255 : s;
    }
}

void sat_sub_u8(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int d = a[i] - b[i];
        r[i] = d < 0 ? 0 : d;
    }
}

void sat_add_i8(int8_t *restrict r, const int8_t *restrict a, const int8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int s = a[i] + b[i];
        r[i] = s > 127 ? 127 : s < -128 ? -128 : s;
    }
}

void sat_add_i16(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int s = a[i] + b[i];
        r[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s;
    }
}

void sat_sub_i16(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int s = a[i] - b[i];
        r[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s;
    }
}

void sat_add_u16_by_compare(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t s = a[i] + b[i];
        r[i] = s < a[i] ? 0xffff : s;
    }
}

void sat_add_u32_by_mask(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t s = a[i] + b[i];
        r[i] = s | -(uint32_t)(s < a[i]);
    }
}

void sat_sub_u32_by_mask(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t d = a[i] - b[i];
        r[i] = d & -(uint32_t)(d <= a[i]);
    }
}

void sat_sub_u16_by_max(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t m = a[i] > b[i] ? a[i] : b[i];
        r[i] = m - b[i];
    }
}

void sat_double_u8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] & 0x80 ? 255 : (uint8_t)(a[i] << 1);
    }
}
