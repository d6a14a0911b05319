/*
 * What of decoding tiles pays in native code, for Node.js (Node-API 8). Every function works on the
 * calling thread, on memory that it is given, and answers how many bytes it wrote, or -1 where its
 * input is damaged or does not fit.
 */
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "node_api.h"
#include "differences.h"
#include "libdeflate.h"
#include "reading.h"
#include "src/webp/decode.h"
#include "zstd.h"

/* What one thread keeps from call to call. */
struct kept {
  struct libdeflate_decompressor *deflate;
  ZSTD_DCtx *zstd;
  napi_async_work trimming; /* while it is under way */
};

struct bytes {
  unsigned char *at;
  size_t length;
};

static napi_value refuse(napi_env env, const char *why) {
  napi_throw_type_error(env, NULL, why);
  return NULL;
}

static int bytes_of(napi_env env, napi_value value, struct bytes *bytes) {
  napi_typedarray_type type;
  void *at;
  if (napi_get_typedarray_info(env, value, &type, &bytes->length, &at, NULL, NULL) != napi_ok) return 0;
  bytes->at = at;
  return type == napi_uint8_array;
}

static napi_value number(napi_env env, int64_t value) {
  napi_value result;
  return napi_create_int64(env, value, &result) == napi_ok ? result : NULL;
}

/* Takes what a function was called with: first arrays of bytes, then whole numbers. */
static int take(napi_env env, napi_callback_info info, size_t arrays, struct bytes *bytes,
                size_t numbers, uint32_t *values) {
  napi_value given[5];
  size_t length = arrays + numbers;
  if (napi_get_cb_info(env, info, &length, given, NULL, NULL) != napi_ok) return 0;
  if (length != arrays + numbers) return 0;
  for (size_t n = 0; n < arrays; n++)
    if (!bytes_of(env, given[n], &bytes[n])) return 0;
  for (size_t n = 0; n < numbers; n++)
    if (napi_get_value_uint32(env, given[arrays + n], &values[n]) != napi_ok) return 0;
  return 1;
}

static struct kept *kept_by(napi_env env) {
  void *kept;
  return napi_get_instance_data(env, &kept) == napi_ok ? kept : NULL;
}

/* inflate(packed, into): undoes a zlib stream (RFC 1950). */
static napi_value inflate(napi_env env, napi_callback_info info) {
  struct bytes bytes[2]; /* packed, into */
  size_t used, length;
  if (!take(env, info, 2, bytes, 0, NULL)) return refuse(env, "expected (Uint8Array, Uint8Array)");
  struct kept *kept = kept_by(env);
  if (kept->deflate == NULL) kept->deflate = libdeflate_alloc_decompressor();
  if (kept->deflate == NULL) return refuse(env, "there is no memory for inflating");
  int ok = libdeflate_zlib_decompress_ex(kept->deflate, bytes[0].at, bytes[0].length, bytes[1].at,
                                         bytes[1].length, &used, &length) == LIBDEFLATE_SUCCESS;
  return number(env, ok ? (int64_t)length : -1);
}

/* unpackZstd(packed, into): undoes Zstandard frames (RFC 8878). */
static napi_value unpack_zstd(napi_env env, napi_callback_info info) {
  struct bytes bytes[2]; /* packed, into */
  if (!take(env, info, 2, bytes, 0, NULL)) return refuse(env, "expected (Uint8Array, Uint8Array)");
  struct kept *kept = kept_by(env);
  if (kept->zstd == NULL) kept->zstd = ZSTD_createDCtx();
  if (kept->zstd == NULL) return refuse(env, "there is no memory for Zstandard");
  size_t length = ZSTD_decompressDCtx(kept->zstd, bytes[1].at, bytes[1].length, bytes[0].at, bytes[0].length);
  return number(env, ZSTD_isError(length) ? -1 : (int64_t)length);
}

/* decodeWebp(file, into, width, height): red, green, blue of a WebP of just that size, without alpha. */
static napi_value decode_webp(napi_env env, napi_callback_info info) {
  struct bytes bytes[2]; /* file, into */
  uint32_t size[2];
  WebPBitstreamFeatures found;
  if (!take(env, info, 2, bytes, 2, size))
    return refuse(env, "expected (Uint8Array, Uint8Array, number, number)");
  uint64_t length = (uint64_t)size[0] * size[1] * 3;
  if (length == 0 || length > bytes[1].length) return number(env, -1);
  if (WebPGetFeatures(bytes[0].at, bytes[0].length, &found) != VP8_STATUS_OK) return number(env, -1);
  if ((uint32_t)found.width != size[0] || (uint32_t)found.height != size[1]) return number(env, -1);
  if (found.has_alpha || found.has_animation) return number(env, -1);
  int ok = WebPDecodeRGBInto(bytes[0].at, bytes[0].length, bytes[1].at, length, found.width * 3) != NULL;
  return number(env, ok ? (int64_t)length : -1);
}

/* undoDifferences(pixels, width, rows, samples): TIFF 6.0 section 14, 8-bit samples, in place. */
static napi_value undo_differences(napi_env env, napi_callback_info info) {
  struct bytes pixels;
  uint32_t shape[3];
  if (!take(env, info, 1, &pixels, 3, shape))
    return refuse(env, "expected (Uint8Array, number, number, number)");
  uint64_t length = (uint64_t)shape[0] * shape[1];
  if ((shape[2] != 1 && shape[2] != 3) || length > pixels.length / shape[2]) return number(env, -1);
  vitrine_undo_differences(pixels.at, shape[0], shape[1], shape[2]);
  return number(env, (int64_t)(length * shape[2]));
}

/* readNow(file, into, offset): see reading.h. */
static napi_value read_now(napi_env env, napi_callback_info info) {
  napi_value given[3];
  size_t count = 3;
  int32_t file;
  struct bytes into;
  int64_t offset;
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 3 ||
      napi_get_value_int32(env, given[0], &file) != napi_ok || !bytes_of(env, given[1], &into) ||
      napi_get_value_int64(env, given[2], &offset) != napi_ok || offset < 0)
    return refuse(env, "expected (number, Uint8Array, number)");
  return number(env, vitrine_read_now(file, into.at, into.length, offset));
}

/* isAsFound(file, state): state is four 64-bit numbers, as struct vitrine_state has them. */
static napi_value is_as_found(napi_env env, napi_callback_info info) {
  napi_value given[2], result;
  size_t count = 2, length;
  int32_t file;
  napi_typedarray_type type;
  void *state;
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_int32(env, given[0], &file) != napi_ok ||
      napi_get_typedarray_info(env, given[1], &type, &length, &state, NULL, NULL) != napi_ok ||
      type != napi_bigint64_array || length != 4)
    return refuse(env, "expected (number, BigInt64Array of 4)");
  return napi_get_boolean(env, vitrine_is_as_found(file, state), &result) == napi_ok ? result : NULL;
}

/* What the pieces of work of one call of lowerPool share. */
struct meeting {
  atomic_uint arrived, left;
  uint32_t threads;
  int niceness;
};

struct lowering {
  struct meeting *meeting;
  napi_async_work work;
};

/* A thread stays until all have come, or for a second, so that each piece of work has a thread of its own. */
static void lower_thread(napi_env env, void *data) {
  const struct timespec pause = {0, 1000000};
  struct meeting *meeting = ((struct lowering *)data)->meeting;
  (void)env;
  /* On Linux it is the calling thread alone whose priority this is. */
  setpriority(PRIO_PROCESS, 0, meeting->niceness);
  atomic_fetch_add(&meeting->arrived, 1);
  for (int waited = 0; waited < 1000 && atomic_load(&meeting->arrived) < meeting->threads; waited++)
    nanosleep(&pause, NULL);
}

static void end_lowering(napi_env env, napi_status status, void *data) {
  struct lowering *lowering = data;
  (void)status;
  if (atomic_fetch_add(&lowering->meeting->left, 1) + 1 == lowering->meeting->threads) free(lowering->meeting);
  napi_delete_async_work(env, lowering->work);
  free(lowering);
}

/* lowerPool(threads, niceness): lowers the priority of the threads of libuv's pool, of which there are so many. */
static napi_value lower_pool(napi_env env, napi_callback_info info) {
  uint32_t values[2];
  napi_value name;
  if (!take(env, info, 0, NULL, 2, values) || values[0] == 0 || values[0] > 1024 || values[1] > 19)
    return refuse(env, "expected (number from 1 to 1024, number from 0 to 19)");
  struct meeting *meeting = calloc(1, sizeof *meeting);
  if (meeting == NULL || napi_create_string_utf8(env, "lowerPool", NAPI_AUTO_LENGTH, &name) != napi_ok) {
    free(meeting);
    return refuse(env, "there is no memory");
  }
  meeting->threads = values[0];
  meeting->niceness = (int)values[1];
  for (uint32_t n = 0; n < values[0]; n++) {
    struct lowering *lowering = calloc(1, sizeof *lowering);
    if (lowering == NULL) return refuse(env, "there is no memory");
    lowering->meeting = meeting;
    if (napi_create_async_work(env, NULL, name, lower_thread, end_lowering, lowering, &lowering->work) != napi_ok ||
        napi_queue_async_work(env, lowering->work) != napi_ok)
      return refuse(env, "the work could not be queued");
  }
  return NULL;
}

static void trim(napi_env env, void *data) {
  (void)env;
  (void)data;
  malloc_trim(0);
}

static void end_trimming(napi_env env, napi_status status, void *data) {
  struct kept *kept = data;
  (void)status;
  napi_delete_async_work(env, kept->trimming);
  kept->trimming = NULL;
}

/* giveBack(): has a thread of libuv's pool give back to the system what the C library's allocator keeps of memory
 * that is free. */
static napi_value give_back(napi_env env, napi_callback_info info) {
  napi_value name;
  struct kept *kept = kept_by(env);
  (void)info;
  if (kept->trimming != NULL) return NULL;
  if (napi_create_string_utf8(env, "giveBack", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_async_work(env, NULL, name, trim, end_trimming, kept, &kept->trimming) != napi_ok)
    return refuse(env, "there is no memory");
  if (napi_queue_async_work(env, kept->trimming) != napi_ok) {
    napi_delete_async_work(env, kept->trimming);
    kept->trimming = NULL;
    return refuse(env, "the work could not be queued");
  }
  return NULL;
}

static void forget(napi_env env, void *data, void *hint) {
  struct kept *kept = data;
  (void)env;
  (void)hint;
  libdeflate_free_decompressor(kept->deflate);
  ZSTD_freeDCtx(kept->zstd);
  free(kept);
}

NAPI_MODULE_INIT() {
  struct kept *kept = calloc(1, sizeof *kept);
  const napi_property_descriptor functions[] = {
      {"inflate", NULL, inflate, NULL, NULL, NULL, napi_enumerable, NULL},
      {"unpackZstd", NULL, unpack_zstd, NULL, NULL, NULL, napi_enumerable, NULL},
      {"decodeWebp", NULL, decode_webp, NULL, NULL, NULL, napi_enumerable, NULL},
      {"readNow", NULL, read_now, NULL, NULL, NULL, napi_enumerable, NULL},
      {"isAsFound", NULL, is_as_found, NULL, NULL, NULL, napi_enumerable, NULL},
      {"lowerPool", NULL, lower_pool, NULL, NULL, NULL, napi_enumerable, NULL},
      {"giveBack", NULL, give_back, NULL, NULL, NULL, napi_enumerable, NULL},
      {"undoDifferences", NULL, undo_differences, NULL, NULL, NULL, napi_enumerable, NULL},
  };
  if (kept == NULL) return refuse(env, "there is no memory");
  if (napi_set_instance_data(env, kept, forget, NULL) != napi_ok ||
      napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions) != napi_ok)
    return refuse(env, "the functions could not be defined");
  return exports;
}
