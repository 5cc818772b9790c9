// Mean of three neighbors, whose sum is taken modulo 2^16.

#define RESULT uint16_t
#define PARAMETERS const uint16_t *restrict r0
#define ARGUMENTS b[0]
#define BODY (uint16_t)(r0[i] + r0[i + 1] + r0[i + 2]) / 3
// On x86 a step of two registers reads a third one.
#ifdef __AVX2__
#define AHEAD LANES / 2
#endif
#define LEAVES r0 + i, r0 + i + 2

#include "loop.h"
