// Luma of planes of red, green and blue (BT.601).

#define RESULT uint8_t
#define PARAMETERS const uint8_t *restrict r0, const uint8_t *restrict r1, const uint8_t *restrict r2
#define ARGUMENTS b[0], b[1], b[2]
#define BODY ((66 * r0[i] + 129 * r1[i] + 25 * r2[i] + 128) >> 8) + 16
#define LEAVES r0 + i, r1 + i, r2 + i

#include "loop.h"
