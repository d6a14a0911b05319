import type { AddressInfo } from "node:net";
import type { Cache } from "./caches/cache.ts";
import { caches } from "./caches/index.ts";
import { variableOf } from "./config/environment.ts";
import { machine } from "./config/machine.ts";
import type { Config } from "./config/store.ts";
import { Admission, type AdmissionLimits, type AdmissionState } from "./core/admission.ts";
import { fail } from "./core/errors.ts";
import { type FormatName, formats } from "./core/formats.ts";
import type { Logger } from "./core/log.ts";
import { productVersion } from "./core/product.ts";
import { encoders } from "./formats/encode.ts";
import { encodingKeys } from "./formats/encoding.ts";
import { createCodecs } from "./formats/index.ts";
import { readingKeys } from "./formats/reading.ts";
import { sniff } from "./formats/sniff.ts";
import { TiffKept } from "./formats/tiff-kept.ts";
import { tileKeys, tileThreadLimits } from "./formats/tile-keys.ts";
import { createTileThreads, type TileThreads } from "./formats/tile-threads.ts";
import { prepareVips } from "./formats/vips-setup.ts";
import type { GalleryEntry, HttpDeps } from "./http/deps.ts";
import { drain } from "./http/drain.ts";
import { Ending, endingKeys } from "./http/ending.ts";
import { httpKeys } from "./http/keys.ts";
import { createServer, type HttpServer } from "./http/server.ts";
import { loadKeyStore } from "./http/tls.ts";
import { limitKeys } from "./iiif/limits.ts";
import { resolve } from "./iiif/resolve.ts";
import type { Logs } from "./logging/logs.ts";
import { costOf } from "./render/cost.ts";
import { storedAnswer } from "./render/direct.ts";
import { renderKeys, renderOptions } from "./render/options.ts";
import { render } from "./render/render.ts";
import { listPictures } from "./samples/gallery.ts";
import { cachingKeys, tolerant } from "./service/caching.ts";
import { admissionLimits, drawingKeys } from "./service/drawing.ts";
import { createImages, type Images } from "./service/images.ts";
import { infoKeys } from "./service/info-keys.ts";
import { Infos } from "./service/infos.ts";
import { filesystem } from "./sources/filesystem.ts";
import { sourceKeys, sources } from "./sources/index.ts";
import type { Source } from "./sources/source.ts";

/** What an app is made from. */
export interface AppParts {
  readonly config: Config;
  readonly logs: Logs;
  /** How many workers share the machine and the budgets, this one included; 1. */
  readonly workers?: number;
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
  /** What is being drawn, what waits, and what has been. */
  admission(): AdmissionState;
  /** Stops listening, lets what is under way finish, and lets go of everything. */
  close(): Promise<void>;
}

/** Puts the house together. Throws `malformed` where the configuration cannot be followed. */
export const createApp = async ({ config, logs, workers = 1 }: AppParts): Promise<App> => {
  const log = logs.application;
  prepareVips();
  const source = createSource(config);
  const derivatives = await createDerivatives(config, log, { workers });
  const admission = createAdmission(config, { workers });
  const threads = createThreads(config, { workers });
  const ending = new Ending();
  const deps: HttpDeps = {
    config,
    images: assemble(config, { source, derivatives, admission, threads }),
    outputs: () => writable,
    log,
    access: (entry) => logs.access(entry),
    productVersion,
    ending,
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
    admission: () => admission.state,
    async close() {
      await drain(
        listeners.map(({ server }) => server),
        ending,
        { seconds: config.view(endingKeys)()["http.drain_timeout"] },
      );
      await source.close?.();
      await derivatives?.close?.();
      await threads.close();
    },
  };
};

/** What can be written. */
const writable = (Object.keys(formats) as FormatName[]).filter((name) => encoders[name]);

const createSource = (config: Config): Source => {
  const kind = sources[config.view(sourceKeys)()["source.static"]];
  return kind.create(config.view(kind.keys));
};

const createDerivatives = async (
  config: Config,
  log: Logger,
  { workers }: { readonly workers: number },
): Promise<Cache | undefined> => {
  const settings = config.view(cachingKeys)();
  if (!settings["cache.server.derivative.enabled"]) return undefined;
  const kind = settings["cache.server.derivative"];
  if (kind === "HeapCache") {
    const heap = config.view(caches.HeapCache.keys)();
    const size = Math.ceil(heap["HeapCache.target_size"] / workers);
    return tolerant(await caches.HeapCache.create({ "HeapCache.target_size": size }), log);
  }
  log.warn(
    kind === ""
      ? "cache.server.derivative.enabled is true, but cache.server.derivative names no cache: no pictures are kept."
      : `cache.server.derivative: expected HeapCache, got ${kind}, which this version does not have: no pictures are kept.`,
  );
  return undefined;
};

const createAdmission = (config: Config, { workers }: { readonly workers: number }): Admission => {
  const settings = config.view(drawingKeys);
  const here = machine();
  let seen: ReturnType<typeof settings> | undefined;
  let limits: AdmissionLimits;
  return new Admission(() => {
    const now = settings();
    if (now !== seen) limits = admissionLimits(now, here, { workers });
    seen = now;
    return limits;
  });
};

const createThreads = (config: Config, { workers }: { readonly workers: number }): TileThreads => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createTileThreads(() => tileThreadLimits(settings(), share));
};

interface Furnishings {
  readonly source: Source;
  readonly derivatives: Cache | undefined;
  readonly admission: Admission;
  readonly threads: TileThreads;
}

const assemble = (
  config: Config,
  { source, derivatives, admission, threads }: Furnishings,
): Images => {
  const reading = config.view(readingKeys);
  const kept = new TiffKept(config.view(tileKeys)()["cache.server.structure.target_size"]);
  const codecs = createCodecs(reading, { kept, threads });
  const caching = config.view({ ...cachingKeys, ...infoKeys });
  const limits = config.view(limitKeys);
  const rendering = config.view({ ...renderKeys, ...encodingKeys });
  const tiles = config.view(tileKeys);
  return createImages({
    infos: new Infos({
      source: () => source,
      sniff,
      codec: (format) => codecs[format](),
      remember: () => caching()["cache.server.info.enabled"],
      trustMs: () =>
        caching()["cache.server.resolve_first"]
          ? 0
          : caching()["cache.server.info.trust_seconds"] * 1_000,
      mostBytes: caching()["cache.server.info.target_size"],
    }),
    resolve: (request, info) => resolve(request, info, limits()),
    renderOptions: ({ format }) => ({
      ...renderOptions(rendering(), format),
      stored: tiles()["processor.stored_tiles"],
      direct: tiles()["processor.direct_tiles"],
    }),
    stored: async (plan, reader, info, signal) =>
      storedAnswer(plan, reader, info, await codecs[info.format](), signal),
    render: async (plan, reader, info, signal) =>
      render(
        plan,
        reader,
        info,
        { [info.format]: await codecs[info.format](), [plan.format]: await codecs[plan.format]() },
        signal,
      ),
    admission,
    cost: (plan, info) =>
      costOf(plan, info, {
        mostStreamed: Math.min(
          reading()["processor.max_decoded_bytes"],
          // What may not be needed at all must not keep a picture from being drawn.
          admission.limits.large.bytes / 2,
        ),
      }),
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
