// Sums and choices of several steps.

#include <stddef.h>
#include <stdint.h>

void sum_of_magnitudes(uint8_t *restrict r, const int8_t *restrict a, const int8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint8_t)((a[i] < 0 ? -a[i] : a[i]) + (b[i] < 0 ? -b[i] : b[i]));
    }
}

void range_of_three(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t low = a[i] < b[i] ? a[i] : b[i];
        uint8_t high = a[i] < b[i] ? b[i] : a[i];
        low = low < c[i] ? low : c[i];
        high = high > c[i] ? high : c[i];
        r[i] = (uint8_t)(high - low);
    }
}

void add_if_less(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < b[i] ? c[i] + 1 : c[i];
    }
}

void subtract_if_equal(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, const uint16_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint16_t)(c[i] - (a[i] == b[i]));
    }
}

void wrap_once(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >= 1000 ? a[i] - 1000 : a[i];
    }
}

void wrap_by_least(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] - b[i] < a[i] ? a[i] - b[i] : a[i];
    }
}

void add_modulo(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t s = a[i] + b[i];
        r[i] = (uint16_t)(s >= 3329 ? s - 3329 : s);
    }
}

void between(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < b[i] ? b[i] : a[i] > c[i] ? c[i] : a[i];
    }
}

void either_difference(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint16_t)((a[i] > b[i] ? a[i] - b[i] : 0) | (b[i] > a[i] ? b[i] - a[i] : 0));
    }
}

void not_of_sum(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = ~(a[i] + ~b[i]);
    }
}

void minus_by_not(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = ~a[i] + 1;
    }
}

void weighted_sum(uint16_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint16_t)(a[i] * 3 + b[i] * 5);
    }
}

void sum_of_squares(int32_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] * a[i] + b[i] * b[i];
    }
}

void product_of_sums(int32_t *restrict r, const int32_t *restrict a, const int32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] + b[i]) * (a[i] - b[i]);
    }
}

void equal_to_either(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] == b[i] || a[i] == c[i] ? 255 : 0;
    }
}

void keep_if_greater(int16_t *restrict r, const int16_t *restrict a, const int16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] > b[i] ? a[i] : 0;
    }
}
