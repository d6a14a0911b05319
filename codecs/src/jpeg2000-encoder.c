/* JPEG 2000: samples become a codestream, tile after tile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "opj_includes.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static opj_image_t *image;
static opj_codec_t *codec;
static opj_stream_t *stream;

/* What has been written; `length` is its end, `at` where writing goes on. */
static unsigned char *bytes;
static size_t room, length, at;

EXPORT(allocate) void *allocate(size_t count) { return opj_malloc(count); }
EXPORT(release) void release(void *address) { opj_free(address); }
EXPORT(outputAt) void *output_at(void) { return bytes; }
EXPORT(outputLength) size_t output_length(void) { return length; }

static int reach(size_t end) {
  if (end > room) {
    size_t more = room < 65536 ? 65536 : room + room / 2;
    if (more < end) more = end;
    unsigned char *moved = opj_realloc(bytes, more);
    if (moved == NULL) return 0;
    bytes = moved;
    room = more;
  }
  if (end > length) {
    memset(bytes + length, 0, end - length);
    length = end;
  }
  return 1;
}

static OPJ_SIZE_T put(void *from, OPJ_SIZE_T count, void *data) {
  (void)data;
  if (!reach(at + count)) return (OPJ_SIZE_T)-1;
  memcpy(bytes + at, from, count);
  at += count;
  return count;
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *data) {
  (void)data;
  if (count < 0 || !reach(at + (size_t)count)) return -1;
  at += (size_t)count;
  return count;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *data) {
  (void)data;
  if (to < 0 || !reach((size_t)to)) return OPJ_FALSE;
  at = (size_t)to;
  return OPJ_TRUE;
}

/* Frees what the last picture took. */
EXPORT(forget) void forget(void) {
  if (stream) opj_stream_destroy(stream);
  if (codec) opj_destroy_codec(codec);
  if (image) opj_image_destroy(image);
  opj_free(bytes);
  stream = NULL;
  codec = NULL;
  image = NULL;
  bytes = NULL;
  room = length = at = 0;
}

/*
 * One step for the whole picture (ISO/IEC 15444-1, E.1), which is what its quality goes by: OpenJPEG has
 * steps of one and throws away afterwards what is too much, which takes far longer. Differences of colour, where
 * there are any, take steps of twice the size, as eyes see half as much of them.
 */
static void quantise(opj_tcp_t *tile, uint32_t components, uint32_t colours, uint32_t bits, double whole) {
  for (uint32_t index = 0; index < components; index++) {
    opj_tccp_t *part = &tile->tccps[index];
    double step = colours == 3 && (index == 1 || index == 2) ? whole * 2 : whole;
    for (uint32_t band = 0; band < 3 * part->numresolutions - 2; band++) {
      uint32_t resolution = band == 0 ? 0 : (band - 1) / 3 + 1;
      uint32_t orientation = band == 0 ? 0 : (band - 1) % 3 + 1;
      double norm = opj_dwt_getnorm_real(part->numresolutions - 1 - resolution, orientation);
      int exponent;
      double fraction = frexp(step / norm, &exponent) * 2;
      int steps = (int)bits - (exponent - 1);
      if (steps < 0) steps = 0, fraction = 1;
      if (steps > 31) steps = 31, fraction = 1;
      part->stepsizes[band].expn = steps;
      part->stepsizes[band].mant = (int)floor((fraction - 1) * 2048);
    }
  }
}

/*
 * Begins a picture of tiles with equal sides. `colours` of its components are colours, to be transformed
 * where they are three; a `step` of 0 is lossless. 0 where that fails.
 */
EXPORT(begin) int begin(uint32_t width, uint32_t height, uint32_t components, uint32_t colours,
                        uint32_t bits, uint32_t side, uint32_t resolutions, double step) {
  forget();
  opj_cparameters_t wanted;
  opj_set_default_encoder_parameters(&wanted);
  wanted.tcp_numlayers = 1;
  wanted.tcp_rates[0] = 0;
  wanted.cp_disto_alloc = 1;
  wanted.numresolution = (int)resolutions;
  wanted.irreversible = step > 0;
  wanted.tcp_mct = colours == 3;
  wanted.prog_order = OPJ_RPCL;
  wanted.cp_comment = "";
  wanted.tile_size_on = OPJ_TRUE;
  wanted.cp_tdx = (int)side;
  wanted.cp_tdy = (int)side;
  opj_image_cmptparm_t parts[4];
  if (components == 0 || components > 4) return 0;
  memset(parts, 0, sizeof parts);
  for (uint32_t index = 0; index < components; index++)
    parts[index] = (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = width, .h = height, .prec = bits};
  image = opj_image_tile_create(components, parts, colours == 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
  codec = opj_create_compress(OPJ_CODEC_J2K);
  stream = opj_stream_create(65536, OPJ_FALSE);
  if (image == NULL || codec == NULL || stream == NULL) return 0;
  image->x1 = width;
  image->y1 = height;
  opj_stream_set_user_data(stream, &bytes, NULL);
  opj_stream_set_write_function(stream, put);
  opj_stream_set_skip_function(stream, skip);
  opj_stream_set_seek_function(stream, seek);
  static const char *const extras[] = {"TLM=YES", "PLT=YES", NULL};
  if (!opj_setup_encoder(codec, &wanted, image) || !opj_encoder_set_extra_options(codec, extras)) return 0;
  if (step > 0) {
    opj_j2k_t *inside = ((opj_codec_private_t *)codec)->m_codec;
    for (uint32_t index = 0; index < inside->m_cp.tw * inside->m_cp.th; index++)
      quantise(&inside->m_cp.tcps[index], components, colours, bits, step);
  }
  return opj_start_compress(codec, image, stream);
}

/* Encodes a tile: its components one after the other, in samples of 8 or 16 bits. 0 where that fails. */
EXPORT(tile) int tile(uint32_t index, unsigned char *samples, uint32_t count) {
  return opj_write_tile(codec, index, samples, count, stream);
}

/* Ends the picture. 0 where that fails. */
EXPORT(finish) int finish(void) { return opj_end_compress(codec, stream); }
