// Mean of two by two, rounded, without overlap.

#define RESULT uint8_t
#define PARAMETERS const uint8_t *restrict r0, const uint8_t *restrict r1
#define ARGUMENTS b[0], b[1]
#define BODY (r0[2 * i] + r0[2 * i + 1] + r1[2 * i] + r1[2 * i + 1] + 2) >> 2
#define LEAVES r0 + 2 * i, r1 + 2 * i

#include "loop.h"
