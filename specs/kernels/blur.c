// Mean of three neighbors, whose sum is taken modulo 2^16.

#define RESULT uint16_t
#define PARAMETERS const uint16_t *restrict r0
#define ARGUMENTS b[0]
#define BODY (uint16_t)(r0[i] + r0[i + 1] + r0[i + 2]) / 3
// What a step reads of the next one.
#define AHEAD LANES / 2
#define LEAVES r0 + i, r0 + i + 2

#include "loop.h"
