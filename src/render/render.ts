import type { FormatName } from "../core/formats.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Codec } from "../formats/shared/index.ts";
import { Execution } from "./execution.ts";
import { toolsOf } from "./tools.ts";

/**
 * Executes a plan by the first way that can. Throws `unreadable` where the image's data is corrupt,
 * `unimplemented` where its format cannot be read or the requested one not written, `missing` where
 * there is no such page, `late` past the deadline, and the signal's reason once it is aborted.
 */
export const render = (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  codecs: Partial<Record<FormatName, Codec>>,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const { decoder } = codecs[info.format] ?? {};
  const { encoder } = codecs[plan.format] ?? {};
  const means = toolsOf(plan, { info, file: reader, decoder, encoder });
  return new Execution(plan, means).finish(reader, signal);
};
