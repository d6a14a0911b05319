import { setPriority } from "node:os";
import sharp from "sharp";
import { ServerError } from "../../core/errors.ts";
import { open } from "../libvips/index.ts";
import type { JobMessage, ThreadMessage } from "../pool/index.ts";
import type { SvgDrawing, SvgJob } from "./job.ts";

/*
 * librsvg cannot be interrupted, nor its memory limited: so it runs in a process of its own, which
 * its parent may kill at any time, and which exits once it uses too much.
 */

const watchMs = 50;
const [memory = 0, niceness = 0] = process.argv.slice(2).map(Number);

const end = (): void => {
  // An orderly exit would wait for the current rendering.
  process.kill(process.pid, "SIGKILL");
};
process.on("disconnect", end);
setInterval(() => {
  if (process.memoryUsage.rss() > memory) end();
}, watchMs);

setPriority(niceness);
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadSvg"] });

const send = (message: ThreadMessage<SvgDrawing>): void => {
  process.send?.(message);
};

const draw = async ({ document, width, height }: SvgJob): Promise<SvgDrawing> => {
  const options = { limitInputPixels: width * height, density: 72 };
  const { data, info } = await open(Buffer.from(document), { as: "svg", options, seconds: 0 })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  if (info.width !== width || info.height !== height)
    throw new Error(`Expected ${width} x ${height} pixels, not ${info.width} x ${info.height}.`);
  return { pixels: data };
};

process.on("message", async ({ id, job }: JobMessage<SvgJob>) => {
  try {
    send({ id, outcome: await draw(job) });
  } catch (error) {
    const message = error instanceof Error ? error.message : "unknown";
    send({
      id,
      damage: error instanceof ServerError ? { message, failure: error.failure } : { message },
    });
  }
});

send({ ready: true });
