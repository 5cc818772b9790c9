// The vertical pass of a Gaussian of seven rows, rounded.

#define RESULT uint8_t
#define PARAMETERS const uint8_t *restrict r0, const uint8_t *restrict r1, const uint8_t *restrict r2, const uint8_t *restrict r3, const uint8_t *restrict r4, const uint8_t *restrict r5, const uint8_t *restrict r6
#define ARGUMENTS b[0], b[1], b[2], b[3], b[4], b[5], b[6]
#define BODY (r0[i] + 6 * r1[i] + 15 * r2[i] + 20 * r3[i] + 15 * r4[i] + 6 * r5[i] + r6[i] + 32) >> 6
#define LEAVES r0 + i, r1 + i, r2 + i, r3 + i, r4 + i, r5 + i, r6 + i

#include "loop.h"
