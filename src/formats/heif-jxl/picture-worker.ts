import { fail, ServerError } from "../../core/errors.ts";
import { answerJobs } from "../pool/index.ts";
import type {
  HeifJxlFile,
  HeifJxlImage,
  HeifJxlJob,
  HeifJxlLimits,
  HeifJxlOutcome,
} from "./contract.ts";
import { DecodedImages } from "./decoded-images.ts";
import { partOf } from "./part.ts";

type Open = (bytes: Uint8Array, limits: HeifJxlLimits) => HeifJxlImage;

/** From `heifJxlThreadLimits`. */
const limitsIn = ({
  decoded,
  pixels,
  ms,
  memory,
}: Readonly<Record<string, unknown>>): HeifJxlLimits => ({
  decoded: Number(decoded),
  pixels: Number(pixels),
  ms: Number(ms),
  memory: Number(memory),
});

/** The fraction of a part's time limit after which no further tile is begun. */
const longestShare = 0.75;

await answerJobs<HeifJxlJob, HeifJxlOutcome>(async (data) => {
  const limits = limitsIn(data);
  const kept = new DecodedImages(limits.memory);
  const openers = {
    heic: async (): Promise<Open> => (await import("./heic.ts")).heicOpener(limits),
    jxl: async (): Promise<Open> => (await import("./jpegxl.ts")).jpegXlOpener(limits),
  };
  const made = new Map<string, Open>();

  const open = async ({ id, format, bytes }: HeifJxlFile): Promise<HeifJxlImage | undefined> => {
    const before = kept.get(id);
    if (before !== undefined || bytes === undefined) return before;
    const opener = made.get(format) ?? (await openers[format]());
    made.set(format, opener);
    const picture = opener(bytes, limits);
    kept.set(id, picture, bytes.length);
    return picture;
  };

  return {
    async carryOut(job) {
      const { id } = job.file;
      const picture = await open(job.file);
      if (picture === undefined) return { absent: true };
      if (job.kind === "pages") return { pages: picture.pages };
      const { page } = job;
      const end = performance.now() + limits.ms * longestShare;
      return {
        pixels: partOf(
          picture,
          (tile) => {
            // Decoded tiles stay cached, so that a retry is faster.
            if (performance.now() > end)
              fail("late", "Decoding the tiles of the image took too long; try again.");
            return kept.tile(id, tile);
          },
          job,
        ),
        profile: job.profiled ? picture.pages[page]?.profile : undefined,
      };
    },
    transfer: (outcome) =>
      "pixels" in outcome ? [outcome.pixels.values.buffer as ArrayBuffer] : [],
    // Any error but our own refusals may have corrupted the decoder.
    isFatal: (error) => !(error instanceof ServerError),
  };
});
