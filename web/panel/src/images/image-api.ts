import { entriesOf } from "../configuration/differences.ts";
import { useLive } from "../server/live.ts";
import type { ConfigurationReport } from "../server/wire.ts";
import { type ApiVersion, versions } from "./request-url.ts";

/** How images are requested here. */
export interface ImageApi {
  /** The enabled versions, latest first. */
  readonly enabled: readonly ApiVersion[];
  /** The separator between an identifier and a page number; empty where pages cannot be named. */
  readonly delimiter: string;
}

const delimiterKey = "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter";

/** From the configuration; undefined until that is known. */
export const useImageApi = (): ImageApi | undefined => {
  const live = useLive<ConfigurationReport>("configuration", 0);
  const report = live.value.value;
  // Without the configuration, defaults are better than nothing.
  if (report === undefined) return live.problem.value === undefined ? undefined : usual;
  const values = new Map(entriesOf(report).map(({ key, value }) => [key, value]));
  return {
    enabled: versions.filter(
      (version) => values.get(`endpoint.iiif.${version}.enabled`) !== "false",
    ),
    // Only the delegate knows how pages are named.
    delimiter:
      values.get("meta_identifier.transformer") === "DelegateMetaIdentifierTransformer"
        ? ""
        : (values.get(delimiterKey) ?? usual.delimiter),
  };
};

const usual: ImageApi = { enabled: versions, delimiter: ";" };
