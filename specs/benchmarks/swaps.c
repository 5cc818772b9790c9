// The order of bytes.

#include <stddef.h>
#include <stdint.h>

void swap_u16(uint16_t *restrict r, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 8 | a[i] >> 8;
    }
}

void swap_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = a[i];
        x = (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
        r[i] = x << 16 | x >> 16;
    }
}

void swap_u64(uint64_t *restrict r, const uint64_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = a[i];
        x = (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
        x = (x & 0x0000ffff0000ffffu) << 16 | (x >> 16 & 0x0000ffff0000ffffu);
        r[i] = x << 32 | x >> 32;
    }
}

void swap_halves_of_u32(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 16 | a[i] >> 16;
    }
}

void swap_bytes_in_halves(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & 0x00ff00ff) << 8 | (a[i] >> 8 & 0x00ff00ff);
    }
}

void big_endian_u16(uint16_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[2 * i] << 8 | a[2 * i + 1];
    }
}
