import { defineKeys } from "./keys.ts";

/** Whether native code of ours is used where there is some. */
export const nativeKeys = defineKeys({
  "processor.native_code": {
    type: "boolean",
    default: true,
    doc: "Whether native code of Vitrine's own is used where there is some for the machine (Linux on x64 and arm64, with glibc): to decode stored tiles in deflate, Zstandard and WebP, and to read at once what the system has in memory of a file. WebAssembly, which decodes otherwise, takes half as much time again, and confines what a hostile file might do to a decoder to memory of its own.",
    restart: true,
  },
});
