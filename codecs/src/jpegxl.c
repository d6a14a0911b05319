/* JPEG XL: one picture in memory becomes samples in memory. */
#include <stdlib.h>
#include <string.h>
#include <jxl/decode.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static JxlBasicInfo info;
static unsigned char *pixels;
static unsigned char *extra;

EXPORT(allocate) void *allocate(size_t bytes) { return malloc(bytes); }
EXPORT(release) void release(void *at) { free(at); }
EXPORT(width) uint32_t width(void) { return info.xsize; }
EXPORT(height) uint32_t height(void) { return info.ysize; }
EXPORT(colours) uint32_t colours(void) { return info.num_color_channels; }
EXPORT(extras) uint32_t extras(void) { return info.num_extra_channels; }
EXPORT(coloursAt) void *colours_at(void) { return pixels; }
EXPORT(extrasAt) void *extras_at(void) { return extra; }

static JxlDecoder *begin(const unsigned char *input, size_t length, int events) {
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (decoder == NULL) return NULL;
  if (JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS ||
      JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) != JXL_DEC_SUCCESS ||
      JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_FALSE) != JXL_DEC_SUCCESS ||
      JxlDecoderSetInput(decoder, input, length) != JXL_DEC_SUCCESS) {
    JxlDecoderDestroy(decoder);
    return NULL;
  }
  JxlDecoderCloseInput(decoder);
  return decoder;
}

/* Reads what the picture is, and no pixel. 0 where that fails. */
EXPORT(look) int look(const unsigned char *input, size_t length) {
  memset(&info, 0, sizeof info);
  JxlDecoder *decoder = begin(input, length, JXL_DEC_BASIC_INFO);
  if (decoder == NULL) return 0;
  int good = JxlDecoderProcessInput(decoder) == JXL_DEC_BASIC_INFO &&
             JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS;
  JxlDecoderDestroy(decoder);
  return good;
}

static int output(JxlDecoder *decoder, JxlDataType type) {
  JxlPixelFormat whole = {info.num_color_channels, type, JXL_LITTLE_ENDIAN, 0};
  size_t bytes = 0;
  if (JxlDecoderImageOutBufferSize(decoder, &whole, &bytes) != JXL_DEC_SUCCESS) return 0;
  pixels = malloc(bytes);
  if (pixels == NULL) return 0;
  if (JxlDecoderSetImageOutBuffer(decoder, &whole, pixels, bytes) != JXL_DEC_SUCCESS) return 0;
  JxlPixelFormat single = {1, type, JXL_LITTLE_ENDIAN, 0};
  size_t plane = 0;
  if (info.num_extra_channels == 0) return 1;
  if (JxlDecoderExtraChannelBufferSize(decoder, &single, &plane, 0) != JXL_DEC_SUCCESS) return 0;
  extra = malloc(plane * info.num_extra_channels);
  if (extra == NULL) return 0;
  for (uint32_t index = 0; index < info.num_extra_channels; index++)
    if (JxlDecoderSetExtraChannelBuffer(decoder, &single, extra + plane * index, plane, index) != JXL_DEC_SUCCESS)
      return 0;
  return 1;
}

/* Frees what the last picture took. */
EXPORT(forget) void forget(void) {
  free(pixels);
  free(extra);
  pixels = extra = NULL;
}

/* The samples of the first frame: type 0 float32, 2 uint8, 3 uint16. 0 where that fails. */
EXPORT(decode) int decode(const unsigned char *input, size_t length, int type) {
  forget();
  JxlDecoder *decoder = begin(input, length, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE);
  if (decoder == NULL) return 0;
  int good = 0;
  for (;;) {
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (status == JXL_DEC_BASIC_INFO) {
      if (JxlDecoderGetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) break;
    } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      if (!output(decoder, (JxlDataType)type)) break;
    } else {
      good = status == JXL_DEC_FULL_IMAGE;
      break;
    }
  }
  JxlDecoderDestroy(decoder);
  return good;
}
