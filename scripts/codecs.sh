#!/bin/sh
# Makes codecs/*.wasm again from the C and C++ sources that Rust packages carry. Needs cargo, emcc 3.1.6
# (Emscripten); codecs/README.md tells why the results are kept in the repository.
set -eu

home=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/src"
touch "$work/src/lib.rs"
cat > "$work/Cargo.toml" <<END
[package]
name = "sources"
version = "0.0.0"
edition = "2021"
[dependencies]
jpegxl-src = "=0.12.0"
openjpeg-sys = "=1.0.12"
END
(cd "$work" && cargo vendor --quiet vendor > /dev/null)

# The stack comes first, so that one that is used up traps and writes over nothing. What a module takes of memory at most,
# in bytes, comes first.
common="-msimd128 -DNDEBUG -w -ffile-prefix-map=$work=."
compile_with_heap() {
  most=$1
  output=$2
  shift 2
  # shellcheck disable=SC2086 # a list of options
  em++ $common -sSTANDALONE_WASM --no-entry -sTOTAL_STACK=1048576 -Wl,--stack-first \
    -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=2097152 -sMAXIMUM_MEMORY="$most" \
    -sMALLOC=emmalloc -sERROR_ON_UNDEFINED_SYMBOLS=1 "$@" -o "$home/codecs/$output"
  chmod 644 "$home/codecs/$output"
}
# shellcheck disable=SC2086 # a list of options
object() { emcc $common -O3 "$@"; }
mkdir "$work/o"
object -c "$home/codecs/src/library.c" -o "$work/o/library.o"

openjpeg=$work/vendor/openjpeg-sys
set -- -DOPJ_STATIC -DMUTEX_stub -DOPJ_HAVE_POSIX_MEMALIGN
set -- "$@" -I"$openjpeg/config" -I"$openjpeg/vendor/src/lib/openjp2"
for part in bio cio dwt event function_list ht_dec image invert j2k jp2 mct mqc openjpeg \
  opj_clock opj_malloc pi sparse_array t1 t2 tcd tgt thread; do
  object "$@" -c "$openjpeg/vendor/src/lib/openjp2/$part.c" -o "$work/o/j2k-$part.o"
done
object "$@" -c "$home/codecs/src/jpeg2000-encoder.c" -o "$work/o/encoder-j2k.o"
compile_with_heap 805306368 jpeg2000-encoder.wasm -O3 "$work/o/encoder-j2k.o" \
  $(find "$work/o" -name 'j2k-*.o' | LC_ALL=C sort) "$work/o/library.o"

jxl=$work/vendor/jpegxl-src/libjxl
mkdir -p "$work/generated/jxl"
for name in JXL JXL_CMS JXL_THREADS; do
  header=$(echo "$name" | tr '[:upper:]' '[:lower:]')_export.h
  printf '#define %s_EXPORT\n#define %s_NO_EXPORT\n' "$name" "$name" > "$work/generated/jxl/$header"
done
sed -e 's/@JPEGXL_MAJOR_VERSION@/0/; s/@JPEGXL_MINOR_VERSION@/12/; s/@JPEGXL_PATCH_VERSION@/0/' \
  "$jxl/lib/jxl/version.h.in" > "$work/generated/jxl/version.h"
set -- -O2 -DJPEGXL_ENABLE_TRANSCODE_JPEG=0 -DJPEGXL_ENABLE_BOXES=0 -DJXL_STATIC_DEFINE \
  -I"$jxl" -I"$jxl/lib/include" -I"$jxl/third_party/highway" -I"$work/generated"
object "$@" -c "$home/codecs/src/jpegxl.c" -o "$work/o/jxl.o"
sources=$(sed -n '/JPEGXL_INTERNAL_DEC_SOURCES/,/)/p' "$jxl/lib/jxl_lists.cmake" |
  grep -o 'jxl/.*\.cc' | sed 's|^|lib/|')
for part in abort aligned_allocator per_target targets; do
  sources="$sources third_party/highway/hwy/$part.cc"
done
for source in $sources; do
  # shellcheck disable=SC2086 # a list of options
  em++ $common -std=c++17 -fno-exceptions -fno-rtti "$@" -c "$jxl/$source" \
    -o "$work/o/jxl-$(basename "$source" .cc).o"
done
compile_with_heap 805306368 jpegxl.wasm -O2 -fno-exceptions "$work"/o/jxl*.o "$work/o/library.o"

mkdir "$work/o/encoder"
set -- "$@" -DJPEGXL_ENABLE_SKCMS=1 -I"$jxl/third_party/skcms" -I"$jxl/third_party/brotli/c/include"
object "$@" -c "$home/codecs/src/jpegxl-encoder.c" -o "$work/o/encoder/jxl-encoder.o"
encoding=$(sed -n '/JPEGXL_INTERNAL_ENC_SOURCES/,/)/p' "$jxl/lib/jxl_lists.cmake" |
  grep -o 'jxl/.*\.cc' | sed 's|^|lib/|')
skcms=third_party/skcms
for source in $sources $encoding lib/jxl/cms/jxl_cms.cc $skcms/skcms.cc $skcms/src/skcms_TransformBaseline.cc; do
  # shellcheck disable=SC2086 # a list of options
  em++ $common -std=c++17 -fno-exceptions -fno-rtti "$@" -c "$jxl/$source" \
    -o "$work/o/encoder/$(echo "$source" | tr / _).o"
done
compile_with_heap 1610612736 jpegxl-encoder.wasm -O2 -fno-exceptions "$work"/o/encoder/*.o "$work/o/library.o"

(cd "$home/codecs" && sha256sum ./*.wasm | sed 's|\./||' > SHA256SUMS)
