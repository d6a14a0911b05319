#include "differences.h"

#include <stdint.h>
#include <string.h>

typedef uint8_t lanes __attribute__((vector_size(16)));

static inline lanes load(const unsigned char *at) {
  lanes value;
  memcpy(&value, at, sizeof value);
  return value;
}

static inline void store(unsigned char *at, lanes value) { memcpy(at, &value, sizeof value); }

/* The bytes moved up by so many places, with zeros behind them. */
#define UP(value, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
  __builtin_shufflevector((lanes){0}, value, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
#define UP1(v) UP(v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define UP2(v) UP(v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define UP3(v) UP(v, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28)
#define UP4(v) UP(v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define UP6(v) UP(v, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25)
#define UP8(v) UP(v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
#define UP12(v) UP(v, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)

/* A row needs as many additions one after the other as it has pixels; sums over sixteen bytes at once,
   by doubling shifts, need four. */
static void grey_row(unsigned char *at, const unsigned char *end) {
  uint8_t sum = 0;
  for (; end - at >= 16; at += 16) {
    lanes part = load(at);
    part += UP1(part);
    part += UP2(part);
    part += UP4(part);
    part += UP8(part);
    part += sum;
    store(at, part);
    sum = at[15];
  }
  for (; at < end; at++) *at = sum += *at;
}

/* Five pixels are fifteen bytes: of the sixteen read at once, the last is the first of the next five. */
static void colour_row(unsigned char *at, const unsigned char *end) {
  lanes sum = {0};
  if (end - at >= 31) {
    lanes part = load(at);
    for (; end - at >= 31; at += 15) {
      /* Read before the byte that both share is written over. */
      lanes next = load(at + 15);
      part += UP3(part);
      part += UP6(part);
      part += UP12(part);
      part += sum;
      store(at, part);
      sum = __builtin_shufflevector(part, part, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12);
      part = next;
    }
    at[0] = part[0];
  }
  uint8_t red = sum[0], green = sum[1], blue = sum[2];
  for (; at < end; at += 3) {
    at[0] = red += at[0];
    at[1] = green += at[1];
    at[2] = blue += at[2];
  }
}

void vitrine_undo_differences(unsigned char *pixels, size_t width, size_t rows, size_t samples) {
  size_t stride = width * samples;
  for (size_t row = 0; row < rows; row++, pixels += stride) {
    if (samples == 1) grey_row(pixels, pixels + stride);
    else colour_row(pixels, pixels + stride);
  }
}
