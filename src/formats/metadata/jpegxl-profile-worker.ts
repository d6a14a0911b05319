import { compileWasm } from "../../core/wasm.ts";
import { type HeapCodec, newHeapCodec, withBytes } from "../heap-codec.ts";
import { answerJobs } from "../threads/worker.ts";
import { Renewed } from "../unpacker.ts";
import type { ProfileJob, ProfileOutcome } from "./jpegxl-profile.ts";

/** What is used of codecs/jpegxl.wasm for profiles alone. */
interface JpegXlProfiles extends HeapCodec {
  /** Reads the profile that a file carries; 0 where that fails. */
  lookAtCarriedProfile(from: number, length: number): number;
  profileAt(): number;
  profileBytes(): number;
}

await answerJobs<ProfileJob, ProfileOutcome>(async () => {
  const module = await compileWasm("codecs", "jpegxl");
  const codecs = new Renewed<JpegXlProfiles>(() => newHeapCodec(module));
  return {
    carryOut: ({ beginning, most }) =>
      codecs.with((codec) =>
        withBytes(codec, beginning, (from): ProfileOutcome => {
          if (codec.lookAtCarriedProfile(from, beginning.length) === 0) return undefined;
          const bytes = codec.profileBytes();
          if (bytes === 0 || bytes > most) return { bytes };
          const profile = new Uint8Array(codec.memory.buffer, codec.profileAt() >>> 0, bytes);
          return { bytes, profile: profile.slice() };
        }),
      ),
  };
});
