import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startIiifProcessor } from "../rivals/iiif-processor.ts";
import type { Origin } from "./origin.ts";
import { runSession, type Session } from "./session.ts";

/** How iiif-processor is measured on an origin. */
export interface RivalSession {
  readonly version: string;
  /** A folder for its installation. */
  readonly folder: string;
  readonly origin: Origin;
  /** The identifier of its first, untimed request, percent-encoded. */
  readonly sample: string;
  /** Below `/iiif/2`. */
  readonly paths: readonly string[];
  readonly clients: number;
}

/**
 * Runs a session on iiif-processor, whose stream resolver requests the object from the origin. The
 * sizes of the pages are cached before the session.
 */
export const rivalSession = async ({
  version,
  folder,
  origin,
  sample,
  paths,
  clients,
}: RivalSession): Promise<Session> => {
  const own = join(folder, "iiif-processor");
  await mkdir(own);
  const setup = { folder: own, pictures: own, sample, processes: 1 };
  const server = await startIiifProcessor(version, setup, `${origin.base.origin}/`);
  try {
    return await runSession(server.base, paths, { clients, origin });
  } finally {
    await server.stop();
  }
};
