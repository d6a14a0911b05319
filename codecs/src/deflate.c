#include "arena.h"
#include "libdeflate.h"

static unsigned char room[1 << 16] __attribute__((aligned(64)));
static struct libdeflate_decompressor *decompressor;

/* There is one call only, when the decompressor is made. */
void *malloc(size_t bytes) { return bytes <= sizeof room ? room : NULL; }
void free(void *at) { (void)at; }

/* Undoes a zlib stream (RFC 1950) into at most `most` bytes; answers how many, or -1 where it is damaged. */
int EXPORT(decode)(uint32_t packed, uint32_t most) {
  size_t used, length;
  if (decompressor == NULL) decompressor = libdeflate_alloc_decompressor();
  if (decompressor == NULL) return -1;
  return libdeflate_zlib_decompress_ex(decompressor, (void *)input_at, packed, (void *)output_at,
                                       most, &used, &length) == LIBDEFLATE_SUCCESS
             ? (int)length
             : -1;
}
