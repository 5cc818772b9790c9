#define __int64 long long
#define __int32 int
#define __int16 short
#define __int8 char
typedef long long __m64 __attribute__((vector_size(8), may_alias));
typedef long long __m128i __attribute__((vector_size(16), may_alias));
typedef float __m128 __attribute__((vector_size(16), may_alias));
typedef double __m128d __attribute__((vector_size(16), may_alias));
typedef long long __m256i __attribute__((vector_size(32), may_alias));
typedef float __m256 __attribute__((vector_size(32), may_alias));
typedef double __m256d __attribute__((vector_size(32), may_alias));
typedef long long __m512i __attribute__((vector_size(64), may_alias));
typedef float __m512 __attribute__((vector_size(64), may_alias));
typedef double __m512d __attribute__((vector_size(64), may_alias));
typedef uint8_t __mmask8;
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef uint64_t __mmask64;
typedef int _MM_CMPINT_ENUM;
typedef int _MM_PERM_ENUM;
typedef int _MM_MANTISSA_NORM_ENUM;
typedef int _MM_MANTISSA_SIGN_ENUM;
