// Depthwise convolution: three rows times weights of their own, added to sums.

#define RESULT int32_t
#define PARAMETERS const int32_t *restrict r0, const int16_t *restrict r1, const int16_t *restrict r2, const int16_t *restrict r3, const int16_t *restrict r4, const int16_t *restrict r5, const int16_t *restrict r6
#define ARGUMENTS b[0], b[1], b[2], b[3], b[4], b[5], b[6]
#define BODY (int32_t)((uint32_t)r0[i] + (uint32_t)(r1[i] * r2[i]) + (uint32_t)(r3[i] * r4[i]) + (uint32_t)(r5[i] * r6[i]))
#define LEAVES r0 + i, r1 + i, r2 + i, r3 + i, r4 + i, r5 + i, r6 + i

#include "loop.h"
