"""Makes the codestreams beside this file, and expected.json: what OpenJPEG decodes of each, component by component, at
every resolution. Together they have all progressions, styles of code-blocks, and ways of cutting a picture up.
Needs OpenJPEG's opj_compress and opj_decompress (2.5). src/formats/jpeg2000/codestream/fixtures.test.ts reads them."""

import hashlib
import json
import math
import os
import random
import subprocess
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
expected = {}


def picture(size, bits, signed, steps):
    """Waves, blocks and a little noise, component after component, little-endian."""
    numbers = random.Random(15444)
    width, height = size
    top = (1 << bits) - 1
    data = bytearray()
    for number, (dx, dy) in enumerate(steps):
        for y in range(0, height, dy):
            for x in range(0, width, dx):
                value = 0.5 + 0.3 * math.sin(x / 17 + number) + 0.2 * math.cos(y / 11 * (number + 1))
                if (x // 23 + y // 19) % 7 == 0:
                    value = 1 - value
                value += numbers.uniform(-0.02, 0.02)
                value = max(0, min(top, int(value * top))) - ((1 << (bits - 1)) if signed else 0)
                data += value.to_bytes(1 if bits <= 8 else 2, "little", signed=signed)
    return bytes(data)


def decode(path, component, reduce, bits, signed):
    """What OpenJPEG makes of a component, as little-endian numbers of 32 bits; None where it makes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.rawl")
        command = ["opj_decompress", "-i", path, "-o", target, "-r", str(reduce)]
        if component is not None:
            command += ["-c", str(component)]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
        with open(target, "rb") as file:
            data = file.read()
    size = 1 if bits <= 8 else 2
    numbers = [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]
    # Signed numbers come without the bits above their own.
    wrap = 1 << bits
    if signed:
        numbers = [number % wrap - (wrap if number % wrap >= wrap // 2 else 0) for number in numbers]
    return b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)


def make(name, *options, size=(101, 83), bits=8, signed=False, steps=((1, 1),) * 3, resolutions=4):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.rawl")
        with open(source, "wb") as file:
            file.write(picture(size, bits, signed, steps))
        target = os.path.join(here, f"{name}.j2k")
        shape = ":".join(f"{dx}x{dy}" for dx, dy in steps)
        kind = f"{size[0]},{size[1]},{len(steps)},{bits},{'s' if signed else 'u'}@{shape}"
        command = ["opj_compress", "-i", source, "-o", target, "-F", kind, "-n", str(resolutions)]
        subprocess.run([*command, *options], check=True, capture_output=True)
    isSubsampled = any(step != (1, 1) for step in steps)
    levels = {}
    for reduce in range(resolutions):
        # Taken together, sub-sampled components would come out as RGB.
        parts = range(len(steps)) if isSubsampled else [None]
        decoded = [decode(target, part, reduce, bits, signed) for part in parts]
        levels[reduce] = hashlib.md5(b"".join(decoded)).hexdigest()
    expected[name] = levels


grey = ((1, 1),)
layers = ("-r", "40,20,8,1")
tiles = ("-t", "47,39")
make("lrcp-layers-tiles", *layers, *tiles, "-p", "LRCP", "-SOP", "-EPH", "-b", "16,16")
make("lrcp-few-levels", "-r", "15", *tiles, "-p", "LRCP", "-SOP", "-EPH", resolutions=2)
make("rlcp-precincts-lossy", "-I", "-r", "30,6", "-p", "RLCP", "-c", "[64,64],[32,32]", "-PLT", "-TLM")
make("rpcl-parts-halved", "-r", "4", *tiles, "-p", "RPCL", "-TP", "R", steps=((1, 1), (2, 2), (2, 1)))
make("pcrl-16-bits", "-r", "3", "-p", "PCRL", "-c", "[32,64]", "-PLT", "-b", "32,8", bits=16, steps=grey)
make("cprl-signed-12-bits", "-I", "-r", "5", "-p", "CPRL", "-d", "13,22", "-T", "5,9", *tiles, bits=12, signed=True)
make("progression-changes", *layers, "-POC", "T1=0,0,4,2,3,CPRL/T1=2,0,4,4,3,RLCP")
make("component-of-interest", "-I", "-r", "9,3", "-ROI", "c=0,U=7", steps=grey)
make("four-bits", "-r", "1", "-mct", "0", "-b", "64,4", bits=4, steps=grey, resolutions=2)
make("four-components", "-I", "-r", "10", "-p", "RPCL", "-TP", "C", steps=((1, 1),) * 4, size=(64, 50))
make("one-row", "-r", "1", size=(77, 1), steps=grey, resolutions=1)
make("one-column", "-I", "-r", "1", "-d", "3,5", size=(1, 61), steps=grey, resolutions=1)
small = {"size": (60, 44), "steps": grey, "resolutions": 3}
for style, name in ((1, "bypass"), (2, "reset"), (4, "terminate"), (8, "causal"), (32, "symbols"), (63, "all-styles")):
    make(f"blocks-{name}", "-r", "12,6,1", "-M", str(style), "-b", "16,32", **small)
make("blocks-bypass-terminate", "-I", "-r", "3", "-M", "5", "-b", "64,64", **small)

with open(os.path.join(here, "expected.json"), "w") as file:
    json.dump(expected, file, indent=2)
    file.write("\n")
