#define _GNU_SOURCE
#include "reading.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

int64_t vitrine_read_now(int file, unsigned char *into, size_t length, int64_t offset) {
  size_t filled = 0;
  while (filled < length) {
    struct iovec rest = {into + filled, length - filled};
    ssize_t count = preadv2(file, &rest, 1, offset + (int64_t)filled, RWF_NOWAIT);
    if (count == 0) break;
    if (count > 0) filled += (size_t)count;
    else if (errno == EAGAIN) return VITRINE_WAITS;
    else if (errno != EINTR) return VITRINE_CANNOT_TELL;
  }
  return (int64_t)filled;
}

int vitrine_is_as_found(int file, const struct vitrine_state *found) {
  struct stat now;
  return fstat(file, &now) == 0 && now.st_size == found->size && now.st_mtim.tv_sec == found->seconds &&
         now.st_mtim.tv_nsec == found->nanoseconds && (int64_t)now.st_ino == found->inode;
}
