import { masked } from "../config/masked.ts";
import { Config, type Snapshot } from "../config/store.ts";
import { createCodecs } from "../formats/index.ts";
import { prepareVips } from "../formats/libvips/index.ts";
import { Resources } from "../formats/pool/index.ts";
import { singleFile } from "../sources/file-reader.ts";
import { type ExaminingTools, examine } from "./examining.ts";
import type { FromExaminer, ToExaminer } from "./messages.ts";
import { type PipedReader, pipedReader } from "./piped-reader.ts";

// A process that examines one object after another; if one crashes it, the parent continues.

const send = (message: FromExaminer): void => {
  // The parent may be gone.
  if (process.connected) process.send?.(message);
};

const { signal } = new AbortController();
let tools: ExaminingTools | undefined;
let piped: PipedReader | undefined;

const toolsFor = (values: Snapshot): ExaminingTools => {
  prepareVips();
  const config = new Config(values);
  return { config, codecs: createCodecs(new Resources(config)) };
};

const work = async ({
  place,
  options,
}: Extract<ToExaminer, { readonly kind: "examine" }>): Promise<void> => {
  try {
    if (tools === undefined) throw new Error("The process was not configured.");
    piped = "path" in place ? undefined : pipedReader(place.size, send);
    const reader = "path" in place ? await singleFile(place.path) : piped?.reader;
    if (reader === undefined) throw new Error("There is no reader.");
    try {
      send({ kind: "examined", examined: await examine(reader, options, tools, signal) });
    } finally {
      await reader.close();
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ kind: "failed", message: masked(message) });
  }
};

// A terminal signals all its processes; the parent decides what follows.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => {});
process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToExaminer) => {
  if (message.kind === "configure") tools = toolsFor(message.values);
  else if (message.kind === "examine") void work(message);
  else piped?.answered(message);
});
