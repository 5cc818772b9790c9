/* The runner: reads jobs on standard input, calls wrappers, writes their results on standard output.
 *
 * A job is a header of six 32-bit words { chunk, index, inputs, args, results, 0 }, the sizes of the
 * arguments and then of the results in 64-bit words (32 bits each), and `inputs` records of 64-bit
 * words: the selector of the immediates, then the arguments. The reply is { signal, input }, 32 bits
 * each, and when the signal is 0 the results of every input. All numbers have the host's order,
 * which is little endian. Arguments and results are passed to wrappers in slots of
 * HYDRIDE_SLOT bytes, 64 unless said otherwise. */
#ifndef HYDRIDE_SLOT
#define HYDRIDE_SLOT 64
#endif
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void (*hydride_wrapper)(const unsigned char *, unsigned char *, unsigned);
extern const hydride_wrapper *const hydride_chunks[];
extern const unsigned hydride_chunk_sizes[];
extern const unsigned hydride_chunk_count;

enum { ARGS = 64, RESULTS = 8, SLOT = HYDRIDE_SLOT, NO_WRAPPER = 254, SECONDS = 20 };

static sigjmp_buf back;
static volatile uint32_t current;
static unsigned char in[ARGS * SLOT] __attribute__((aligned(64)));
static unsigned char out[RESULTS * SLOT] __attribute__((aligned(64)));

static void on_signal(int number) { siglongjmp(back, number); }

static int get(void *to, size_t size) { return fread(to, 1, size, stdin) == size; }

static int put(const void *from, size_t size) { return fwrite(from, 1, size, stdout) == size; }

/* The middle of memory that cannot be accessed: 2^36 bytes are as far as 32-bit indices of 8-byte elements go. */
static uintptr_t hydride_reserve(void) {
    size_t size = (size_t)1 << 36;
    void *start = mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? 0 : ((uintptr_t)start + size / 2) & -(uintptr_t)HYDRIDE_PAGE;
}

/* Lets a page be accessed, or not any more. */
static void hydride_protect(uintptr_t page, int access) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    mmap((void *)page, HYDRIDE_PAGE, access ? PROT_READ | PROT_WRITE : PROT_NONE, flags, -1, 0);
}

int main(void) {
    static const int guarded[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGALRM };
    struct sigaction action = { .sa_handler = on_signal };
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) sigaction(guarded[i], &action, 0);
    uint32_t header[6], sizes[ARGS + RESULTS];
    while (get(header, sizeof header)) {
        uint32_t inputs = header[2], args = header[3], results = header[4];
        if (args > ARGS || results > RESULTS) return 2;
        if (!get(sizes, 4 * (args + results))) return 2;
        size_t record = 1, reply = 0;
        for (uint32_t i = 0; i < args + results; i++) {
            if (sizes[i] > SLOT / 8) return 2;
            if (i < args) record += sizes[i]; else reply += sizes[i];
        }
        uint64_t *records = malloc(8 * record * inputs + 8), *replies = malloc(8 * reply * inputs + 8);
        if (!records || !replies || !get(records, 8 * record * inputs)) return 2;
        hydride_wrapper wrapper = 0;
        if (header[0] < hydride_chunk_count && header[1] < hydride_chunk_sizes[header[0]])
            wrapper = hydride_chunks[header[0]][header[1]];
        memset(in, 0, sizeof in);
        current = 0;
        volatile uint32_t status = wrapper ? 0 : NO_WRAPPER;
        int number = sigsetjmp(back, 1);
        if (number) {
            status = (uint32_t)number;
        } else if (wrapper) {
            alarm(SECONDS);
            for (uint32_t k = 0; k < inputs; k++) {
                const uint64_t *next = records + record * k;
                unsigned selector = (unsigned)*next++;
                for (uint32_t i = 0; i < args; next += sizes[i], i++) memcpy(in + SLOT * i, next, 8 * sizes[i]);
                memset(out, 0, sizeof out);
                current = k;
                wrapper(in, out, selector);
                uint64_t *place = replies + reply * k;
                for (uint32_t i = 0; i < results; place += sizes[args + i], i++)
                    memcpy(place, out + SLOT * i, 8 * sizes[args + i]);
            }
        }
        alarm(0);
        uint32_t answer[2] = { status, current };
        if (!put(answer, sizeof answer)) return 2;
        if (!status && !put(replies, 8 * reply * inputs)) return 2;
        if (fflush(stdout)) return 2;
        free(records);
        free(replies);
    }
    return 0;
}
