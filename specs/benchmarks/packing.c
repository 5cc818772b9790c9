// Elements put together and taken apart.

#include <stddef.h>
#include <stdint.h>

void high_bytes(uint8_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 8;
    }
}

void low_bytes(uint8_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i];
    }
}

void high_halves(uint16_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 16;
    }
}

void join_bytes(uint16_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] | b[i] << 8;
    }
}

void join_halves(uint32_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] | (uint32_t)b[i] << 16;
    }
}

void even_bytes(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[2 * i];
    }
}

void odd_bytes_wide(uint16_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[2 * i + 1];
    }
}

void signed_low_halves(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int16_t)a[i];
    }
}

void unpack_nibbles(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[2 * i] = a[i] & 15;
        r[2 * i + 1] = a[i] >> 4;
    }
}
