import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { type EmbeddedBlocks, embed, preservedBlocks } from "../formats/write/embedding/index.ts";
import type { PlanTools } from "./tools.ts";

/**
 * The metadata written into a plan's response; undefined where the file has to be read for it
 * first.
 */
export const cachedBlocks = (plan: Plan, { preserved }: PlanTools): EmbeddedBlocks | undefined => {
  if (plan.preserve !== true) return plan.xmp === undefined ? nothing : { xmp: plan.xmp };
  return preserved?.kept && withXmp(preserved.kept, plan);
};

/** As `cachedBlocks`, read from the file. Throws what the reader throws, or the signal's reason. */
export const blocksFor = async (
  plan: Plan,
  { preserved, info }: PlanTools,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<EmbeddedBlocks> => {
  const read = preserved?.read(reader, signal) ?? preservedBlocks(reader, info, signal);
  return withXmp(await read, plan);
};

/** A response with metadata written into it. */
export const written = (body: Uint8Array, { format }: Plan, blocks: EmbeddedBlocks): Uint8Array =>
  blocks === nothing ? body : embed(body, format, blocks);

const nothing: EmbeddedBlocks = {};

const withXmp = (blocks: EmbeddedBlocks, { xmp }: Plan): EmbeddedBlocks =>
  xmp === undefined ? blocks : { ...blocks, xmp };
