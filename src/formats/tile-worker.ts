import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { loadNative } from "../core/native.ts";
import { createTileDecoder } from "./tile-decode.ts";
import { createTileEncoder, drawScaled, drawTiles } from "./tile-drawing.ts";
import type { TileAnswer, TileRequest } from "./tile-job.ts";
import { createSampleDecoder } from "./tile-samples.ts";
import { createTileScaler } from "./tile-scaling.ts";
import { loadTurbo } from "./turbo.ts";

if (process.platform === "linux" && typeof workerData.niceness === "number")
  // There it is the calling thread alone whose priority this is.
  setPriority(0, workerData.niceness);

const turbo = await loadTurbo();
const encode = turbo && createTileEncoder(turbo);
const decoder = await createTileDecoder({
  turbo,
  native: workerData.native === true ? loadNative() : undefined,
});
const scaler = await createTileScaler();
const decodeSamples = createSampleDecoder(decoder);

const carryOut = (job: TileRequest["job"]): Uint8Array | Promise<Uint8Array> => {
  if ("layout" in job) return decodeSamples(job);
  if (encode === undefined) throw new Error("there is no encoder here");
  const tools = { encode, decoder, scaler };
  return "level" in job ? drawScaled(job, tools) : drawTiles(job, tools);
};

parentPort?.on("message", async ({ id, job }: TileRequest) => {
  try {
    const bytes = await carryOut(job);
    const answer: TileAnswer = { id, bytes };
    parentPort?.postMessage(answer, [bytes.buffer as ArrayBuffer]);
  } catch (error) {
    const answer: TileAnswer = { id, damage: error instanceof Error ? error.message : "unknown" };
    parentPort?.postMessage(answer);
  }
});
