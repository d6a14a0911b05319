import { difference, pixelsOf } from "../../test/likeness.ts";
import { Connection } from "../connection.ts";
import type { Running } from "./server.ts";

/** An image, requested from two servers. */
export interface Pair {
  readonly ours: string;
  readonly theirs: string;
}

/** The difference of two servers' images. */
export interface Agreement {
  /**
   * The mean difference of the samples in steps of 255, of the worst pair; absent when none came.
   */
  readonly apart?: number;
  /** What does not agree at all, a sentence each. */
  readonly complaints: readonly string[];
}

/** Requests the same images from two servers: they must have one size, and look alike. */
export const agreement = async (
  ours: Running,
  theirs: Running,
  pairs: readonly Pair[],
): Promise<Agreement> => {
  const complaints: string[] = [];
  let apart: number | undefined;
  for (const pair of pairs) {
    const one = await fetchPicture(ours, pair.ours);
    const other = await fetchPicture(theirs, pair.theirs);
    // What the other cannot do shows in its rate.
    if (typeof other === "string") continue;
    const found = await compared(one, other);
    if (typeof found === "string")
      complaints.push(`${theirs.name} and ${ours.name}, ${pair.theirs}: ${found}`);
    else apart = Math.max(apart ?? 0, found);
  }
  return { ...(apart === undefined ? {} : { apart }), complaints };
};

/** The mean difference, or what is wrong. */
const compared = async (one: Buffer | string, other: Buffer): Promise<number | string> => {
  if (typeof one === "string") return `status ${one} from ours alone`;
  const [a, b] = await Promise.all([pixelsOf(one), pixelsOf(other)]);
  if (a.width !== b.width || a.height !== b.height)
    return `${b.width} × ${b.height} and ${a.width} × ${a.height}`;
  const { mean } = difference(a, b);
  return mean > maxApart ? `not alike, ${mean.toFixed(1)} apart` : mean;
};

/** Encoders and filters differ; a wrong position, level or colour differs more than this. */
const maxApart = 12;

/** The image, or the status received instead. */
const fetchPicture = async ({ base }: Running, path: string): Promise<Buffer | string> => {
  const connection = new Connection({ base, timeout: 30_000, headers: {} });
  try {
    const { status, body } = await connection.ask(path, { keep: true });
    return status === "200" && body !== undefined ? body : status;
  } finally {
    connection.close();
  }
};
