// Products of fractions of 15 bits, rounded.

#define RESULT int16_t
#define PARAMETERS const int16_t *restrict r0, const int16_t *restrict r1
#define ARGUMENTS b[0], b[1]
#define BODY (int16_t)((r0[i] * r1[i] + (1 << 14)) >> 15)
#define LEAVES r0 + i, r1 + i

#include "loop.h"
