import { readMetadata } from "../formats/metadata/read.ts";
import type { Images } from "../service/images.ts";
import type { Hub } from "./hub.ts";
import type { ImageLookup } from "./image-lookup.ts";

/** Where images are looked up. */
export interface LookUpParts {
  readonly images: Images;
  /** The kind of source. */
  readonly source: string;
  readonly hub: Pick<Hub, "inMemory">;
}

/** Milliseconds that looking an image up may take. */
const mostMs = 15_000;

/** What there is to be told of an image; throws as serving it would. */
export const lookUp = async (
  { images, source, hub }: LookUpParts,
  identifier: string,
  signal: AbortSignal,
): Promise<ImageLookup> => {
  const both = AbortSignal.any([signal, AbortSignal.timeout(mostMs)]);
  const context = { requestId: "administration", identifier, signal: both };
  const { info, object, version, lastModified } = await images.know(context, "use");
  const reader = await object.open(both);
  try {
    return {
      identifier,
      source,
      size: object.size,
      ...(lastModified ? { lastModified } : {}),
      version,
      info,
      metadata: await readMetadata(reader, info, both),
      inMemory: await hub.inMemory(identifier).catch(() => ({ entries: 0, bytes: 0 })),
    };
  } finally {
    await reader.close();
  }
};
