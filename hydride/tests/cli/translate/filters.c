/*
 * Small image and audio filters as people write them for Neon, with a checksum of what each computes.
 *
 * The program prints one line for each filter, so that two builds can be compared. Nothing here depends on the machine:
 * inputs come from a generator, and loops have scalar tails for the pixels that are left over.
 *
 * (Comments have intrinsics too: vaddq_u8(a, b) stays as it is. So does "vaddq_u8(a, b)" in a string.)
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <arm_neon.h> /* the only vendor header */

#define WIDTH 203
#define HEIGHT 7
#define COUNT (WIDTH * HEIGHT)
#define SHIFT 5

/* Names that the translation must not touch. */
#define STRING(x) #x
static const char *const note = "vaddq_u8(a, b) is a call, but not here";

/* Intrinsics in macros: with arguments, over several lines, and with names that are made by pasting. */
#define LOAD(p) vld1q_u8(p)
#define MIX(a, b, c) \
    vaddq_u8(vandq_u8((a), (c)), \
             vbicq_u8((b), (c)))
#define WIDEN_LOW(T, v) vmovl_##T(vget_low_##T(v))
#define MIN_MAX(T, lo, hi, v) vmaxq_##T((lo), vminq_##T((hi), (v)))
#define CALL_(op, type) v##op##q_##type
#define CALL(op, type) CALL_(op, type)
#define WORDS s32

typedef struct {
    uint8_t r[COUNT + 16];
    uint8_t g[COUNT + 16];
    uint8_t b[COUNT + 16];
} planes;

static uint8_t pixels[COUNT * 4 + 64];
static uint8_t other[COUNT * 4 + 64];
static int16_t samples[COUNT + 64];
static int16_t taps[8] = {3, -9, 21, 111, 111, 21, -9, 3};
static int32_t words[COUNT + 16];

static uint32_t state = 12345;

/* A linear congruential generator: the same numbers everywhere. */
static uint32_t next_number(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void fill(unsigned round)
{
    size_t i;
    state = 12345u + 977u * round;
    for (i = 0; i < sizeof pixels; i++) {
        uint32_t number = next_number();
        pixels[i] = (uint8_t)number;
        other[i] = (uint8_t)(number >> 8);
    }
    /* Values at the edges, which saturation is about. */
    for (i = 0; i < 64; i++) {
        pixels[i * 5] = (i & 1) ? 255 : 0;
        other[i * 7] = (i & 2) ? 255 : 1;
    }
    for (i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        uint32_t number = next_number();
        samples[i] = (int16_t)number;
        if (i % 11 == 0)
            samples[i] = (i & 4) ? INT16_MAX : INT16_MIN;
    }
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        words[i] = (int32_t)(next_number() << 9 ^ next_number());
}

static uint32_t checksum(const void *data, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)data;
    uint32_t hash = 2166136261u;
    size_t i;
    for (i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static void show(const char *name, const void *data, size_t size)
{
    printf("%-12s %08x\n", name, (unsigned)checksum(data, size));
}

/* ---- pixels of 8 bits ---------------------------------------------------------------------------------------- */

static void add_saturated(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        vst1q_u8(out + i, vqaddq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
    for (; i < n; i++) {
        unsigned sum = a[i] + b[i];
        out[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

/* The absolute difference, and how much of it is above a threshold. */
static void difference(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t n, uint8_t threshold)
{
    const uint8x16_t limit = vdupq_n_u8(threshold);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        uint8x16_t d = vabdq_u8(vld1q_u8(a + i), vld1q_u8(b + i)); // |a - b|
        uint8x16_t above = vcgtq_u8(d, limit);
        vst1q_u8(out + i, vandq_u8(vqsubq_u8(d, limit), above));
    }
    for (; i < n; i++) {
        int d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        out[i] = (uint8_t)(d > threshold ? d - threshold : 0);
    }
}

/* out = (a * alpha + b * (255 - alpha) + 128) >> 8 */
static void blend(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t n, uint8_t alpha)
{
    uint8x8_t one = vdup_n_u8(alpha);
    uint8x8_t rest = vdup_n_u8((uint8_t)(255 - alpha));
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        uint8x16_t va = vld1q_u8(a + i), vb = vld1q_u8(b + i);
        uint16x8_t lo = vmull_u8(vget_low_u8(va), one);
        uint16x8_t hi = vmull_u8(vget_high_u8(va), one);
        lo = vmlal_u8(lo, vget_low_u8(vb), rest);
        hi = vmlal_u8(hi, vget_high_u8(vb), rest);
        vst1q_u8(out + i, vcombine_u8(vrshrn_n_u16(lo, 8), vrshrn_n_u16(hi, 8)));
    }
    for (; i < n; i++)
        out[i] = (uint8_t)((uint16_t)(a[i] * alpha + b[i] * (255 - alpha) + 128) >> 8);
}

/* Chooses by a mask: one of two pictures for each pixel. */
static void choose(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        uint8x16_t x = LOAD(a + i), y = LOAD(b + i);
        uint8x16_t mask = vcgeq_u8(x, vdupq_n_u8(100));
        uint8x16_t mixed = MIX(x, y, mask);
        uint8x16_t chosen = vbslq_u8(mask, x, y);
        vst1q_u8(out + i, veorq_u8(mixed, vmvnq_u8(chosen)));
    }
    for (; i < n; i++) {
        uint8_t c = a[i] >= 100 ? a[i] : b[i];
        out[i] = (uint8_t)(c ^ (uint8_t)~c);
    }
}

/* Two interleaved channels, of which one is inverted. */
static void split(uint8_t *out, const uint8_t *in, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint8x8x2_t pair = vld2_u8(in + 2 * i);
        uint8x8x2_t swapped;
        swapped.val[0] = vmvn_u8(pair.val[1]);
        swapped.val[1] = pair.val[0];
        vst2_u8(out + 2 * i, swapped);
    }
    for (; i < n; i++) {
        out[2 * i] = (uint8_t)~in[2 * i + 1];
        out[2 * i + 1] = in[2 * i];
    }
}

/* A box of three pixels, from three loads that overlap: neighbors come by vext as well. */
static void box(uint8_t *out, const uint8_t *in, size_t n)
{
    size_t i;
    for (i = 0; i + 32 <= n; i += 16) {
        uint8x16_t first = vld1q_u8(in + i);
        uint8x16_t second = vld1q_u8(in + i + 16);
        uint8x16_t by_one = vextq_u8(first, second, 1);
        uint8x16_t by_two = vextq_u8(first, second, 2);
        uint8x16_t mean = vrhaddq_u8(vhaddq_u8(first, by_two), by_one);
        vst1q_u8(out + i, mean);
    }
    for (; i + 2 < n; i++)
        out[i] = (uint8_t)((((in[i] + in[i + 2]) >> 1) + in[i + 1] + 1) >> 1);
}

/* Rows that are turned around: bytes in words, then words. */
static void reverse(uint8_t *out, const uint8_t *in, size_t n)
{
    size_t i;
    memset(out, 0, n);
    for (i = 0; i + 16 <= n; i += 16) {
        uint8x16_t v = vrev64q_u8(vld1q_u8(in + i));
        v = vcombine_u8(vget_high_u8(v), vget_low_u8(v));
        vst1q_u8(out + i, v);
    }
}

static void zip_rows(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i;
    memset(out, 0, 2 * n);
    for (i = 0; i + 16 <= n; i += 16) {
        uint8x16x2_t z = vzipq_u8(vld1q_u8(a + i), vld1q_u8(b + i));
        vst1q_u8(out + 2 * i, z.val[0]);
        vst1q_u8(out + 2 * i + 16, z.val[1]);
    }
}

/* Blocks of eight by eight that change rows and columns. */
static void transpose(uint8_t *out, const uint8_t *in)
{
    uint8x8_t row[8];
    int i;
    for (i = 0; i < 8; i++)
        row[i] = vld1_u8(in + 8 * i);
    for (i = 0; i < 8; i += 2) {
        uint8x8x2_t t = vtrn_u8(row[i], row[i + 1]);
        row[i] = t.val[0];
        row[i + 1] = t.val[1];
    }
    for (i = 0; i < 4; i++) {
        int j = (i & 1) + (i & 2) * 2;
        uint16x4x2_t t = vtrn_u16(vreinterpret_u16_u8(row[j]), vreinterpret_u16_u8(row[j + 2]));
        row[j] = vreinterpret_u8_u16(t.val[0]);
        row[j + 2] = vreinterpret_u8_u16(t.val[1]);
    }
    for (i = 0; i < 4; i++) {
        uint32x2x2_t t = vtrn_u32(vreinterpret_u32_u8(row[i]), vreinterpret_u32_u8(row[i + 4]));
        row[i] = vreinterpret_u8_u32(t.val[0]);
        row[i + 4] = vreinterpret_u8_u32(t.val[1]);
    }
    for (i = 0; i < 8; i++)
        vst1_u8(out + 8 * i, row[i]);
}

/* Luminance of planes, in fixed point. */
static void luminance(uint8_t *out, const planes *in, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint16x8_t sum = vmull_u8(vld1_u8(in->r + i), vdup_n_u8(77));
        sum = vmlal_u8(sum, vld1_u8(in->g + i), vdup_n_u8(150));
        sum = vmlal_u8(sum, vld1_u8(in->b + i), vdup_n_u8(29));
        vst1_u8(out + i, vshrn_n_u16(sum, 8));
    }
    for (; i < n; i++)
        out[i] = (uint8_t)((77 * in->r[i] + 150 * in->g[i] + 29 * in->b[i]) >> 8);
}

/* Pixels of 5, 6 and 5 bits. */
static void pack565(uint16_t *out, const planes *in, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint16x8_t red = vshlq_n_u16(vmovl_u8(vld1_u8(in->r + i)), 8);
        uint16x8_t green = vshlq_n_u16(vmovl_u8(vld1_u8(in->g + i)), 8);
        uint16x8_t blue = vshlq_n_u16(vmovl_u8(vld1_u8(in->b + i)), 8);
        red = vsriq_n_u16(red, green, SHIFT);
        red = vsriq_n_u16(red, blue, SHIFT + 6);
        vst1q_u16(out + i, red);
    }
    for (; i < n; i++)
        out[i] = (uint16_t)((in->r[i] >> 3) << 11 | (in->g[i] >> 2) << 5 | in->b[i] >> 3);
}

/* ---- samples of 16 bits -------------------------------------------------------------------------------------- */

/* A filter with eight taps; products are added in 32 bits. */
static void filter(int16_t *out, const int16_t *in, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        int32x4_t sum = vmull_n_s16(vld1_s16(in + i), taps[0]);
        int k;
        for (k = 1; k < 8; k++)
            sum = vmlal_n_s16(sum, vld1_s16(in + i + k), taps[k]);
        sum = vshrq_n_s32(vaddq_s32(sum, vdupq_n_s32(128)), 8);
        sum = MIN_MAX(s32, vdupq_n_s32(-32768), vdupq_n_s32(32767), sum);
        vst1_s16(out + i, vmovn_s32(sum));
    }
    for (; i < n; i++) {
        int32_t sum = 0;
        int k;
        for (k = 0; k < 8; k++)
            sum += in[i + k] * taps[k];
        sum = (sum + 128) >> 8;
        out[i] = (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
    }
}

/* Fixed-point gain with rounding, then saturation to a byte. */
static void gain(int8_t *out, const int16_t *in, size_t n, int16_t factor)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        int16x8_t v = vqaddq_s16(vld1q_s16(in + i), vdupq_n_s16(factor));
        v = vrshrq_n_s16(v, 7);
        vst1_s8(out + i, vqmovn_s16(v));
    }
    for (; i < n; i++) {
        int v = in[i] + factor;
        v = v > 32767 ? 32767 : v < -32768 ? -32768 : v;
        v = (v + 64) >> 7;
        out[i] = (int8_t)(v > 127 ? 127 : v < -128 ? -128 : v);
    }
}

/* Differences of neighbors, doubled with saturation, and their magnitudes. */
static void edges(int16_t *out, const int16_t *in, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        int16x8_t d = vqsubq_s16(vld1q_s16(in + i + 1), vld1q_s16(in + i));
        d = vqaddq_s16(d, d);
        d = vqabsq_s16(d);
        vst1q_s16(out + i, vmaxq_s16(d, vdupq_n_s16(16)));
    }
    for (; i < n; i++) {
        int d = in[i + 1] - in[i];
        d = d > 32767 ? 32767 : d < -32768 ? -32768 : d;
        d *= 2;
        d = d > 32767 ? 32767 : d < -32768 ? -32768 : d;
        d = d < 0 ? -d : d;
        d = d > 32767 ? 32767 : d;
        out[i] = (int16_t)(d > 16 ? d : 16);
    }
}

/* Sums of pairs, as wavelets have them. */
static void pairs(int32_t *out, const int16_t *in, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        int16x8_t v = vld1q_s16(in + i);
        int32x4_t low = WIDEN_LOW(s16, v);
        int32x4_t sum = vpaddlq_s16(v);
        vst1q_s32(out + i / 2, vsubq_s32(vshlq_n_s32(sum, 2), low));
    }
    for (; i < n; i += 2)
        out[i / 2] = 0;
}

/* ---- words of 32 bits ---------------------------------------------------------------------------------------- */

/* Mixes words as hash functions do: rotations are a shift and an insertion. */
static void scramble(uint32_t *out, const uint32_t *in, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        out[i] = in[i];
    for (i = 0; i + 4 <= n; i += 4) {
        uint32x4_t v = vld1q_u32(in + i);
        uint32x4_t turned = vsliq_n_u32(vshrq_n_u32(v, 19), v, 13);
        v = vmlaq_u32(turned, v, vdupq_n_u32(2654435761u));
        v = veorq_u32(v, vshrq_n_u32(v, 15));
        v = vornq_u32(v, vtstq_u32(v, turned));
        vst1q_u32(out + i, v);
    }
}

/* Horizontal use of lanes: constants and lanes as scalars. */
static uint32_t lanes(const int32_t *in, size_t n)
{
    uint32_t total = 0;
    size_t i;
    for (i = 0; i + 4 <= n; i += 4) {
        int32x4_t v = vld1q_s32(in + i);
        int32x2_t half = vadd_s32(vget_low_s32(v), vget_high_s32(v));
        total += (uint32_t)vget_lane_s32(half, 0) ^ (uint32_t)vget_lane_s32(half, 1);
        v = vsetq_lane_s32((int32_t)total, v, 2);
        total += (uint32_t)vgetq_lane_s32(v, 2) >> 3;
        half = vrev64_s32(half);
        total ^= (uint32_t)vget_lane_s32(vmul_s32(half, vdup_n_s32(7)), 0);
    }
    return total;
}

/* Operators of the language on vectors, and elements by index. */
static uint32_t operators(const int32_t *in, size_t n)
{
    int32x4_t sum = vdupq_n_s32(0);
    size_t i;
    for (i = 0; i + 4 <= n; i += 4) {
        int32x4_t v = vshrq_n_s32(vld1q_s32(in + i), 4);
        sum = vaddq_s32(sum, v);
        sum ^= v;
    }
    return (uint32_t)sum[0] + (uint32_t)sum[1] + (uint32_t)sum[2] + (uint32_t)sum[3];
}

/* A variable that has the name that generated code uses: it must not be mixed up. */
static void names(uint8_t *out, const uint8_t *in)
{
    uint8x8_t a = vld1_u8(in), b = vld1_u8(in + 8), i0 = vadd_u8(a, b), t0 = vsub_u8(b, a), result;
    result = vpadd_u8(vmax_u8(i0, t0), vmin_u8(i0 /* the sum */, t0));
    vst1_u8(out, vqadd_u8(result, vqadd_u8(a, b)));
}

/* Functions that a macro makes, with the intrinsics of a type. */
#define CLAMP_ROW(S, E, LANES)                                                                  \
    static void clamp_##S(E *out, const E *in, E low, E high, size_t n)                         \
    {                                                                                           \
        size_t i;                                                                               \
        for (i = 0; i + (LANES) <= n; i += (LANES))                                             \
            vst1q_##S(out + i, vminq_##S(vdupq_n_##S(high), vmaxq_##S(vdupq_n_##S(low), vld1q_##S(in + i)))); \
        for (; i < n; i++)                                                                      \
            out[i] = in[i] < low ? low : in[i] > high ? high : in[i];                           \
    }
CLAMP_ROW(u8, uint8_t, 16)
CLAMP_ROW(s16, int16_t, 8)

/* Names that a macro makes of what another one passes on. */
static void limit(int32_t *out, const int32_t *in, size_t n)
{
    size_t i;
    for (i = 0; i + 4 <= n; i += 4)
        vst1q_s32(out + i, CALL(min, WORDS)(CALL(abs, WORDS)(vld1q_s32(in + i)), vdupq_n_s32(1 << 20)));
}

/* Floating-point numbers: what is negative is scaled otherwise. The tail computes in two steps, which are not fused. */
static void activate(float *out, const float *in, float factor, size_t n)
{
    const float32x4_t zero = vdupq_n_f32(0.0f), half = vdupq_n_f32(0.5f);
    size_t i;
    for (i = 0; i + 4 <= n; i += 4) {
        float32x4_t v = vsubq_f32(vld1q_f32(in + i), half);
        float32x4_t scaled = vmulq_n_f32(v, factor);
        uint32x4_t negative = vcltq_f32(v, zero);
        vst1q_f32(out + i, vaddq_f32(vbslq_f32(negative, scaled, v), vabsq_f32(v)));
    }
    for (; i < n; i++) {
        float v = in[i] - 0.5f;
        float scaled = v * factor;
        float chosen = v < 0.0f ? scaled : v;
        out[i] = chosen + (v < 0.0f ? -v : v);
    }
}

static planes rgb;
static float numbers[COUNT + 64], outf[COUNT + 64];
static uint8_t out8[2 * COUNT + 64];
static int16_t out16[COUNT + 64];
static int32_t out32[COUNT + 64];

static void clear(void)
{
    memset(out8, 0, sizeof out8);
    memset(out16, 0, sizeof out16);
    memset(out32, 0, sizeof out32);
}

static void run(unsigned round)
{
    uint32_t number;
    fill(round);
    clear();
    add_saturated(out8, pixels, other, COUNT);
    show("add", out8, sizeof out8);
    difference(out8, pixels, other, COUNT, (uint8_t)(10 + round));
    show("difference", out8, sizeof out8);
    blend(out8, pixels, other, COUNT, (uint8_t)(33 * round));
    show("blend", out8, sizeof out8);
    choose(out8, pixels, other, COUNT);
    show("choose", out8, sizeof out8);
    split(out8, pixels, COUNT);
    show("split", out8, sizeof out8);
    box(out8, pixels, COUNT);
    show("box", out8, sizeof out8);
    reverse(out8, pixels, COUNT);
    show("reverse", out8, sizeof out8);
    zip_rows(out8, pixels, other, COUNT);
    show("zip", out8, sizeof out8);
    transpose(out8, pixels);
    show("transpose", out8, 64);

    memcpy(rgb.r, pixels, COUNT);
    memcpy(rgb.g, pixels + COUNT, COUNT);
    memcpy(rgb.b, other, COUNT);
    luminance(out8, &rgb, COUNT);
    show("luminance", out8, COUNT);
    pack565((uint16_t *)out16, &rgb, COUNT);
    show("pack565", out16, sizeof out16);

    filter(out16, samples, COUNT);
    show("filter", out16, sizeof out16);
    gain((int8_t *)out8, samples, COUNT, (int16_t)(321 * round));
    show("gain", out8, COUNT);
    edges(out16, samples, COUNT);
    show("edges", out16, sizeof out16);
    pairs(out32, samples, COUNT - 1);
    show("pairs", out32, sizeof out32);

    scramble((uint32_t *)out32, (const uint32_t *)words, COUNT);
    show("scramble", out32, sizeof out32);
    number = lanes(words, COUNT);
    show("lanes", &number, sizeof number);
    number = operators(words, COUNT);
    show("operators", &number, sizeof number);
    names(out8, pixels + 3);
    show("names", out8, 8);
    clamp_u8(out8, pixels, (uint8_t)(20 + round), 200, COUNT);
    show("clamp bytes", out8, COUNT);
    clamp_s16(out16, samples, (int16_t)(-500 - (int)round), 800, COUNT);
    show("clamp samples", out16, sizeof out16);
    limit(out32, words, COUNT);
    show("limit", out32, sizeof out32);
    for (number = 0; number < COUNT; number++)
        numbers[number] = (float)samples[number] * 0.0625f;
    activate(outf, numbers, 0.3f + (float)round, COUNT);
    show("activate", outf, COUNT * sizeof *outf);
}

int main(void)
{
    unsigned round;
    printf("%s; %s\n", note, STRING(vaddq_u8(a, b)));
    for (round = 0; round < 5; round++)
        run(round);
    return 0;
}
