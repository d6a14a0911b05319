import { defineKeys } from "./keys.ts";

/** Keys of system calls that Node.js does not offer. */
export const systemCallKeys = defineKeys({
  "processor.system_calls": {
    type: "boolean",
    default: true,
    doc: "Whether Vitrine makes system calls that Node.js lacks, where the optional package koffi is installed (Linux on x64 and arm64, with glibc): it asks which parts of a file are in the page cache, so that these are read without waiting, returns free memory to the system, and lets workers share decoded blocks of JPEG 2000 files.",
    restart: true,
  },
});
