"""Makes the tiles beside this file: 32 x 32 pixels of one drawing in every compression that the
tests decode and nothing here can encode. Needs GDAL with its Python module, libtiff's tiffcp,
libjxl's cjxl and OpenJPEG's opj_compress. src/formats/tiff/codecs/tile-samples.test.ts draws the same numbers."""

import os
import subprocess
import tempfile

import numpy
from osgeo import gdal

gdal.UseExceptions()
here = os.path.dirname(os.path.abspath(__file__))
side = 32
y, x = numpy.mgrid[:side, :side]
rgb = numpy.stack([(x * 7 + y * 3) & 255, (x * y) & 255, ((x ^ y) * 8) & 255]).astype("u1")
mask = numpy.where(x + y < 40, 255, 0).astype("u1")[None]
deep = (rgb.astype("u2") << 8) | ((x * 31 + y * 17) & 255).astype("u2")
light = (rgb / numpy.float32(255)).astype("f4")
ycc = numpy.stack([rgb[0], 255 - rgb[0], rgb[2]])
types = {"uint8": gdal.GDT_Byte, "uint16": gdal.GDT_UInt16, "float32": gdal.GDT_Float32}


def keep(name, data):
    with open(os.path.join(here, name), "wb") as file:
        file.write(data)


def by_tiff(name, samples, *options, again=()):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tile.tif")
        shape = ["TILED=YES", f"BLOCKXSIZE={side}", f"BLOCKYSIZE={side}", "INTERLEAVE=PIXEL"]
        colours = ["PHOTOMETRIC=RGB", "ALPHA=YES"] if len(samples) == 4 else []
        tiff = gdal.GetDriverByName("GTiff").Create(
            path, side, side, len(samples), types[str(samples.dtype)], [*shape, *colours, *options]
        )
        for band, plane in enumerate(samples):
            tiff.GetRasterBand(band + 1).WriteArray(plane)
        tiff.FlushCache()
        del tiff
        if again:
            subprocess.run(["tiffcp", *again, path, f"{path}f"], check=True)
            path = f"{path}f"
        tiff = gdal.Open(path)
        item = tiff.GetRasterBand(1).GetMetadataItem
        offset, length = int(item("BLOCK_OFFSET_0_0", "TIFF")), int(item("BLOCK_SIZE_0_0", "TIFF"))
        with open(path, "rb") as file:
            keep(name, file.read()[offset : offset + length])


def by_tool(name, header, samples, *command):
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, header[0]), os.path.join(folder, header[1])
        with open(source, "wb") as file:
            file.write(header[2] + samples)
        subprocess.run(
            [part.format(source=source, target=target) for part in command],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with open(target, "rb") as file:
            keep(name, file.read())


def jxl(name, samples):
    pixels = samples.transpose(1, 2, 0)
    size = f"{side}\nHEIGHT {side}\nDEPTH {len(samples)}"
    top = 255 if samples.dtype == "u1" else 65535
    kind = "RGB_ALPHA" if len(samples) == 4 else "RGB"
    head, raw = f"P7\nWIDTH {size}\nMAXVAL {top}\nTUPLTYPE {kind}\nENDHDR\n", pixels
    if samples.dtype == "f4":
        head, raw = f"PF\n{side} {side}\n-1.0\n", pixels[::-1]
    raw = raw.astype({"uint8": "u1", "uint16": ">u2", "float32": "<f4"}[str(samples.dtype)])
    source = "tile.pfm" if samples.dtype == "f4" else "tile.pam"
    command = ["cjxl", "{source}", "{target}", "-d", "0", "--container=0"]
    by_tool(name, (source, "tile.jxl", head.encode()), raw.tobytes(), *command)


def jpeg2000(name, samples, *options, shape="", target="tile.j2k"):
    bits = 8 * samples[0].dtype.itemsize
    raw = b"".join(plane.astype("u1" if bits == 8 else ">u2").tobytes() for plane in samples)
    form = f"{side},{side},{len(samples)},{bits},u{shape}"
    command = ["opj_compress", "-i", "{source}", "-o", "{target}", "-n", "3", "-F", form, *options]
    by_tool(name, ("tile.raw", target, b""), raw, *command)


by_tiff("rgb8.xz", rgb, "COMPRESS=LZMA")
by_tiff("differences16.xz", deep, again=("-c", "lzma:2"))
by_tiff("rgb8.lerc", rgb, "COMPRESS=LERC")
by_tiff("rgb8.lerc.zz", rgb, "COMPRESS=LERC_DEFLATE")
by_tiff("rgb8.lerc.zst", rgb, "COMPRESS=LERC_ZSTD")
by_tiff("masked8.lerc", numpy.concatenate([rgb, mask]), "COMPRESS=LERC")
by_tiff("deep16.lerc", deep, "COMPRESS=LERC")
by_tiff("deep16-big-endian.lerc", deep, "COMPRESS=LERC", "ENDIANNESS=BIG")
by_tiff("light32.lerc", light, "COMPRESS=LERC")
jxl("rgb8.jxl", rgb)
jxl("masked16.jxl", numpy.concatenate([deep, mask.astype("u2") * 257]))
jxl("light32.jxl", light)
jpeg2000("rgb8.j2k", rgb)
jpeg2000("rgb8.jp2", rgb, target="tile.jp2")
jpeg2000("deep16.j2k", deep)
jpeg2000("grey8.j2k", rgb[:1])
jpeg2000("ycc8.j2k", ycc, "-mct", "0")
halved = [ycc[0], ycc[1][:, ::2], ycc[2][:, ::2]]
jpeg2000("ycc8-halved.j2k", halved, "-mct", "0", shape="@1x1:2x1:2x1")
