import type { AddressInfo } from "node:net";
import type { Cache } from "./caches/cache.ts";
import { caches } from "./caches/index.ts";
import { variableOf } from "./config/environment.ts";
import type { Config } from "./config/store.ts";
import { Admission } from "./core/admission.ts";
import { fail } from "./core/errors.ts";
import { type FormatName, formats } from "./core/formats.ts";
import type { Logger } from "./core/log.ts";
import { productVersion } from "./core/product.ts";
import { encoders } from "./formats/encode.ts";
import { encodingKeys } from "./formats/encoding.ts";
import { createCodecs } from "./formats/index.ts";
import { readingKeys } from "./formats/reading.ts";
import { sniff } from "./formats/sniff.ts";
import { prepareVips } from "./formats/vips-setup.ts";
import type { GalleryEntry, HttpDeps } from "./http/deps.ts";
import { httpKeys } from "./http/keys.ts";
import { createServer, type HttpServer } from "./http/server.ts";
import { loadKeyStore } from "./http/tls.ts";
import { limitKeys } from "./iiif/limits.ts";
import { resolve } from "./iiif/resolve.ts";
import type { Logs } from "./logging/logs.ts";
import { renderKeys, renderOptions } from "./render/options.ts";
import { render } from "./render/render.ts";
import { listPictures } from "./samples/gallery.ts";
import { cachingKeys, tolerant } from "./service/caching.ts";
import { admissionLimits, drawingKeys } from "./service/drawing.ts";
import { createImages, type Images } from "./service/images.ts";
import { Infos } from "./service/infos.ts";
import { filesystem } from "./sources/filesystem.ts";
import { sourceKeys, sources } from "./sources/index.ts";
import type { Source } from "./sources/source.ts";

/** What an app is made from. */
export interface AppParts {
  readonly config: Config;
  readonly logs: Logs;
}

/** A server that does not listen yet; it can be asked without a socket through `server.inject`. */
export interface Listener {
  readonly server: HttpServer;
  readonly scheme: "http" | "https";
}

/** The whole server, put together. */
export interface App {
  /** Plain HTTP, TLS or both, as the configuration says. */
  readonly listeners: readonly Listener[];
  /** Starts listening; answers the addresses to open. */
  listen(): Promise<readonly string[]>;
  /** Stops listening, lets what is under way finish, and lets go of everything. */
  close(): Promise<void>;
}

/** Puts the house together. Throws `malformed` where the configuration cannot be followed. */
export const createApp = async ({ config, logs }: AppParts): Promise<App> => {
  const log = logs.application;
  prepareVips();
  const source = createSource(config);
  const derivatives = await createDerivatives(config, log);
  const deps: HttpDeps = {
    config,
    images: assemble(config, source, derivatives),
    outputs: () => writable,
    log,
    access: (entry) => logs.access(entry),
    productVersion,
    gallery: galleryOf(config),
  };
  const http = config.view(httpKeys)();
  const listeners: Listener[] = [];
  if (http["http.enabled"]) listeners.push({ server: createServer(deps), scheme: "http" });
  if (http["https.enabled"])
    listeners.push({ server: createServer(deps, await loadKeyStore(http)), scheme: "https" });
  return {
    listeners,
    listen: () => Promise.all(listeners.map((listener) => listen(listener, config))),
    async close() {
      await Promise.all(listeners.map(({ server }) => server.close()));
      await source.close?.();
      await derivatives?.close?.();
    },
  };
};

/** What can be written. */
const writable = (Object.keys(formats) as FormatName[]).filter((name) => encoders[name]);

const createSource = (config: Config): Source => {
  const kind = sources[config.view(sourceKeys)()["source.static"]];
  return kind.create(config.view(kind.keys));
};

const createDerivatives = async (config: Config, log: Logger): Promise<Cache | undefined> => {
  const settings = config.view(cachingKeys)();
  if (!settings["cache.server.derivative.enabled"]) return undefined;
  const kind = settings["cache.server.derivative"];
  if (kind === "HeapCache")
    return tolerant(await caches.HeapCache.create(config.view(caches.HeapCache.keys)()), log);
  log.warn(
    kind === ""
      ? "cache.server.derivative.enabled is true, but cache.server.derivative names no cache: no pictures are kept."
      : `cache.server.derivative: expected HeapCache, got ${kind}, which this version does not have: no pictures are kept.`,
  );
  return undefined;
};

const assemble = (config: Config, source: Source, derivatives: Cache | undefined): Images => {
  const codecs = createCodecs(config.view(readingKeys));
  const caching = config.view(cachingKeys);
  const drawing = config.view(drawingKeys);
  const limits = config.view(limitKeys);
  const rendering = config.view({ ...renderKeys, ...encodingKeys });
  return createImages({
    infos: new Infos({
      source: () => source,
      sniff,
      codec: (format) => codecs[format](),
      remember: () => caching()["cache.server.info.enabled"],
    }),
    resolve: (request, info) => resolve(request, info, limits()),
    renderOptions: ({ format }) => renderOptions(rendering(), format),
    render: async (plan, reader, info, signal) =>
      render(
        plan,
        reader,
        info,
        { [info.format]: await codecs[info.format](), [plan.format]: await codecs[plan.format]() },
        signal,
      ),
    admission: new Admission(() => admissionLimits(drawing())),
    ...(derivatives ? { derivatives } : {}),
  });
};

/** How many pictures the landing page lists at most, and how long looking for them may take. */
const listed = 500;
const listingMs = 5_000;

const galleryOf = (config: Config): (() => Promise<readonly GalleryEntry[]>) => {
  const settings = config.view(filesystem.keys);
  const reading = config.view(readingKeys);
  return async () => {
    const prefix = settings()["FilesystemSource.BasicLookupStrategy.path_prefix"];
    const suffix = settings()["FilesystemSource.BasicLookupStrategy.path_suffix"];
    // Only where identifiers are file names can files be listed as identifiers.
    if (!/[/\\]$/.test(prefix) || suffix !== "") return [];
    const readable = (Object.keys(formats) as FormatName[]).filter(
      (name) => name !== "svg" || reading()["processor.svg.enabled"],
    );
    return listPictures(prefix, {
      limit: listed,
      formats: readable,
      signal: AbortSignal.timeout(listingMs),
    });
  };
};

const listen = async ({ server, scheme }: Listener, config: Config): Promise<string> => {
  const settings = config.view(httpKeys)();
  const host = settings[`${scheme}.host`];
  const backlog = settings["http.accept_queue_limit"];
  const wanted = settings[`${scheme}.port`];
  try {
    await server.listen({ host, port: wanted, ...(backlog ? { backlog } : {}) });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    return fail(
      "internal",
      `Cannot listen on ${host}, port ${wanted} (${listenTrouble[code] ?? code}). ${scheme}.host and ${scheme}.port, or ${variableOf(`${scheme}.port`)} in the environment, choose another place.`,
      cause,
    );
  }
  const { port } = server.server.address() as AddressInfo;
  return `${scheme}://${reachable(host)}:${port}/`;
};

const listenTrouble: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has it",
  EACCES: "this user may not have it",
  EADDRNOTAVAIL: "this machine does not have the address",
  ENOTFOUND: "there is no such host",
};

/** An address a person can open: "every address" is none. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};
