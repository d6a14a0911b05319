import type { ImageInfo } from "../src/core/info.ts";
import type { Plan } from "../src/core/plan.ts";
import type { RangeReader, ReadSync } from "../src/core/range-reader.ts";
import { advance, complete } from "../src/core/steps.ts";
import type { WayName } from "../src/core/timings.ts";
import type { Codec } from "../src/formats/shared/codec.ts";
import { toolsOf } from "../src/render/tools.ts";
import { type Way, ways } from "../src/render/ways.ts";

const wayOf = (name: WayName): Way => {
  const way = ways.find((one) => one.name === name);
  if (way === undefined) throw new Error(`Expected a way '${name}'.`);
  return way;
};

/** One way's result for a plan, waiting as needed; undefined where the next way has to be taken. */
export const answerBy = async (
  name: WayName,
  plan: Plan,
  { reader, info, codec: { decoder } }: { reader: RangeReader; info: ImageInfo; codec: Codec },
  signal: AbortSignal = new AbortController().signal,
): Promise<Uint8Array | undefined> => {
  const way = wayOf(name);
  const means = toolsOf(plan, { info, file: reader, decoder });
  const steps = way.whyNot(plan, means) === undefined ? way.answer(plan, means) : undefined;
  return steps && complete(steps, reader, signal);
};

/** The result of the first of some ways that has one, without waiting; undefined where none has. */
export const answerSync = (
  names: readonly WayName[],
  plan: Plan,
  { near, size, info, codec }: { near?: ReadSync; size: number; info: ImageInfo; codec: Codec },
): Uint8Array | undefined => {
  const means = toolsOf(plan, { info, file: { size }, decoder: codec.decoder });
  for (const way of names.map(wayOf)) {
    const steps = way.whyNot(plan, means) === undefined ? way.answer(plan, means) : undefined;
    if (steps === undefined) continue;
    const state = advance(steps, near);
    if (!state.isDone) return undefined;
    if (state.value !== undefined) return state.value;
  }
  return undefined;
};
