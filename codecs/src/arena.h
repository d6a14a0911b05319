/*
 * The memory of a call lies behind the module's own: what is to be decoded, what comes of it, and
 * what the decoder takes for itself, which the next call gets again. Nothing is ever freed.
 */
#ifndef ARENA_H
#define ARENA_H
#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

extern unsigned char __heap_base;

static uintptr_t input_at, output_at, free_from, memory_end;

static uintptr_t aligned(uintptr_t at) { return (at + 63) & ~(uintptr_t)63; }

/* Whether memory reaches so far, perhaps after growing. */
static int reaches(uint64_t end) {
  if (end <= memory_end) return 1;
  const size_t pages = __builtin_wasm_memory_size(0);
  const uint64_t needed = (end + 65535) >> 16;
  /* The link editor sets how many there may be at the most. */
  if (needed > 32767) return 0;
  if (needed > pages && __builtin_wasm_memory_grow(0, (size_t)needed - pages) == (size_t)-1) return 0;
  memory_end = __builtin_wasm_memory_size(0) << 16;
  return 1;
}

/* Makes room for so many bytes in and out; 0 where there is none. Addresses from before are void. */
int EXPORT(reserve)(uint32_t in, uint32_t out) {
  const uint64_t start = aligned((uintptr_t)&__heap_base);
  if (!reaches(start + in + out + 256)) return 0;
  input_at = (uintptr_t)start;
  output_at = aligned(input_at + in);
  free_from = aligned(output_at + out);
  return 1;
}

uintptr_t EXPORT(input)(void) { return input_at; }
uintptr_t EXPORT(output)(void) { return output_at; }

/* More memory until the next call of `reserve`; NULL where there is none. */
static void *take(size_t bytes) {
  const uintptr_t at = free_from;
  if (!reaches((uint64_t)at + bytes + 64)) return NULL;
  free_from = aligned(at + bytes);
  return (void *)at;
}
#endif
