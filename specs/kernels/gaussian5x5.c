// The vertical pass of a Gaussian of five rows, unscaled.

#define RESULT uint16_t
#define PARAMETERS const uint8_t *restrict r0, const uint8_t *restrict r1, const uint8_t *restrict r2, const uint8_t *restrict r3, const uint8_t *restrict r4
#define ARGUMENTS b[0], b[1], b[2], b[3], b[4]
#define BODY r0[i] + 4 * r1[i] + 6 * r2[i] + 4 * r3[i] + r4[i]
#define LEAVES r0 + i, r1 + i, r2 + i, r3 + i, r4 + i

#include "loop.h"
