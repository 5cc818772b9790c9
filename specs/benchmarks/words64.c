// Elements of 64 bits, and halves of products.

#include <stddef.h>
#include <stdint.h>

void low_times_low(uint64_t *restrict r, const uint64_t *restrict a, const uint64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & 0xffffffff) * (b[i] & 0xffffffff);
    }
}

void signed_low_times_low(int64_t *restrict r, const int64_t *restrict a, const int64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int64_t)(int32_t)a[i] * (int32_t)b[i];
    }
}

void high_of_product_u32(uint32_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint32_t)(((uint64_t)a[i] * b[i]) >> 32);
    }
}

void high_of_product_i32(int32_t *restrict r, const int32_t *restrict a, const int32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (int32_t)(((int64_t)a[i] * b[i]) >> 32);
    }
}

void rotate_u64(uint64_t *restrict r, const uint64_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 13 | a[i] >> 51;
    }
}

void magnitude_i64(int64_t *restrict r, const int64_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < 0 ? -a[i] : a[i];
    }
}

void sign_of_i64(int64_t *restrict r, const int64_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >> 63;
    }
}

void least_i64(int64_t *restrict r, const int64_t *restrict a, const int64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < b[i] ? a[i] : b[i];
    }
}

void greatest_u64(uint64_t *restrict r, const uint64_t *restrict a, const uint64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] > b[i] ? a[i] : b[i];
    }
}

void swap_halves_of_u64(uint64_t *restrict r, const uint64_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] << 32 | a[i] >> 32;
    }
}

void join_words(uint64_t *restrict r, const uint32_t *restrict a, const uint32_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (uint64_t)a[i] << 32 | b[i];
    }
}

void carry_of_sum(uint64_t *restrict r, const uint64_t *restrict a, const uint64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] + b[i] < a[i];
    }
}

void borrow_of_difference(uint64_t *restrict r, const uint64_t *restrict a, const uint64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < b[i];
    }
}

void ones_u64(uint64_t *restrict r, const uint64_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = a[i];
        x = x - (x >> 1 & 0x5555555555555555);
        x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
        x = x * 0x0101010101010101 >> 56;
        r[i] = x;
    }
}

void sat_add_u64(uint64_t *restrict r, const uint64_t *restrict a, const uint64_t *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t s = a[i] + b[i];
        r[i] = s < a[i] ? ~(uint64_t)0 : s;
    }
}
