// Runs a function of two shared objects on the same buffers, and prints `same` or `differs`. If there are pairs it then runs them
// in turn, and prints the median of its times in each in nanoseconds, and the median of the quotients of the second and the
// first time of each pair.
//
//     measure BEFORE.so AFTER.so NAME KINDS PAIRS
//
// KINDS has a letter for each parameter: `p` is a buffer, `n` a number of elements, `i` another integer; a digit before them says
// how many bytes of a general register are a result. What is beyond a buffer is not caught: such a function ends the program.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Buffers begin at other places of pages and of caches, where they do not get in each other's way.
enum { MOST = 10, BYTES = (1 << 18) + 4096 + 320, START = 4096, COUNT = 1024, OTHER = 100, SECONDS = 20, KINDS = 4 };

typedef long Function(long, long, long, long, long, long, long, long, long, long);

static long arguments[MOST];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static double run(Function *function, long times)
{
    const long *a = arguments;
    double start = now();
    for (long i = 0; i < times; i++) {
        function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
    }
    return (now() - start) / times;
}

// The least of a few, so that neither a first run nor another program counts.
static double least(Function *function, long times)
{
    double best = run(function, times);
    for (int i = 0; i < 4; i++) {
        double other = run(function, times);
        best = other < best ? other : best;
    }
    return best;
}

static Function *find(const char *path, const char *name)
{
    void *object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    void *function = object ? dlsym(object, name) : NULL;
    if (!function) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return (Function *)function;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, count, sizeof *values, order);
    return values[count / 2];
}

// The same random bytes for each run; of each second kind few different ones, so that comparisons of neighbors go both ways.
static void fill(unsigned char *buffers, int kind)
{
    uint64_t state = kind + 1;
    for (int i = 0; i < MOST * BYTES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        buffers[i] = kind % 2 ? (state >> 62) * 85 : state >> 56;
    }
}

static int is_same(Function *before, Function *after, unsigned char *buffers, unsigned char *copy, size_t result)
{
    const long *a = arguments;
    for (int kind = 0; kind < KINDS; kind++) {
        fill(buffers, kind);
        long first = before(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
        memcpy(copy, buffers, MOST * BYTES);
        fill(buffers, kind);
        long second = after(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
        if (memcmp(&first, &second, result) || memcmp(copy, buffers, MOST * BYTES)) {
            return 0;
        }
    }
    return 1;
}

int main(int count, char **given)
{
    if (count != 6 || strlen(given[4]) > MOST + 1) {
        return 2;
    }
    alarm(SECONDS);
    Function *before = find(given[1], given[3]), *after = find(given[2], given[3]);
    unsigned char *buffers = aligned_alloc(64, MOST * BYTES), *copy = malloc(MOST * BYTES);
    if (!buffers || !copy) {
        return 1;
    }
    int has_result = given[4][0] >= '0' && given[4][0] <= '8';
    const char *kinds = given[4] + has_result;
    size_t result = has_result ? given[4][0] - '0' : 0;
    for (int at = 0; kinds[at]; at++) {
        switch (kinds[at]) {
        case 'p':
            arguments[at] = (long)(buffers + at * BYTES + START);
            break;
        case 'n':
            arguments[at] = COUNT;
            break;
        default:
            arguments[at] = OTHER;
        }
    }
    printf("%s\n", is_same(before, after, buffers, copy, result) ? "same" : "differs");
    int pairs = atoi(given[5]);
    if (!pairs) {
        return 0;
    }
    fill(buffers, 0);
    long times = 1;
    while (least(before, times) * times < 20000 && times < 1 << 20) {
        times *= 2;
    }
    double *first = malloc(pairs * sizeof *first), *second = malloc(pairs * sizeof *second);
    double *quotients = malloc(pairs * sizeof *quotients);
    for (int i = 0; i < pairs; i++) {
        // Each is the first one as often as the other.
        double early = run(i % 2 ? after : before, times), late = run(i % 2 ? before : after, times);
        first[i] = i % 2 ? late : early;
        second[i] = i % 2 ? early : late;
        quotients[i] = second[i] / first[i];
    }
    printf("%f %f %f\n", median(first, pairs), median(second, pairs), median(quotients, pairs));
    return 0;
}
