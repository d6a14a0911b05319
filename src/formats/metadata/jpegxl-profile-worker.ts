import { Refusal, startEngine } from "../heif-jxl/jpegxl/index.ts";
import { answerJobs } from "../pool/index.ts";
import type { ProfileJob, ProfileOutcome } from "./jpegxl-profile.ts";

/** Memory of libjxl for a profile: the minimum that can be set. */
const maxMemory = 268_435_456;

await answerJobs<ProfileJob, ProfileOutcome>(async () => {
  const engine = await startEngine(maxMemory);
  return {
    carryOut({ beginning, max }) {
      try {
        const { profile } = engine.outline(beginning);
        const bytes = profile?.length ?? 0;
        return profile === undefined || bytes > max ? { bytes } : { bytes, profile };
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
  };
});
