#include <stddef.h>

/* TIFF 6.0 section 14, 8-bit samples, in place; `samples` is 1 or 3, a row has `width` pixels. */
void vitrine_undo_differences(unsigned char *pixels, size_t width, size_t rows, size_t samples);
