// Classes of characters, and numbers in text.

#include <stddef.h>
#include <stdint.h>

void is_digit(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >= '0' && a[i] <= '9';
    }
}

void is_letter(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] >= 'a' && a[i] <= 'z') || (a[i] >= 'A' && a[i] <= 'Z');
    }
}

void is_space(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] == ' ') | (a[i] == '\t') | (a[i] == '\n') | (a[i] == '\r');
    }
}

void lower_case(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >= 'A' && a[i] <= 'Z' ? a[i] | 0x20 : a[i];
    }
}

void swap_case(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] | 0x20) >= 'a' && (a[i] | 0x20) <= 'z' ? a[i] ^ 0x20 : a[i];
    }
}

void hex_digit(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] < 10 ? a[i] + '0' : a[i] + 'a' - 10;
    }
}

void hex_value(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & 15) + (a[i] >> 6) * 9;
    }
}

void continues_utf8(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & 0xc0) == 0x80;
    }
}

void two_digits(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[2 * i] * 10 + a[2 * i + 1] - 11 * '0';
    }
}

void printable_or_dot(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] >= 32 && a[i] < 127 ? a[i] : '.';
    }
}

void widen_latin1(uint16_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i];
    }
}

void is_ascii(uint8_t *restrict r, const uint8_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = (a[i] & 0x80) == 0;
    }
}
