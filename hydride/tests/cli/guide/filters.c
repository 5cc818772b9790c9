// The program of the guide in plain C, beside what it was compiled to.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void run(const uint8_t *in, uint8_t *out);

static int clamp(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

// Pixel `at` of a filter with the given weights, before the offset.
static int pixel(const uint8_t *pixels, const int8_t *weights, const int16_t *gain, int at) {
    int lane = at % 8;
    const uint8_t *pair = pixels + 2 * at;
    int sum = clamp(pair[0] * weights[2 * lane] + pair[1] * weights[2 * lane + 1], -32768, 32767);
    return clamp((int16_t)((sum * gain[lane] + 0x4000) >> 15), 0, 255);
}

int main(void) {
    enum { INPUTS = 10000 };
    uint64_t state = 1;
    for (int input = 0; input < INPUTS; input++) {
        uint8_t in[96], out[32];
        for (int i = 0; i < 96; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            in[i] = (uint8_t)(state >> 56);
        }
        int16_t gain[8];
        memcpy(gain, in + 64, sizeof gain);
        run(in, out);
        for (int at = 0; at < 16; at++) {
            int first = clamp(pixel(in, (const int8_t *)in + 32, gain, at) + in[80 + at], 0, 255);
            int second = (pixel(in, (const int8_t *)in + 48, gain, at) + in[80 + at] + 1) >> 1;
            if (out[2 * at] != first || out[2 * at + 1] != second) {
                printf("input %d, pixel %d: %d %d, not %d %d\n", input, at, out[2 * at], out[2 * at + 1], first, second);
                return 1;
            }
        }
    }
    printf("%d inputs agree\n", INPUTS);
    return 0;
}
