#!/bin/sh
# Makes native/*.node again, for the platforms that are named below, from the C sources that Rust packages
# carry. Needs cargo, npm and Python with venv; native/README.md tells why the results are kept.
set -eu

home=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet ziglang==0.17.1
mkdir -p "$work/src"
touch "$work/src/lib.rs"
cat > "$work/Cargo.toml" <<END
[package]
name = "sources"
version = "0.0.0"
edition = "2021"
[dependencies]
libdeflate-sys = "=1.26.1"
libwebp-sys = "=0.14.4"
zstd-sys = "=2.1.2"
END
(cd "$work" && cargo vendor --quiet vendor > /dev/null && npm pack --silent node-api-headers@1.9.0 > /dev/null)
tar -xzf "$work/node-api-headers-1.9.0.tgz" -C "$work"

deflate=$work/vendor/libdeflate-sys/libdeflate
webp=$work/vendor/libwebp-sys/vendor
zstd=$work/vendor/zstd-sys/zstd/lib
utils=
for part in bit_reader color_cache filters huffman quant_levels_dec random rescaler thread; do
  utils="$utils $webp/src/utils/${part}_utils.c"
done

compile() {
  output=$1
  target=$2
  processor=$3
  # Nothing but Node.js looks a name up here, and what was installed must not be taken for ours.
  # shellcheck disable=SC2086 # a list of files
  "$work/python/bin/python" -m ziglang cc -target "$target" -mcpu="$processor" -O3 -DNDEBUG -w \
    -shared -fPIC -fvisibility=hidden -Wl,-Bsymbolic -Wl,--gc-sections -ffunction-sections -s \
    -ffile-prefix-map="$work=." -ffile-prefix-map="$home=." \
    -DNAPI_VERSION=8 -DZSTD_LEGACY_SUPPORT=0 \
    -I"$work/package/include" -I"$deflate" -I"$webp" -I"$zstd" -I"$home/native/src" \
    "$home"/native/src/*.c \
    "$deflate"/lib/deflate_decompress.c "$deflate"/lib/zlib_decompress.c "$deflate"/lib/adler32.c \
    "$deflate"/lib/utils.c "$deflate"/lib/x86/cpu_features.c "$deflate"/lib/arm/cpu_features.c \
    "$webp"/src/dec/*.c "$webp"/src/dsp/*.c $utils "$webp/src/utils/utils.c" "$webp/src/utils/palette.c" \
    "$zstd"/common/debug.c "$zstd"/common/entropy_common.c "$zstd"/common/error_private.c \
    "$zstd"/common/fse_decompress.c "$zstd"/common/xxhash.c "$zstd"/common/zstd_common.c \
    "$zstd"/decompress/*.c "$zstd"/decompress/*.S -o "$home/native/$output"
}

compile linux-x64.node x86_64-linux-gnu.2.28 x86_64_v2
compile linux-arm64.node aarch64-linux-gnu.2.28 generic

(cd "$home/native" && sha256sum ./*.node | sed 's|\./||' > SHA256SUMS)
