// A step of a matrix product with rows as they are: eight rows times scalars, added to sums. Rows are as long as a block of a
// product whose rows fit the first cache.

#define ELEMENTS 512
#define RESULT int32_t
#define PARAMETERS                                                                                                     \
  const int32_t *restrict r0, const int16_t *restrict r1, const int16_t *restrict r2, const int16_t *restrict r3,      \
      const int16_t *restrict r4, const int16_t *restrict r5, const int16_t *restrict r6, const int16_t *restrict r7,  \
      const int16_t *restrict r8, int16_t s0, int16_t s1, int16_t s2, int16_t s3, int16_t s4, int16_t s5, int16_t s6,  \
      int16_t s7
#define ARGUMENTS                                                                                                      \
  b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
#define TERM(scalar, row) (uint32_t)(scalar * row[i])
#define BODY                                                                                                           \
  (int32_t)((uint32_t)r0[i] + TERM(s0, r1) + TERM(s1, r2) + TERM(s2, r3) + TERM(s3, r4) + TERM(s4, r5) +               \
            TERM(s5, r6) + TERM(s6, r7) + TERM(s7, r8))
#define LEAVES                                                                                                         \
  r0 + i, r1 + i, r2 + i, r3 + i, r4 + i, r5 + i, r6 + i, r7 + i, r8 + i, s0, s1, s2, s3, s4, s5, s6, s7

#include "loop.h"
