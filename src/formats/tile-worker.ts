import { parentPort } from "node:worker_threads";
import { drawTiles, unpack } from "./tile-drawing.ts";
import type { TileAnswer, TileRequest } from "./tile-job.ts";
import { loadTurbo } from "./turbo.ts";
import { zstdDecoder } from "./zstd.ts";

const turbo = await loadTurbo();
const unzstd = await zstdDecoder();

const carryOut = (job: TileRequest["job"]): Uint8Array => {
  if (!("tiles" in job))
    return Uint8Array.from(unpack(job.compression, job.bytes, { ...job, unzstd }));
  if (turbo === undefined) throw new Error("there is no encoder here");
  return drawTiles(job, { turbo, unzstd });
};

parentPort?.on("message", ({ id, job }: TileRequest) => {
  try {
    const bytes = carryOut(job);
    const answer: TileAnswer = { id, bytes };
    parentPort?.postMessage(answer, [bytes.buffer as ArrayBuffer]);
  } catch (error) {
    const answer: TileAnswer = { id, damage: error instanceof Error ? error.message : "unknown" };
    parentPort?.postMessage(answer);
  }
});
