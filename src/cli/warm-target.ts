import type { Config } from "../config/store.ts";
import { isOfSource, sourceFailureText } from "../conversion/failure-report.ts";
import { parseIdentifier, segmentOfText } from "../core/identifier.ts";
import { type LogFields, silent } from "../core/log.ts";
import { apiKeys } from "../http/api/keys.ts";
import { identifierReadingKeys, identifierSyntax } from "../iiif/identifiers.ts";
import { endpointKeys } from "../iiif/versions.ts";
import { pyramidKeys } from "../pyramids/keys.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { UsageError } from "./command.ts";
import type { WarmJob } from "./warm-options.ts";
import { ownTarget } from "./warming/own-target.ts";
import { serverTarget } from "./warming/server-target.ts";
import type { WarmTarget } from "./warming/target.ts";
import type { NamedImage } from "./warming/warmer.ts";

/** What a target reports, and how much it may be asked. */
export interface TargetContext {
  readonly concurrency: number;
  readonly note: (line: string) => void;
  /** Called where pyramids cannot be made by tasks. */
  readonly onNoPyramids: (message: string) => void;
}

/** The server or the app that a command line names. */
export const openTarget = async (
  job: WarmJob,
  config: Config,
  { concurrency, note, onNoPyramids }: TargetContext,
): Promise<WarmTarget> => {
  if (job.server) {
    const api = config.view(apiKeys)();
    const { "endpoint.api.username": username, "endpoint.api.secret": secret } = api;
    return serverTarget({
      url: job.server,
      headers: job.headers,
      connections: concurrency,
      login: username && secret ? { username, secret } : undefined,
      warn: onNoPyramids,
    });
  }
  refuseUnkept(job, config);
  const { createApp } = await import("../app/app.ts");
  const say = (message: string, { error }: LogFields = {}): void =>
    note(isOfSource(error) ? `${message}: ${sourceFailureText(error)}` : message);
  const app = await createApp({
    config,
    logs: {
      application: {
        ...silent,
        warn(message, { error, ...fields } = {}) {
          // Slow requests are expected here.
          if (error !== undefined) say(message, { error, ...fields });
        },
        error: say,
      },
      access: () => {},
      close: async () => {},
    },
    isUnrestricted: true,
  });
  const enabled = config.view(endpointKeys)();
  const versions = ([3, 2, 1] as const).filter(
    (number) => enabled[`endpoint.iiif.${number}.enabled`],
  );
  return ownTarget(app, { versions, headers: job.headers });
};

/** Throws if the derivatives or pyramids would be lost when this process ends. */
const refuseUnkept = ({ what = ["info", "thumbnails"] }: WarmJob, config: Config): void => {
  const caching = config.view(cachingKeys)();
  const kind = caching["cache.server.derivative"];
  const isKept = caching["cache.server.derivative.enabled"] && kind !== "" && kind !== "HeapCache";
  const others = what.filter((one) => one !== "pyramids");
  if (!isKept && others.length > 0)
    throw new UsageError(
      `warm: ${others.join(", ")} would be lost when this command ends, because the configuration has no persistent cache (cache.server.derivative is '${kind}', cache.server.derivative.enabled ${caching["cache.server.derivative.enabled"]}); configure one such as FilesystemCache, or warm a running server with --server`,
    );
  if (what.includes("pyramids") && !config.view(pyramidKeys)()["pyramids.enabled"])
    throw new UsageError(
      "warm: --what pyramids needs pyramids.enabled = true in the configuration",
    );
};

/** The separator before a page in identifiers. */
export const delimiterOf = (config: Config): string =>
  identifierSyntax(config.view(identifierReadingKeys)()).delimiter;

/** What the text of an identifier names, by the configured syntax. */
export const nameOfText = (config: Config): ((text: string) => NamedImage) => {
  const syntax = identifierSyntax(config.view(identifierReadingKeys)());
  return (text) => {
    const segment = segmentOfText(text, syntax);
    return { segment, identifier: parseIdentifier(segment, syntax).identifier };
  };
};
