/* The runner without a library: the job stream of runner.c for an emulator's Linux system calls.
 *
 * A signal is not caught: it ends the program, and the emulator with it. Jobs and replies are kept
 * in memory as a whole, for the other side writes a job before it reads the reply. */
#include <stddef.h>
#include <stdint.h>

typedef void (*hydride_wrapper)(const unsigned char *, unsigned char *, unsigned);
extern const hydride_wrapper *const hydride_chunks[];
extern const unsigned hydride_chunk_sizes[];
extern const unsigned hydride_chunk_count;

enum { ARGS = 64, RESULTS = 8, SLOT = HYDRIDE_SLOT, NO_WRAPPER = 254, SECONDS = 20 };

/* Linux's generic system calls, which both machines have. */
enum {
    READ = 63, WRITE = 64, EXIT = 93, SET_TIMER = 103, SET_LIMIT = 164, BREAK = 214, PROTECT = 226
};

#if defined(__hexagon__)
static long call(long number, long first, long second, long third) {
    register long r0 __asm__("r0") = first;
    register long r1 __asm__("r1") = second;
    register long r2 __asm__("r2") = third;
    register long r6 __asm__("r6") = number;
    __asm__ volatile("trap0(#1)" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r6) : "memory");
    return r0;
}
__asm__(".globl _start\n.p2align 4\n_start:\n{ call hydride_main }\n");
#elif defined(__aarch64__)
static long call(long number, long first, long second, long third) {
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x8 __asm__("x8") = number;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
    return x0;
}
__asm__(".globl _start\n.p2align 4\n_start:\nbl hydride_main\n");
#else
#error "no system calls for this machine"
#endif

static unsigned char in[ARGS * SLOT] __attribute__((aligned(SLOT)));
static unsigned char out[RESULTS * SLOT] __attribute__((aligned(SLOT)));

/* The compiler calls these even without a library. The barriers keep it from finding them here. */
void *memcpy(void *to, const void *from, size_t size) {
    unsigned char *byte = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < size; i++) {
        byte[i] = source[i];
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    unsigned char *byte = to;
    for (size_t i = 0; i < size; i++) {
        byte[i] = (unsigned char)value;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

static void copy(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) to[i] = from[i];
}

static int get(void *to, size_t size) {
    unsigned char *byte = to;
    while (size) {
        long done = call(READ, 0, (long)byte, (long)size);
        if (done <= 0) return 0;
        byte += done;
        size -= (size_t)done;
    }
    return 1;
}

static int put(const void *from, size_t size) {
    const unsigned char *byte = from;
    while (size) {
        long done = call(WRITE, 1, (long)byte, (long)size);
        if (done <= 0) return 0;
        byte += done;
        size -= (size_t)done;
    }
    return 1;
}

/* The middle of memory whose pages cannot be accessed, three for each operand. */
static uintptr_t hydride_reserve(void) {
    enum { REGION = 3 * HYDRIDE_PAGE };
    static unsigned char regions[4 * REGION] __attribute__((aligned(HYDRIDE_PAGE)));
    static unsigned used;
    uintptr_t start = (uintptr_t)(regions + REGION * used++);
    call(PROTECT, (long)start, REGION, 0);
    return start + HYDRIDE_PAGE;
}

/* Lets a page be accessed, or not any more. */
static void hydride_protect(uintptr_t page, int access) { call(PROTECT, (long)page, HYDRIDE_PAGE, access ? 3 : 0); }

/* So many bytes, the same ones for every job. */
static uint64_t *memory(size_t size) {
    static uintptr_t start, end;
    if (!start) start = end = ((uintptr_t)call(BREAK, 0, 0, 0) + 255) & ~(uintptr_t)255;
    if (end - start < size) {
        uintptr_t wanted = start + size;
        end = (uintptr_t)call(BREAK, (long)wanted, 0, 0);
        if (end < wanted) return 0;
    }
    return (uint64_t *)start;
}

/* One job; 0 to go on. */
static int job(void) {
    uint32_t header[6], sizes[ARGS + RESULTS];
    if (!get(header, sizeof header)) return 1;
    uint32_t inputs = header[2], args = header[3], results = header[4];
    if (args > ARGS || results > RESULTS || !get(sizes, 4 * (args + results))) return 2;
    size_t record = 1, reply = 0;
    for (uint32_t i = 0; i < args + results; i++) {
        if (sizes[i] > SLOT / 8) return 2;
        if (i < args) record += sizes[i]; else reply += sizes[i];
    }
    uint64_t *records = memory(8 * (record + reply) * inputs + 8);
    if (!records || !get(records, 8 * record * inputs)) return 2;
    uint64_t *replies = records + record * inputs;
    hydride_wrapper wrapper = 0;
    if (header[0] < hydride_chunk_count && header[1] < hydride_chunk_sizes[header[0]])
        wrapper = hydride_chunks[header[0]][header[1]];
    uint32_t answer[2] = { wrapper ? 0 : NO_WRAPPER, 0 };
    long timer[4] = { 0, 0, SECONDS, 0 };
    memset(in, 0, sizeof in);
    call(SET_TIMER, 0, (long)timer, 0);
    for (uint32_t k = 0; wrapper && k < inputs; k++) {
        const uint64_t *next = records + record * k;
        unsigned selector = (unsigned)*next++;
        for (uint32_t i = 0; i < args; next += sizes[i], i++) copy((uint64_t *)(in + SLOT * i), next, sizes[i]);
        for (uint32_t i = 0; i < SLOT / 8 * results; i++) ((uint64_t *)out)[i] = 0;
        wrapper(in, out, selector);
        uint64_t *place = replies + reply * k;
        for (uint32_t i = 0; i < results; place += sizes[args + i], i++)
            copy(place, (const uint64_t *)(out + SLOT * i), sizes[args + i]);
    }
    timer[2] = 0;
    call(SET_TIMER, 0, (long)timer, 0);
    if (!put(answer, sizeof answer)) return 2;
    return !answer[0] && !put(replies, 8 * reply * inputs) ? 2 : 0;
}

__attribute__((used, noreturn)) void hydride_main(void) {
    int status;
    /* An emulator would leave a core file in the present folder. */
    enum { CORE = 4 };
    unsigned long none[2] = { 0, 0 };
    call(SET_LIMIT, CORE, (long)none, 0);
    do status = job(); while (!status);
    for (;;) call(EXIT, status == 1 ? 0 : status, 0, 0);
}
