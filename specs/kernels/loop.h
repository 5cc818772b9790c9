// A kernel's loop as it is written and with synthesized code for its body, and a program that runs both.
//
// A kernel defines RESULT (the type of an element of the result), PARAMETERS (rows and scalars), ARGUMENTS (the same, from
// buffers `b` and integers `s`), BODY (the result's element `i`) and LEAVES (what its window reads from element `i` on). Where a
// step reads elements of later ones, AHEAD is how many of them there must be.
// With ORIGINAL this is the loop as it is written, with SYNTHESIZED the loop over the function of that name, which computes
// LANES elements; with neither it is the program, which times rows of ELEMENTS (1920 if the kernel defines no other number):
//
//     check N     compares the two on N random inputs of random sizes; exit code 1 when one differs
//     time N      N pairs of runs; prints the median time of each in nanoseconds, and the median of their quotients
//     once WHICH  one run of `original`, of `synthesized` or of neither, whose instructions can be counted

#include <stdint.h>

static inline int magnitude(int x) { return x < 0 ? -x : x; }
static inline int saturated(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
static inline uint8_t greatest(uint8_t x, uint8_t y) { return x > y ? x : y; }

void original(RESULT *restrict out, long n, PARAMETERS);
void synthesized(RESULT *restrict out, long n, PARAMETERS);

#if defined ORIGINAL

void original(RESULT *restrict out, long n, PARAMETERS) {
  for (long i = 0; i < n; i++) out[i] = BODY;
}

#elif defined SYNTHESIZED

#ifndef AHEAD
#define AHEAD 0
#endif

void synthesized(RESULT *restrict out, long n, PARAMETERS) {
  long i = 0;
#pragma clang loop unroll_count(4)
  for (; i + LANES + AHEAD <= n; i += LANES) SYNTHESIZED(out + i, LEAVES);
// Few are left, so that clang's own loop for them takes few at once.
#pragma clang loop vectorize_width(16) interleave_count(1)
  for (; i < n; i++) out[i] = BODY;
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A row that is timed.
#ifndef ELEMENTS
#define ELEMENTS 1920
#endif

// Buffers are no power of two apart, so that their rows do not compete for the same sets of a cache.
enum { BUFFERS = 9, BYTES = 16960, REPEATS = 200 };

static _Alignas(64) unsigned char memory[BUFFERS][BYTES];
static _Alignas(64) RESULT results[2][ELEMENTS + 64];
static uint64_t state = 1;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void fill(void *b[], int s[]) {
  for (int k = 0; k < BUFFERS; k++) {
    // All bytes at an end of their range in one input of four.
    int ends = next() % 4 == 0;
    for (int n = 0; n < BYTES; n++) {
      unsigned char byte = next() >> 32;
      memory[k][n] = ends ? (byte & 1 ? 0x80 : 0x7f) | (byte & 2 ? 0xff : 0) : byte;
    }
    b[k] = memory[k];
    s[k] = (int)(next() >> 32);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int ascending(const void *left, const void *right) {
  double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

int main(int count, char **arguments) {
  void *b[BUFFERS];
  int s[BUFFERS];
  if (count != 3) return 2;
  fill(b, s);
  if (strcmp(arguments[1], "check") == 0) {
    for (int number = 0, inputs = atoi(arguments[2]); number < inputs; number++) {
      fill(b, s);
      long n = (long)(next() % 300);
      memset(results, 0x5a, sizeof results);
      original(results[0], n, ARGUMENTS);
      synthesized(results[1], n, ARGUMENTS);
      if (memcmp(results[0], results[1], sizeof results[0]) != 0) {
        printf("input %d of %ld elements differs\n", number, n);
        return 1;
      }
    }
    return 0;
  }
  if (strcmp(arguments[1], "once") == 0) {
    if (strcmp(arguments[2], "original") == 0) original(results[0], ELEMENTS, ARGUMENTS);
    if (strcmp(arguments[2], "synthesized") == 0) synthesized(results[0], ELEMENTS, ARGUMENTS);
    return 0;
  }
  int pairs = atoi(arguments[2]);
  double *times[3];
  for (int k = 0; k < 3; k++) times[k] = calloc((size_t)pairs + 1, sizeof(double));
  for (int pair = 0; pair < pairs; pair++) {
    double start = now();
    for (int k = 0; k < REPEATS; k++) original(results[0], ELEMENTS, ARGUMENTS);
    double middle = now();
    for (int k = 0; k < REPEATS; k++) synthesized(results[1], ELEMENTS, ARGUMENTS);
    double end = now();
    times[0][pair] = (middle - start) / REPEATS;
    times[1][pair] = (end - middle) / REPEATS;
    times[2][pair] = (middle - start) / (end - middle);
  }
  printf("%.1f %.1f %.4f\n", median(times[0], pairs), median(times[1], pairs), median(times[2], pairs));
  return 0;
}

#endif
