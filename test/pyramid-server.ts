import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Config } from "../src/config/store.ts";
import { type Logger, silent } from "../src/core/log.ts";
import { createCodecs } from "../src/formats/index.ts";
import { Resources } from "../src/formats/pool/index.ts";
import { PyramidFolder } from "../src/pyramids/folder.ts";
import { Workshop } from "../src/pyramids/job-folder.ts";
import {
  createPyramids,
  type PyramidsDeps,
  type ServerPyramids,
} from "../src/pyramids/pyramids.ts";
import { type KnownImage, knownImageOf } from "../src/service/known.ts";
import { fileObject } from "../src/sources/file-object.ts";
import { OpenFiles, versionOf } from "../src/sources/open-files.ts";

/** Where a server's pyramids and images are. */
export interface PyramidPlace {
  /** The folder of pyramids. */
  readonly root: string;
  /** The folder of images, which are PNG; identifiers are names of files. */
  readonly images: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly log?: Logger;
  /** Absent: there are none. */
  readonly overviews?: PyramidsDeps["overviews"];
}

/** The pyramids of a server, without the rest of it; images of 10,000 pixels are slow to zoom. */
export const openPyramids = ({
  root,
  images,
  values = {},
  log = silent,
  overviews = { look: async () => undefined },
}: PyramidPlace): ServerPyramids => {
  const config = new Config({ "pyramids.min_pixels": 10_000, "pyramids.niceness": 0, ...values });
  const files = new OpenFiles(() => ({ max: 0, idleMs: 1_000 }));
  const resources = new Resources(config);
  const codecOf = createCodecs(resources);
  const decoderOf = async (format: "tif" | "png") => {
    const { decoder } = await codecOf(format);
    if (decoder === undefined) throw new Error("Expected a decoder.");
    return decoder;
  };
  const image = async (identifier: string, signal: AbortSignal): Promise<KnownImage> => {
    const path = join(images, identifier);
    const found = await stat(path, { bigint: true });
    const file = { path, size: Number(found.size), version: versionOf(found) };
    const object = fileObject(file, Number(found.mtimeMs), files);
    const reader = await object.open(signal);
    try {
      return knownImageOf(await (await decoderOf("png")).info(reader, signal), object);
    } finally {
      await reader.close();
    }
  };
  const pyramids = createPyramids({
    ...{ config, store: new PyramidFolder(root, files), workshop: new Workshop(root) },
    ...{ worker: 1, log, image, decoder: () => decoderOf("tif") },
    ...{ overviews, cost: () => ({ pixels: 100_000_000 }) },
  });
  return {
    ...pyramids,
    get pending() {
      return pyramids.pending;
    },
    async close() {
      await pyramids.close();
      await resources.close();
    },
  };
};
