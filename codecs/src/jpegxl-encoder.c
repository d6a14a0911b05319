/* JPEG XL: samples in memory become one picture in memory. */
#include <stdlib.h>
#include <string.h>
#include <jxl/encode.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static unsigned char *bytes;
static size_t length;

EXPORT(allocate) void *allocate(size_t count) { return malloc(count); }
EXPORT(release) void release(void *at) { free(at); }
EXPORT(outputAt) void *output_at(void) { return bytes; }
EXPORT(outputLength) size_t output_length(void) { return length; }

/* Frees what the last picture took. */
EXPORT(forget) void forget(void) {
  free(bytes);
  bytes = NULL;
  length = 0;
}

static int describe(JxlEncoder *encoder, uint32_t width, uint32_t height, uint32_t channels,
                    uint32_t bits, int lossless, const unsigned char *profile, size_t profiled) {
  const int grey = channels < 3;
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = width;
  info.ysize = height;
  info.bits_per_sample = bits;
  info.num_color_channels = grey ? 1 : 3;
  info.num_extra_channels = channels - info.num_color_channels;
  info.alpha_bits = info.num_extra_channels == 0 ? 0 : bits;
  info.uses_original_profile = lossless;
  /* Level 5 of the format ends at 2^18 a side and 2^28 pixels, and at 16 bits where they are kept as they are. */
  if (bits > 8 && lossless && JxlEncoderSetCodestreamLevel(encoder, 10) != JXL_ENC_SUCCESS) return 0;
  if (JxlEncoderSetBasicInfo(encoder, &info) != JXL_ENC_SUCCESS) return 0;
  if (profiled > 0)
    return JxlEncoderSetICCProfile(encoder, profile, profiled) == JXL_ENC_SUCCESS;
  JxlColorEncoding colours;
  JxlColorEncodingSetToSRGB(&colours, grey);
  return JxlEncoderSetColorEncoding(encoder, &colours) == JXL_ENC_SUCCESS;
}

static int run(JxlEncoder *encoder) {
  size_t room = 65536, at = 0;
  bytes = malloc(room);
  while (bytes != NULL) {
    uint8_t *next = bytes + at;
    size_t left = room - at;
    JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &next, &left);
    at = (size_t)(next - bytes);
    if (status == JXL_ENC_SUCCESS) {
      length = at;
      return 1;
    }
    if (status != JXL_ENC_NEED_MORE_OUTPUT) return 0;
    room += room;
    unsigned char *moved = realloc(bytes, room);
    if (moved == NULL) return 0;
    bytes = moved;
  }
  return 0;
}

/*
 * Encodes samples of 8 or 16 bits, pixel by pixel; the last of 2 or 4 channels is transparency. Without
 * a profile they are sRGB. A distance of 0 is lossless. 0 where that fails.
 */
EXPORT(encode) int encode(const unsigned char *samples, uint32_t width, uint32_t height, uint32_t channels,
                          uint32_t bits, float distance, uint32_t effort,
                          const unsigned char *profile, size_t profiled) {
  forget();
  JxlEncoder *encoder = JxlEncoderCreate(NULL);
  if (encoder == NULL) return 0;
  JxlPixelFormat format = {channels, bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_LITTLE_ENDIAN, 0};
  size_t count = (size_t)width * height * channels * (bits > 8 ? 2 : 1);
  int good = describe(encoder, width, height, channels, bits, distance == 0, profile, profiled);
  JxlEncoderFrameSettings *settings = good ? JxlEncoderFrameSettingsCreate(encoder, NULL) : NULL;
  good = settings != NULL &&
         JxlEncoderSetFrameDistance(settings, distance) == JXL_ENC_SUCCESS &&
         JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort) == JXL_ENC_SUCCESS &&
         JxlEncoderAddImageFrame(settings, &format, samples, count) == JXL_ENC_SUCCESS;
  if (good) {
    JxlEncoderCloseInput(encoder);
    good = run(encoder);
  }
  JxlEncoderDestroy(encoder);
  return good;
}

/* What is never called here, as no box is compressed and no JPEG repacked. */
void *BrotliEncoderCreateInstance(void *one, void *two, void *three) { (void)one, (void)two, (void)three; return NULL; }
void BrotliEncoderDestroyInstance(void *state) { (void)state; }
int BrotliEncoderSetParameter(void *state, int name, uint32_t value) { (void)state, (void)name, (void)value; return 0; }
int BrotliEncoderCompressStream(void *state, int operation, size_t *in, const uint8_t **next, size_t *out, uint8_t **to, size_t *total) {
  (void)state, (void)operation, (void)in, (void)next, (void)out, (void)to, (void)total;
  return 0;
}
int BrotliEncoderIsFinished(void *state) { (void)state; return 1; }
int BrotliEncoderHasMoreOutput(void *state) { (void)state; return 0; }
size_t BrotliEncoderMaxCompressedSize(size_t size) { return size; }
