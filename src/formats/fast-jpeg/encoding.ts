import { ServerError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { type Job, type Steps, work } from "../../core/steps.ts";
import { withProfile } from "../containers/index.ts";
import type { TileJob } from "./tile-job.ts";

/** libjpeg-turbo's settings for the output JPEG. */
export type JpegEncoding = Pick<TileJob, "quality" | "subsampling">;

/** Why libjpeg-turbo's binding cannot encode as the plan requires; undefined where it can. */
export const whyNotEncoded = ({ encoding }: Pick<Plan, "encoding">): string | undefined => {
  if (encoding["encoder"] === "libvips") return "libvips encodes tiles of this quality";
  if (encoding["progressive"] === true) return "JPEGs are configured to be progressive";
  if (encoding["optimise"] === true)
    return "the Huffman tables of JPEGs are configured to be optimised";
  return typeof encoding["quality"] === "number" ? undefined : "the plan has no JPEG quality";
};

/** The plan's encoding for libjpeg-turbo; undefined where `whyNotEncoded` has a reason. */
export const jpegEncodingOf = (plan: Pick<Plan, "encoding">): JpegEncoding | undefined => {
  const { quality, subsampling } = plan.encoding;
  if (whyNotEncoded(plan) !== undefined || typeof quality !== "number") return undefined;
  return { quality, subsampling: subsampling === "4:4:4" ? "4:4:4" : "4:2:0" };
};

/**
 * The JPEG that a job makes, with a colour profile if one is given; undefined where libvips has to
 * make it.
 */
export function* encoded(
  job: Job<Uint8Array>,
  profile: Uint8Array | undefined,
): Steps<Uint8Array | undefined> {
  try {
    const jpeg = yield* work(job);
    return profile ? withProfile(jpeg, profile) : jpeg;
  } catch (error) {
    if (isRecoverable(error)) return undefined;
    throw error;
  }
}

/**
 * Whether libvips may do better: a file that these threads cannot read, or a broken thread, says
 * nothing about what it can do.
 */
export const isRecoverable = (error: unknown): boolean =>
  error instanceof ServerError && recoverable.has(error.failure);

const recoverable: ReadonlySet<string> = new Set(["unreadable", "internal"]);
