#include <string.h>
#include "arena.h"
#include "webp/decode.h"

void *malloc(size_t bytes) { return take(bytes); }
void *calloc(size_t count, size_t bytes) {
  if (bytes != 0 && count > SIZE_MAX / bytes) return NULL;
  void *at = take(count * bytes);
  return at == NULL ? NULL : memset(at, 0, count * bytes);
}
void free(void *at) { (void)at; }

/*
 * Decodes a WebP of exactly `width` x `height` pixels to RGB; answers how many bytes that are, or -1
 * where it is another picture, has transparency, moves, or is damaged.
 */
int EXPORT(decode)(uint32_t packed, uint32_t width, uint32_t height) {
  WebPBitstreamFeatures features;
  const uint8_t *data = (void *)input_at;
  if (WebPGetFeatures(data, packed, &features) != VP8_STATUS_OK) return -1;
  if (features.width != (int)width || features.height != (int)height) return -1;
  if (features.has_alpha || features.has_animation) return -1;
  const size_t stride = width * 3;
  const size_t length = stride * height;
  return WebPDecodeRGBInto(data, packed, (void *)output_at, length, (int)stride) == NULL ? -1 : (int)length;
}
