// A step of a matrix product with rows as they are: two rows times scalars, added to sums.

#define RESULT int32_t
#define PARAMETERS const int32_t *restrict r0, const int16_t *restrict r1, const int16_t *restrict r2, int16_t s0, int16_t s1
#define ARGUMENTS b[0], b[1], b[2], s[0], s[1]
#define BODY (int32_t)((uint32_t)r0[i] + (uint32_t)(s0 * r1[i]) + (uint32_t)(s1 * r2[i]))
#define LEAVES r0 + i, r1 + i, r2 + i, s0, s1

#include "loop.h"
