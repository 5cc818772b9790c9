// Runs the functions of memory.mlir between pages that cannot be accessed.
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __x86_64__
void tail(const uint32_t *a, const uint32_t *b, uint32_t *to, uint16_t lanes);
void look_up(const uint32_t *table, const int32_t *indices, uint32_t *to);
#else
void planes(const uint8_t *from, uint8_t *even, uint8_t *odd);
#endif

enum { PAGE = 4096 };

// The end of a page, behind which nothing can be accessed.
static uint8_t *page_end(void) {
    uint8_t *pages = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + PAGE, PAGE, PROT_NONE);
    return pages + PAGE;
}

int main(void) {
    uint8_t *ends[3] = {page_end(), page_end(), page_end()};
#ifdef __x86_64__
    for (unsigned left = 0; left <= 16; left++) {
        uint32_t *a = (uint32_t *)ends[0] - left, *b = (uint32_t *)ends[1] - left, *to = (uint32_t *)ends[2] - left;
        to[-1] = 77;
        for (unsigned i = 0; i < left; i++)
            a[i] = 1000 * i, b[i] = 0xfffffff0u + i, to[i] = 0;
        tail(a, b, to, (uint16_t)((1u << left) - 1));
        for (unsigned i = 0; i < left; i++)
            if (to[i] != a[i] + b[i])
                return 1;
        if (to[-1] != 77)
            return 2;
    }
    int32_t indices[16];
    uint32_t words[16], *table = (uint32_t *)ends[0] - 8;
    for (int i = 0; i < 16; i++)
        indices[i] = i % 2 ? i / 2 : -(i / 2);
    for (int i = -8; i < 8; i++)
        table[i] = 100 + (uint32_t)i;
    look_up(table, indices, words);
    for (int i = 0; i < 16; i++)
        if (words[i] != 100 + (uint32_t)indices[i])
            return 3;
#else
    uint8_t *from = ends[0] - 16, *even = ends[1] - 8, *odd = ends[2] - 8;
    for (int i = 0; i < 16; i++)
        from[i] = (uint8_t)(7 * i);
    planes(from, even, odd);
    for (int i = 0; i < 8; i++)
        if (even[i] != from[2 * i] || odd[i] != from[2 * i + 1])
            return 4;
#endif
    return 0;
}
