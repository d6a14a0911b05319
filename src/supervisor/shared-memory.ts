import { closeSync } from "node:fs";
import type { Config } from "../config/store.ts";
import { systemCallKeys } from "../config/system-call-keys.ts";
import type { Logger } from "../core/log.ts";
import { loadSystemCalls } from "../core/system-calls.ts";
import { sharedPart } from "../formats/jpeg2000/file/index.ts";
import { jpeg2000Keys } from "../formats/jpeg2000/file/keys.ts";

/** Memory that workers inherit. */
export interface SharedMemory {
  readonly descriptor: number;
  /** Its size in bytes. */
  readonly bytes: number;
  /** Frees it once no worker has it either. */
  close(): void;
}

/**
 * Allocates the memory in which workers share decoded blocks of JPEG 2000 files. Undefined for a
 * single worker, if little memory is configured, and if the system does not support it: each worker
 * then has all of its memory for itself.
 */
export const allocateShared = (
  config: Config,
  workers: number,
  log: Logger,
): SharedMemory | undefined => {
  if (workers < 2 || !config.view(systemCallKeys)()["processor.system_calls"]) return undefined;
  const own = config.view(jpeg2000Keys)()["cache.server.jpeg2000.blocks.target_size"];
  if (own < minOwnBytes) return undefined;
  const bytes = Math.min(maxBytes, Math.floor(own * sharedPart) * workers);
  try {
    const descriptor = loadSystemCalls()?.allocateShared(bytes);
    if (descriptor === undefined) return undefined;
    return { descriptor, bytes, close: () => closeSync(descriptor) };
  } catch (error) {
    log.warn("Workers cannot share decoded blocks of JPEG 2000 files: each decodes its own", {
      error,
    });
    return undefined;
  }
};

/** Maps the memory as the supervisor announces it; undefined where there is none. */
export const mapShared = (announced: string | undefined, log: Logger): ArrayBuffer | undefined => {
  if (announced === undefined) return undefined;
  const [descriptor = 0, bytes = 0] = announced.split(" ").map(Number);
  try {
    return loadSystemCalls()?.mapShared(descriptor, bytes);
  } catch (error) {
    log.warn("A worker cannot share decoded blocks of JPEG 2000 files: it decodes its own", {
      error,
    });
    return undefined;
  }
};

/** With less, a worker's jobs need all of its memory for the blocks that they decode. */
const minOwnBytes = 16_777_216;

/** Addresses in it are 32-bit numbers. */
const maxBytes = 2_147_483_647;
