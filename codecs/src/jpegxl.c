/* JPEG XL: one picture in memory becomes samples in memory. */
#include <stdlib.h>
#include <string.h>
#include <jxl/decode.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static JxlBasicInfo info;
static JxlExtraChannelInfo channel;
static unsigned char *pixels;
static unsigned char *extra;
static unsigned char *profile;
static size_t profile_bytes;
static int alpha, black;

EXPORT(allocate) void *allocate(size_t bytes) { return malloc(bytes); }
EXPORT(release) void release(void *at) { free(at); }
EXPORT(width) uint32_t width(void) { return info.xsize; }
EXPORT(height) uint32_t height(void) { return info.ysize; }
EXPORT(colours) uint32_t colours(void) { return info.num_color_channels; }
EXPORT(extras) uint32_t extras(void) { return info.num_extra_channels; }
EXPORT(coloursAt) void *colours_at(void) { return pixels; }
EXPORT(extrasAt) void *extras_at(void) { return extra; }
EXPORT(bits) uint32_t bits(void) { return info.bits_per_sample; }
EXPORT(orientation) uint32_t orientation(void) { return info.orientation; }
EXPORT(animated) int animated(void) { return info.have_animation; }
/* Which of the extra channels is the opacity, and which black ink; -1 for none. */
EXPORT(alphaChannel) int alpha_channel(void) { return alpha; }
EXPORT(blackChannel) int black_channel(void) { return black; }
EXPORT(profileAt) void *profile_at(void) { return profile; }
EXPORT(profileBytes) size_t profile_length(void) { return profile_bytes; }

static JxlDecoder *begin(const unsigned char *input, size_t length, int events, int plain) {
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (decoder == NULL) return NULL;
  if (JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS ||
      JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) != JXL_DEC_SUCCESS ||
      JxlDecoderSetUnpremultiplyAlpha(decoder, plain ? JXL_TRUE : JXL_FALSE) != JXL_DEC_SUCCESS ||
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
  alpha = black = -1;
  JxlDecoder *decoder = begin(input, length, JXL_DEC_BASIC_INFO, 0);
  if (decoder == NULL) return 0;
  int good = JxlDecoderProcessInput(decoder) == JXL_DEC_BASIC_INFO &&
             JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS;
  for (uint32_t index = 0; good && index < info.num_extra_channels; index++) {
    if (JxlDecoderGetExtraChannelInfo(decoder, index, &channel) != JXL_DEC_SUCCESS) continue;
    if (channel.type == JXL_CHANNEL_ALPHA && alpha < 0) alpha = index;
    if (channel.type == JXL_CHANNEL_BLACK && black < 0) black = index;
  }
  JxlDecoderDestroy(decoder);
  return good;
}

/* Reads a profile; where only what the file carries is wanted, none if it tells its colours otherwise. 0 where that fails. */
static int read_profile(const unsigned char *input, size_t length, JxlColorProfileTarget target, int carried) {
  free(profile);
  profile = NULL;
  profile_bytes = 0;
  JxlDecoder *decoder = begin(input, length, JXL_DEC_COLOR_ENCODING, 0);
  if (decoder == NULL) return 0;
  int good = JxlDecoderProcessInput(decoder) == JXL_DEC_COLOR_ENCODING;
  int told = good && carried && JxlDecoderGetColorAsEncodedProfile(decoder, target, NULL) == JXL_DEC_SUCCESS;
  if (good && !told)
    good = JxlDecoderGetICCProfileSize(decoder, target, &profile_bytes) == JXL_DEC_SUCCESS &&
           (profile = malloc(profile_bytes)) != NULL &&
           JxlDecoderGetColorAsICCProfile(decoder, target, profile, profile_bytes) == JXL_DEC_SUCCESS;
  JxlDecoderDestroy(decoder);
  if (!good) profile_bytes = 0;
  return good;
}

/* Reads the profile of the samples that `decode` gives. 0 where that fails. */
EXPORT(lookAtProfile) int look_at_profile(const unsigned char *input, size_t length) {
  return read_profile(input, length, JXL_COLOR_PROFILE_TARGET_DATA, 0);
}

/* Reads the profile that the file carries, whose beginning is enough; of no bytes where it has none. 0 where that fails. */
EXPORT(lookAtCarriedProfile) int look_at_carried_profile(const unsigned char *input, size_t length) {
  return read_profile(input, length, JXL_COLOR_PROFILE_TARGET_ORIGINAL, 1);
}

/* How many frames there are up to a most, without decoding them. 0 where none is whole. */
EXPORT(countFrames) uint32_t count_frames(const unsigned char *input, size_t length, uint32_t most) {
  JxlDecoder *decoder = begin(input, length, JXL_DEC_FRAME, 0);
  uint32_t count = 0;
  while (decoder != NULL && count < most && JxlDecoderProcessInput(decoder) == JXL_DEC_FRAME) count++;
  JxlDecoderDestroy(decoder);
  return count;
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

/*
 * The samples of a frame, the first being 0: type 0 float32, 2 uint8, 3 uint16. With `plain`, colours are
 * divided by their opacity where the file has them multiplied. 0 where that fails.
 */
EXPORT(decode)
int decode(const unsigned char *input, size_t length, int type, uint32_t frame, int plain) {
  forget();
  JxlDecoder *decoder = begin(input, length, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE, plain);
  if (decoder == NULL) return 0;
  if (frame > 0) JxlDecoderSkipFrames(decoder, frame);
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
