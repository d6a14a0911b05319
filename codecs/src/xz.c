/* XZ: a stream in memory becomes bytes in memory. */
#include <stdlib.h>
#include <lzma.h>

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(allocate) void *allocate(size_t bytes) { return malloc(bytes); }
EXPORT(release) void release(void *at) { free(at); }

/* What a dictionary may take: the largest preset has 64 MiB. */
#define MOST (96u << 20)

/* How many bytes there are, at most `room`; -1 where the stream is damaged. */
EXPORT(decode) int decode(const unsigned char *input, size_t length, unsigned char *output, size_t room) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, MOST, 0) != LZMA_OK) return -1;
  stream.next_in = input;
  stream.avail_in = length;
  stream.next_out = output;
  stream.avail_out = room;
  lzma_ret result;
  do result = lzma_code(&stream, LZMA_FINISH);
  while (result == LZMA_OK && stream.avail_out > 0);
  size_t left = stream.avail_out;
  lzma_end(&stream);
  return result == LZMA_STREAM_END || left == 0 ? (int)(room - left) : -1;
}
