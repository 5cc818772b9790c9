// The program wide.mlir in plain C, beside what it was compiled to; without a library, for every target.
#include <stdint.h>

void run(const uint8_t *in, uint8_t *out);

enum { INPUTS = 1000, LANES = 64 };

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

// Whether byte `at` of the first two results is right.
static int bytes_agree(const uint8_t *in, const uint8_t *out, int at) {
    uint8_t a = in[at], b = in[LANES + at], c = in[2 * LANES + at];
    int sum = clamp((int8_t)((a + b + 1) >> 1) + (int8_t)c, -128, 127);
    uint8_t greatest = (uint8_t)(sum > (int8_t)a ? sum : (int8_t)a);
    return out[at] == greatest && out[LANES + at] == (a < b ? greatest : c);
}

static uint32_t word(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Whether word `at` of the other results is right.
static int words_agree(const uint8_t *in, const uint8_t *out, int at) {
    uint32_t dot = word(in + 2 * LANES + 4 * at);
    for (int part = 4 * at; part < 4 * at + 4; part++)
        dot += (uint32_t)(in[part] * (int8_t)in[LANES + part]);
    uint32_t zeros = 0;
    while (zeros < 32 && !(dot >> (31 - zeros)))
        zeros++;
    return word(out + 2 * LANES + 4 * at) == dot && word(out + 3 * LANES + 4 * at) == zeros;
}

// 0 if all inputs agree.
static int check(void) {
    static uint8_t in[3 * LANES], out[4 * LANES];
    uint64_t state = 1;
    for (int input = 0; input < INPUTS; input++) {
        for (int i = 0; i < 3 * LANES; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            in[i] = (uint8_t)(state >> 56);
        }
        run(in, out);
        for (int at = 0; at < LANES; at++)
            if (!bytes_agree(in, out, at))
                return 1;
        for (int at = 0; at < LANES / 4; at++)
            if (!words_agree(in, out, at))
                return 2;
    }
    return 0;
}

#include "start.c"
