/* What emscripten's library would import, so that a module imports nothing. */
#include <stddef.h>
#include <stdint.h>

void emscripten_notify_memory_growth(size_t index) { (void)index; }
char *getenv(const char *name) {
  (void)name;
  return NULL;
}
uint16_t __wasi_fd_write(int file, const void *vectors, size_t count, size_t *written) {
  (void)file, (void)vectors, (void)count;
  *written = 0;
  return 8;
}
uint16_t __wasi_fd_close(int file) {
  (void)file;
  return 8;
}
uint16_t __wasi_fd_seek(int file, int64_t offset, uint8_t whence, uint64_t *at) {
  (void)file, (void)offset, (void)whence, (void)at;
  return 8;
}
_Noreturn void __wasi_proc_exit(uint32_t code) {
  (void)code;
  __builtin_trap();
}
