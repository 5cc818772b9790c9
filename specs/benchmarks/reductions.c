// Least and greatest numbers, and sums.

#include <stddef.h>
#include <stdint.h>

void least_i32(int32_t *restrict r, const int32_t *restrict a, const int32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = b[i] ^ ((a[i] ^ b[i]) & -(a[i] < b[i]));
    }
}

void greatest_u16(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] + (a[i] < b[i] ? b[i] - a[i] : 0);
    }
}

void median(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t x = a[i] < b[i] ? a[i] : b[i], y = a[i] < b[i] ? b[i] : a[i];
        uint8_t z = y < c[i] ? y : c[i];
        r[i] = x > z ? x : z;
    }
}

uint32_t sum_u8(const uint8_t *a, size_t n)
{
    uint32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += a[i];
    }
    return r;
}

int32_t sum_i16(const int16_t *a, size_t n)
{
    int32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += a[i];
    }
    return r;
}

int32_t dot_i16(const int16_t *a, const int16_t *b, size_t n)
{
    int32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += a[i] * b[i];
    }
    return r;
}

int32_t dot_u8_i8(const uint8_t *a, const int8_t *b, size_t n)
{
    int32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += a[i] * b[i];
    }
    return r;
}

uint32_t sad_u8(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    }
    return r;
}

uint8_t greatest_of_u8(const uint8_t *a, size_t n)
{
    uint8_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r = a[i] > r ? a[i] : r;
    }
    return r;
}

int16_t least_of_i16(const int16_t *a, size_t n)
{
    int16_t r = 32767;
    for (size_t i = 0; i < n; i++) {
        r = a[i] < r ? a[i] : r;
    }
    return r;
}

uint32_t count_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += a[i] == b[i];
    }
    return r;
}

uint32_t all_ones(const uint32_t *a, size_t n)
{
    uint32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += __builtin_popcount(a[i]);
    }
    return r;
}
