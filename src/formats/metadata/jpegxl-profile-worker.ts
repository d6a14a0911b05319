import { Refusal, startEngine } from "../heif-jxl/jpegxl/index.ts";
import { answerJobs } from "../pool/index.ts";
import type { ProfileJob, ProfileOutcome } from "./jpegxl-profile.ts";

/** Bytes that libjxl may take for a profile: the least that can be said. */
const mostMemory = 268_435_456;

await answerJobs<ProfileJob, ProfileOutcome>(async () => {
  const engine = await startEngine(mostMemory);
  return {
    carryOut({ beginning, most }) {
      try {
        const { profile } = engine.outline(beginning);
        const bytes = profile?.length ?? 0;
        return profile === undefined || bytes > most ? { bytes } : { bytes, profile };
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
  };
});
