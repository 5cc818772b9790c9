// Colors from one form to another.

#include <stddef.h>
#include <stdint.h>

void to_gray(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (77 * a[3 * i] + 150 * a[3 * i + 1] + 29 * a[3 * i + 2] + 128) >> 8;
    }
}

void gray_of_planes(uint8_t *restrict r, const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (77 * a[i] + 150 * b[i] + 29 * c[i] + 128) >> 8;
    }
}

void to_565(uint16_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] >> 8 & 0xf800) | (a[i] >> 5 & 0x07e0) | (a[i] >> 3 & 0x001f);
    }
}

void from_565(uint32_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i];
        r[i] = (x & 0xf800) << 8 | (x & 0x07e0) << 5 | (x & 0x001f) << 3;
    }
}

void swap_red_and_blue(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & 0xff00ff00) | (a[i] & 0xff) << 16 | (a[i] >> 16 & 0xff);
    }
}

void opaque(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 8 >> 8 | 0xff000000;
    }
}

void alpha(uint8_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 24;
    }
}

void invert(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = 255 - a[i];
    }
}
