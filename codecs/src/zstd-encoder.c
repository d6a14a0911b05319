/* Zstandard: bytes in memory become one frame in memory. */
#include <stdlib.h>
#define ZSTD_STATIC_LINKING_ONLY
#include "zstd.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static ZSTD_CCtx *context;

EXPORT(allocate) void *allocate(size_t count) { return malloc(count); }
EXPORT(release) void release(void *at) { free(at); }

/* The most bytes that may come of so many. */
EXPORT(bound) size_t bound(size_t count) { return ZSTD_compressBound(count); }

/* How many bytes came out; 0 where that fails. */
EXPORT(encode) size_t encode(void *to, size_t room, const void *from, size_t count, int level) {
  if (context == NULL) context = ZSTD_createCCtx();
  if (context == NULL) return 0;
  size_t length = ZSTD_compressCCtx(context, to, room, from, count, level);
  return ZSTD_isError(length) ? 0 : length;
}
