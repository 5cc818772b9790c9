// Shifts by constants and by elements, and what stands for extensions.

#include <stddef.h>
#include <stdint.h>

void shift_each_u32(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << (b[i] & 31);
    }
}

void shift_each_right_i32(int32_t *restrict r, const int32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> (b[i] & 31);
    }
}

void shift_or_zero_u32(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = b[i] < 32 ? a[i] >> b[i] : 0;
    }
}

void shift_each_u16(uint16_t *restrict r, const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint16_t)(a[i] << (b[i] & 15));
    }
}

void shift_bytes(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 3;
    }
}

void shift_signed_bytes(int8_t *restrict r, const int8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 2;
    }
}

void low_bits_signed(int32_t *restrict r, const int32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int32_t)((uint32_t)a[i] << 20) >> 20;
    }
}

void low_bits(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 12 >> 12;
    }
}

void sign_of_nibble(int8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int8_t)((a[i] & 15 ^ 8) - 8);
    }
}

void mask_of_bit(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] & 4 ? 255 : 0;
    }
}

void mask_of_sign(int16_t *restrict r, const int16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < 0 ? -1 : 0;
    }
}

void bit_at(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = 1u << (a[i] & 31);
    }
}

void field_of_bits(uint32_t *restrict r, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 9 & 0x1f;
    }
}

void put_field(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & ~0x3e00u) | (b[i] & 0x1f) << 9;
    }
}

void shift_left_saturating(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] > 63 ? 255 : (uint8_t)(a[i] << 2);
    }
}
