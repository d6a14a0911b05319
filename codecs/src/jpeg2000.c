/* JPEG 2000, bare or in JP2: one picture in memory becomes components in memory. */
#include <stdlib.h>
#include <string.h>
#include "openjpeg.h"

#define EXPORT(name) __attribute__((export_name(#name)))

struct source {
  const unsigned char *bytes;
  size_t length, at;
};

static opj_image_t *image;
static opj_codec_t *codec;
static opj_stream_t *stream;
static struct source source;

EXPORT(allocate) void *allocate(size_t bytes) { return malloc(bytes); }
EXPORT(release) void release(void *at) { free(at); }

static OPJ_SIZE_T take(void *into, OPJ_SIZE_T wanted, void *data) {
  struct source *from = data;
  size_t left = from->length - from->at;
  if (left == 0) return (OPJ_SIZE_T)-1;
  size_t count = wanted < left ? wanted : left;
  memcpy(into, from->bytes + from->at, count);
  from->at += count;
  return count;
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *data) {
  struct source *from = data;
  if (count < 0 || (OPJ_UINT64)count > from->length - from->at) {
    from->at = from->length;
    return -1;
  }
  from->at += (size_t)count;
  return count;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *data) {
  struct source *from = data;
  if (to < 0 || (OPJ_UINT64)to > from->length) return OPJ_FALSE;
  from->at = (size_t)to;
  return OPJ_TRUE;
}

/* Frees what the last picture took. */
EXPORT(forget) void forget(void) {
  if (stream) opj_stream_destroy(stream);
  if (codec) opj_destroy_codec(codec);
  if (image) opj_image_destroy(image);
  stream = NULL;
  codec = NULL;
  image = NULL;
}

/* Reads what the picture is, and no pixel. 0 where that fails. */
EXPORT(look) int look(const unsigned char *input, size_t length) {
  forget();
  if (length < 12) return 0;
  int bare = input[0] == 0xff && input[1] == 0x4f;
  codec = opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  stream = opj_stream_create(65536, OPJ_TRUE);
  if (codec == NULL || stream == NULL) return 0;
  source = (struct source){input, length, 0};
  opj_stream_set_user_data(stream, &source, NULL);
  opj_stream_set_user_data_length(stream, length);
  opj_stream_set_read_function(stream, take);
  opj_stream_set_skip_function(stream, skip);
  opj_stream_set_seek_function(stream, seek);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  /* Palettes and channel definitions are the TIFF's business, not its tiles'. */
  parameters.flags |= OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG;
  return opj_setup_decoder(codec, &parameters) && opj_decoder_set_strict_mode(codec, OPJ_TRUE) &&
         opj_read_header(stream, codec, &image) && image != NULL;
}

/* Decodes what was looked at last, whose bytes are still where they were. 0 where that fails. */
EXPORT(decode) int decode(void) {
  return image != NULL && opj_decode(codec, stream, image) && opj_end_decompress(codec, stream);
}

EXPORT(width) uint32_t width(void) { return image->x1 - image->x0; }
EXPORT(height) uint32_t height(void) { return image->y1 - image->y0; }
/* Whether the components were made of RGB, and have become that again. */
EXPORT(transformed) int transformed(void) {
  opj_codestream_info_v2_t *about = opj_get_cstr_info(codec);
  int result = about != NULL && about->m_default_tile_info.mct != 0;
  opj_destroy_cstr_info(&about);
  return result;
}

EXPORT(components) uint32_t components(void) { return image->numcomps; }
EXPORT(componentWidth) uint32_t component_width(uint32_t index) { return image->comps[index].w; }
EXPORT(componentHeight) uint32_t component_height(uint32_t index) { return image->comps[index].h; }
EXPORT(componentAcross) uint32_t component_across(uint32_t index) { return image->comps[index].dx; }
EXPORT(componentDown) uint32_t component_down(uint32_t index) { return image->comps[index].dy; }
EXPORT(componentBits) uint32_t component_bits(uint32_t index) { return image->comps[index].prec; }
EXPORT(componentSigned) uint32_t component_signed(uint32_t index) { return image->comps[index].sgnd; }
EXPORT(componentAt) void *component_at(uint32_t index) { return image->comps[index].data; }
