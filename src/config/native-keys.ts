import { defineKeys } from "./keys.ts";

/** Whether native code of ours is used where there is some. */
export const nativeKeys = defineKeys({
  "processor.native_code": {
    type: "boolean",
    default: true,
    doc: "Whether native code of Vitrine's own is used where there is some for the machine (Linux on x64 and arm64, with glibc), to read at once what the system has of a file in memory, and to give memory back to it.",
    restart: true,
  },
});
