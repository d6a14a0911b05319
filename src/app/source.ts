import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import type { Source, SourcePart } from "../core/source.ts";
import type { DelegatePlace } from "../delegate/delegates.ts";
import { createSourceCopies } from "../service/source-copies.ts";
import { createSource } from "../sources/choosing.ts";
import { sourceKeys } from "../sources/index.ts";
import { openDelegate } from "./delegate.ts";

/** All configured sources: the only one, or those chosen among. */
export const sourceParts = (config: Config, source: Source): readonly SourcePart[] =>
  source.parts ?? [
    { name: "source.static", kind: config.view(sourceKeys)()["source.static"], source },
  ];

/** The configured source as the server reads it, for commands. */
export interface OpenedSource {
  /** Reads copies where the server does. */
  readonly source: Source;
  close(): Promise<void>;
}

/**
 * Opens the configured source, with its delegate where one is enabled and with the server's copies
 * of images. Throws `malformed` where the configuration is invalid.
 */
export const openSource = async (
  config: Config,
  log: Logger,
  place: DelegatePlace,
): Promise<OpenedSource> => {
  const delegated = await openDelegate(config, log, place);
  try {
    const kept = createSource(config, log, delegated?.delegate);
    const copies = await createSourceCopies(config, log);
    return {
      source: copies.source(kept),
      async close() {
        await kept.close?.();
        await delegated?.close();
        await copies.close();
      },
    };
  } catch (error) {
    await delegated?.close();
    throw error;
  }
};
