import { setTimeout as pause } from "node:timers/promises";
import { type App, createApp } from "../app/app.ts";
import { masked } from "../config/masked.ts";
import { Config, type Snapshot } from "../config/store.ts";
import { isOfSource, sourceFailureText } from "../conversion/failure-report.ts";
import { type Failure, fail } from "../core/errors.ts";
import { identifierSegment, type MetaIdentifier, writeIdentifier } from "../core/identifier.ts";
import { type LogFields, silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import type { ExportedPicture } from "../export/layout.ts";
import type { ExportRendering } from "../export/rendering.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { identifierReadingKeys, identifierSyntax } from "../iiif/identifiers.ts";
import type { Images } from "../service/images.ts";
import type { PagePyramid, Prepared } from "../service/prepared.ts";
import { type Terminal, UsageError, writeError, writeWarning } from "./command.ts";

/** A server without listeners, which renders for an export. */
export interface ExportServer extends ExportRendering {
  /** The configured source. */
  readonly source: Source;
  /** The configuration that it renders with. */
  readonly config: Config;
  close(): Promise<void>;
}

/** Settings that override the configured ones during an export. */
const overrides: Snapshot = {
  "http.enabled": true,
  "https.enabled": false,
  "endpoint.iiif.3.enabled": true,
  // Every picture is requested once.
  "cache.server.derivative.enabled": false,
  "pyramids.enabled": false,
  // The layout applies the limits of pixels itself, and no client waits for a response.
  max_pixels: 0,
  max_scale: 1,
  "endpoint.iiif.restrict_to_sizes": false,
  "endpoint.iiif.dialect": "exact",
  "http.request_timeout": 3_600,
  "processor.timeout": 0,
  "processor.niceness": 0,
};

/** The configuration for an export; `quality` replaces the quality of all formats. */
export const exportConfig = (values: Snapshot, quality: number | undefined): Config => {
  const qualities = Object.keys(encodingKeys).filter((key) => key.endsWith(".quality"));
  return new Config({
    ...values,
    ...overrides,
    ...(quality === undefined ? {} : Object.fromEntries(qualities.map((key) => [key, quality]))),
  });
};

/** Opens a server by an `exportConfig`; throws `malformed` where that is invalid. */
export const openExportServer = async (
  config: Config,
  terminal: Terminal,
): Promise<ExportServer> => {
  const parts: { images?: Images; source?: Source } = {};
  const pyramids = new Map<string, PagePyramid>();
  const withPyramid = (prepared: Prepared): Prepared => {
    const { identifier, page } = prepared.plan;
    const pyramid = pyramids.get(keyOf(identifier, page));
    return pyramid === undefined || prepared.image.version !== pyramid.image.version
      ? prepared
      : { ...prepared, pyramid };
  };
  const app = await createApp({
    config,
    logs: { application: logOn(terminal), access: () => {}, close: async () => {} },
    around: {
      images: (images) => {
        parts.images = images;
        return {
          ...images,
          prepare: async (...asked) => withPyramid(await images.prepare(...asked)),
          prepareSync: (...asked) => {
            const prepared = images.prepareSync(...asked);
            return prepared && withPyramid(prepared);
          },
        };
      },
      source: (source) => {
        parts.source = source;
        return source;
      },
    },
  });
  const { images, source } = parts;
  if (images === undefined || source === undefined)
    return fail("internal", "The app has no image service.");
  const syntax = identifierSyntax(config.view(identifierReadingKeys)());
  const uriOf = (id: MetaIdentifier): string => `/iiif/3/${identifierSegment(id, syntax)}`;
  return {
    source,
    config,
    know: (identifier, signal) =>
      images.know({ requestId: "export", identifier, signal }, "use", "whole"),
    nameOf: (id) => writeIdentifier(id, syntax.delimiter),
    async check(id, signal) {
      const { body } = await ask(app, { method: "GET", url: `${uriOf(id)}/info.json` }, signal);
      const { maxWidth } = JSON.parse(body.toString("utf8"));
      if (maxWidth !== undefined)
        fail(
          "denied",
          "The image cannot be exported: access rules limit its size for clients without a login.",
        );
    },
    async etag(id, picture, signal) {
      const url = `${uriOf(id)}/${spelled(picture)}`;
      const { headers } = await ask(app, { method: "HEAD", url }, signal);
      return String(headers["etag"]);
    },
    async render(id, picture, signal) {
      const url = `${uriOf(id)}/${spelled(picture)}`;
      return (await ask(app, { method: "GET", url }, signal)).body;
    },
    provide(id, pyramid) {
      const key = keyOf(id.identifier, id.page - 1);
      pyramids.set(key, pyramid);
      return () => pyramids.delete(key);
    },
    close: () => app.close(),
  };
};

const keyOf = (identifier: string, page: number): string => `${page} ${identifier}`;

const spelled = ({ region, size, format }: ExportedPicture): string => {
  const { x, y, width, height } = region;
  return `${x},${y},${width},${height}/${size.width},${size.height}/0/default.${format}`;
};

/** Sends a request to the app as a client without a login; throws the failure of a response. */
const ask = async (
  { listeners: [listener] }: App,
  request: { readonly method: "GET" | "HEAD"; readonly url: string },
  signal: AbortSignal,
) => {
  if (listener === undefined) throw new UsageError("export: expected http.enabled to be true");
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const { statusCode, rawPayload, headers } = await listener.server.inject({
      ...request,
      headers: { host: "localhost", accept: "application/json" },
      remoteAddress: nobody,
    });
    if (statusCode === 200) return { headers, body: rawPayload };
    signal.throwIfAborted();
    if (statusCode === busy && attempt < maxAttempts) {
      await pause(pauseMs, undefined, { signal });
      continue;
    }
    refuse(statusCode, rawPayload);
  }
};

/** A documentation address (RFC 5737): access rules for local clients must not apply. */
const nobody = "192.0.2.1";

const busy = 503;
const maxAttempts = 60;
const pauseMs = 1_000;

const refuse = (status: number, body: Buffer): never => {
  const message = messageOf(body);
  if (status === 401 || status === 403 || (status >= 300 && status < 400))
    return fail(
      "denied",
      `Clients without a login may not see the image: ${message ?? `status ${status}`}`,
    );
  return fail(failures[status] ?? "internal", message ?? `The response would be ${status}.`);
};

const failures: Readonly<Record<number, Failure>> = {
  400: "malformed",
  404: "missing",
  501: "unreadable",
  502: "upstream",
  503: "busy",
  504: "late",
};

const messageOf = (body: Buffer): string | undefined => {
  try {
    const { message, detail } = JSON.parse(body.toString("utf8"));
    const said: unknown = message ?? detail;
    return typeof said === "string" ? said : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Logs all but refused and slow requests: the export reports the failures of its requests itself.
 */
const logOn = (terminal: Terminal) => ({
  ...silent,
  warn: (message: string, fields?: LogFields) => {
    if (!/^(?:Slow: |\d{3} |A request was refused)/.test(message))
      writeWarning(terminal, withCause(message, fields));
  },
  error: (message: string, fields?: LogFields) => writeError(terminal, withCause(message, fields)),
});

/** A log entry with its reason. */
const withCause = (message: string, { error }: LogFields = {}): string => {
  if (isOfSource(error)) return `${message}: ${sourceFailureText(error)}`;
  return error instanceof Error ? `${message}: ${masked(error.message)}` : message;
};
