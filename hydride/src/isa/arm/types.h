typedef uint8_t poly8_t;
typedef uint16_t poly16_t;
typedef uint64_t poly64_t;
#define HYDRIDE_NEON(type, name) \
  typedef type name##_t __attribute__((vector_size(sizeof(type) * HYDRIDE_LANES))); \
  typedef struct { name##_t val[2]; } name##x2_t; \
  typedef struct { name##_t val[3]; } name##x3_t; \
  typedef struct { name##_t val[4]; } name##x4_t;
#define HYDRIDE_LANES 1
HYDRIDE_NEON(int64_t, int64x1)
HYDRIDE_NEON(uint64_t, uint64x1)
HYDRIDE_NEON(poly64_t, poly64x1)
HYDRIDE_NEON(double, float64x1)
#undef HYDRIDE_LANES
#define HYDRIDE_LANES 2
HYDRIDE_NEON(int32_t, int32x2)
HYDRIDE_NEON(uint32_t, uint32x2)
HYDRIDE_NEON(float, float32x2)
HYDRIDE_NEON(int64_t, int64x2)
HYDRIDE_NEON(uint64_t, uint64x2)
HYDRIDE_NEON(poly64_t, poly64x2)
HYDRIDE_NEON(double, float64x2)
#undef HYDRIDE_LANES
#define HYDRIDE_LANES 4
HYDRIDE_NEON(int16_t, int16x4)
HYDRIDE_NEON(uint16_t, uint16x4)
HYDRIDE_NEON(poly16_t, poly16x4)
HYDRIDE_NEON(uint16_t, float16x4)
HYDRIDE_NEON(uint16_t, bfloat16x4)
HYDRIDE_NEON(int32_t, int32x4)
HYDRIDE_NEON(uint32_t, uint32x4)
HYDRIDE_NEON(float, float32x4)
#undef HYDRIDE_LANES
#define HYDRIDE_LANES 8
HYDRIDE_NEON(int8_t, int8x8)
HYDRIDE_NEON(uint8_t, uint8x8)
HYDRIDE_NEON(poly8_t, poly8x8)
HYDRIDE_NEON(int16_t, int16x8)
HYDRIDE_NEON(uint16_t, uint16x8)
HYDRIDE_NEON(poly16_t, poly16x8)
HYDRIDE_NEON(uint16_t, float16x8)
HYDRIDE_NEON(uint16_t, bfloat16x8)
#undef HYDRIDE_LANES
#define HYDRIDE_LANES 16
HYDRIDE_NEON(int8_t, int8x16)
HYDRIDE_NEON(uint8_t, uint8x16)
HYDRIDE_NEON(poly8_t, poly8x16)
#undef HYDRIDE_LANES
#undef HYDRIDE_NEON
typedef float float32_t;
typedef double float64_t;
typedef uint16_t float16_t;
typedef uint16_t bfloat16_t;
typedef unsigned __int128 poly128_t;
