// Binomial weights of three rows and columns, rounded.

#define RESULT uint8_t
#define PARAMETERS const uint8_t *restrict r0, const uint8_t *restrict r1, const uint8_t *restrict r2
#define ARGUMENTS b[0], b[1], b[2]
#define BODY (r0[i] + 2 * r0[i + 1] + r0[i + 2] + 2 * r1[i] + 4 * r1[i + 1] + 2 * r1[i + 2] + r2[i] + 2 * r2[i + 1] + r2[i + 2] + 8) >> 4
#define LEAVES r0 + i, r0 + i + 1, r0 + i + 2, r1 + i, r1 + i + 1, r1 + i + 2, r2 + i, r2 + i + 1, r2 + i + 2

#include "loop.h"
