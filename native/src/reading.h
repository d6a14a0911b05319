#include <stdint.h>
#include <stddef.h>

enum { VITRINE_WAITS = -1, VITRINE_CANNOT_TELL = -2 };

/*
 * Reads what the system has in memory of an open file: as many bytes as there are up to `length`;
 * VITRINE_WAITS where some would have to be fetched first, VITRINE_CANNOT_TELL where that is not known.
 */
int64_t vitrine_read_now(int file, unsigned char *into, size_t length, int64_t offset);

/* What tells one state of a file from another. */
struct vitrine_state {
  int64_t size, seconds, nanoseconds, inode;
};

/* Answers 1 where an open file is as it was found, 0 where it is not, or cannot be looked at. */
int vitrine_is_as_found(int file, const struct vitrine_state *found);
