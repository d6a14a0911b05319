"""Makes the files beside this one: a drawing of 301 x 219 pixels as JPEG 2000 in several ways. Needs
OpenJPEG's opj_compress and OpenJPH's ojph_compress. test/jpeg2000-files.ts draws the same numbers."""

import os
import subprocess
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
width, height = 301, 219


def pixel(x, y):
    ring = ((x - 150) ** 2 + (y - 110) ** 2) >> 9
    return (x + y) // 3, ring, ((x >> 5) ^ (y >> 5)) * 16


def make(target, *command):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "drawing.ppm")
        with open(source, "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (width, height))
            file.write(bytes(v for y in range(height) for x in range(width) for v in pixel(x, y)))
        subprocess.run(
            [*command, "-i", source, "-o", os.path.join(here, target)],
            check=True,
            stdout=subprocess.DEVNULL,
        )


# Tiles, an image offset, and a tile grid that begins elsewhere.
make("tiles.jp2", "opj_compress", "-n", "4", "-t", "128,96", "-d", "37,21", "-T", "5,3")
make("precincts.jp2", "opj_compress", "-n", "5", "-I", "-r", "12", "-p", "RPCL", "-c", "[64,64]")
make("blocks.j2c", "ojph_compress", "-num_decomps", "4", "-reversible", "true")
