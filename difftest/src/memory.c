/* Memory for wrappers, byte for byte: what an operation may not access cannot be accessed, and what it may
 * not write is checked. Each runner has this text at its end.
 *
 * An operand has a region of its own, of which no page can be accessed but those with the bytes of its plan: 64-bit
 * words { base, count } and `count` times { offset, place }. The pointer is `base` bytes above the region's middle. At
 * `offset` bytes from the pointer are bytes of the operand's contents: their number is in the high half of `place`,
 * the position of the first one in the low half. Later ones replace earlier ones at the same address. */
enum { OPERANDS = 4, PIECES = 80, PAGE = HYDRIDE_PAGE, MARGIN = 256, FILL = 0x5a };

typedef struct { uintptr_t from, length; uint32_t position; } piece;

static struct {
    uintptr_t middle, pages[2 * PIECES];
    unsigned mapped, count, bytes;
    piece pieces[PIECES];
    unsigned char contents[SLOT];
} operands[OPERANDS];

/* An operation accessed what it may not, or the other side asks for what there is not. */
static void wrong(void) { *(volatile unsigned char *)0 = 0; }

/* The bytes around a piece that share a page with it. */
static uintptr_t below(const piece *p) {
    uintptr_t page = p->from & -(uintptr_t)PAGE;
    return p->from - page < MARGIN ? page : p->from - MARGIN;
}

static uintptr_t above(const piece *p) {
    uintptr_t end = p->from + p->length, page = (end + PAGE - 1) & -(uintptr_t)PAGE;
    return page - end < MARGIN ? page : end + MARGIN;
}

void *hydride_map(unsigned number, const unsigned char *contents, unsigned bytes, const unsigned char *plan) {
    if (number >= OPERANDS || bytes > SLOT) wrong();
    uintptr_t needed[2 * PIECES];
    unsigned pages = 0;
    uint64_t words[2];
    memcpy(words, plan, sizeof words);
    if (words[1] > PIECES) wrong();
    if (!operands[number].middle) operands[number].middle = hydride_reserve();
    uintptr_t pointer = operands[number].middle + (uintptr_t)words[0];
    operands[number].count = (unsigned)words[1];
    operands[number].bytes = bytes;
    memcpy(operands[number].contents, contents, bytes);
    for (unsigned i = 0; i < operands[number].count; i++) {
        memcpy(words, plan + 16 * (i + 1), sizeof words);
        piece *p = &operands[number].pieces[i];
        p->from = pointer + (uintptr_t)words[0];
        p->length = (uintptr_t)(words[1] >> 32);
        p->position = (uint32_t)words[1];
        for (uintptr_t page = p->from & -(uintptr_t)PAGE; page < p->from + p->length; page += PAGE) {
            unsigned known = 0;
            while (known < pages && needed[known] != page) known++;
            if (known == pages) needed[pages++] = page;
        }
    }
    int same = pages == operands[number].mapped;
    for (unsigned i = 0; same && i < pages; i++) same = needed[i] == operands[number].pages[i];
    if (!same) {
        for (unsigned i = 0; i < operands[number].mapped; i++) hydride_protect(operands[number].pages[i], 0);
        for (unsigned i = 0; i < pages; i++) {
            hydride_protect(needed[i], 1);
            operands[number].pages[i] = needed[i];
        }
        operands[number].mapped = pages;
    }
    for (unsigned i = 0; i < operands[number].count; i++) {
        const piece *p = &operands[number].pieces[i];
        memset((void *)below(p), FILL, above(p) - below(p));
    }
    for (unsigned i = 0; i < operands[number].count; i++) {
        const piece *p = &operands[number].pieces[i];
        memcpy((void *)p->from, contents + p->position, p->length);
    }
    return (void *)pointer;
}

void hydride_unmap(unsigned number, unsigned char *contents) {
    unsigned char *own = operands[number].contents;
    for (unsigned i = 0; i < operands[number].count; i++) {
        const piece *p = &operands[number].pieces[i];
        memcpy(own + p->position, (const void *)p->from, p->length);
    }
    if (contents) memcpy(contents, own, operands[number].bytes);
    for (unsigned i = 0; i < operands[number].count; i++) {
        const piece *p = &operands[number].pieces[i];
        memset((void *)p->from, FILL, p->length);
    }
    for (unsigned i = 0; i < operands[number].count; i++) {
        const piece *p = &operands[number].pieces[i];
        for (uintptr_t at = below(p); at < above(p); at++)
            if (*(volatile unsigned char *)at != FILL) wrong();
    }
}
