import type { AddressInfo } from "node:net";
import type { PurgeScope } from "./caches/purge-record.ts";
import { variableOf } from "./config/environment.ts";
import { machine } from "./config/machine.ts";
import { nativeKeys } from "./config/native-keys.ts";
import type { Config } from "./config/store.ts";
import { Admission, type AdmissionLimits, type AdmissionState } from "./core/admission.ts";
import { fail } from "./core/errors.ts";
import { type FormatName, formats } from "./core/formats.ts";
import type { ImageInfo } from "./core/info.ts";
import type { Cost } from "./core/lane.ts";
import type { Logger } from "./core/log.ts";
import type { Plan } from "./core/plan.ts";
import { productVersion } from "./core/product.ts";
import type { Codec, Sniff } from "./formats/codec.ts";
import { DecodedTiles } from "./formats/decoded-tiles.ts";
import { encoders } from "./formats/encode.ts";
import { encodingKeys } from "./formats/encoding.ts";
import { createCodecs } from "./formats/index.ts";
import { type Codestreams, codestreamsInThreads } from "./formats/jpeg2000-file/codestreams.ts";
import { jpeg2000Keys } from "./formats/jpeg2000-file/keys.ts";
import { createPdfThreads, type PdfThreads, pdfThreadLimits } from "./formats/pdf/threads.ts";
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
import { answerAtOnce, mayBeStored, storedAnswer } from "./render/direct.ts";
import { explainPlan } from "./render/explain.ts";
import { perFormat, renderKeys, renderOptions } from "./render/options.ts";
import { render } from "./render/render.ts";
import { listPictures } from "./samples/gallery.ts";
import { createDerivatives, type Derivatives } from "./service/caching.ts";
import { cachingKeys } from "./service/caching-keys.ts";
import { admissionLimits, drawingKeys } from "./service/drawing.ts";
import { createExplain, type Explain } from "./service/explain.ts";
import { createImages, type Images } from "./service/images.ts";
import { infoKeys } from "./service/info-keys.ts";
import { Infos } from "./service/infos.ts";
import { keptInfos } from "./service/kept-infos.ts";
import { createPurging, type Purging } from "./service/purging.ts";
import { createSourceCopies, type SourceCopies } from "./service/source-copies.ts";
import { type Swept, sweepAsConfigured } from "./service/sweeping.ts";
import { filesystem } from "./sources/filesystem.ts";
import { sourceKeys, sources } from "./sources/index.ts";
import type { Source } from "./sources/source.ts";

/** What an app is made from. */
export interface AppParts {
  readonly config: Config;
  readonly logs: Logs;
  /** How many workers share the machine and the budgets, this one included; 1. */
  readonly workers?: number;
  /** Which of them this one is, from 1; 1. */
  readonly worker?: number;
  /** What is put around parts of the house to see what passes through them; nothing. */
  readonly around?: Around;
}

/** Wraps parts of the house. */
export interface Around {
  readonly images: (images: Images) => Images;
  readonly source: (source: Source) => Source;
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
  /** How a picture that was prepared would be made. */
  readonly explain: Explain;
  /** Stops listening, lets what is under way finish, and lets go of everything. */
  close(): Promise<void>;
}

/** Puts the house together. Throws `malformed` where the configuration cannot be followed. */
export const createApp = async ({
  config,
  logs,
  workers = 1,
  worker = 1,
  around,
}: AppParts): Promise<App> => {
  const log = logs.application;
  prepareVips();
  const kept = createSource(config);
  const copies = await createSourceCopies(config, log);
  const source = copies.source(around?.source(kept) ?? kept);
  const derivatives = await createDerivatives(config, log, { workers, worker });
  const sweeping = sweepAsConfigured(
    config,
    [...sweptBy(worker, derivatives), ...(worker === 1 ? copies.swept : [])],
    log,
  );
  const admission = createAdmission(config, { workers });
  const threads = createThreads(config, { workers });
  const codestreams = createCodestreams(config, { workers });
  const pdf = createPdf(config, { workers });
  const ending = new Ending();
  const { images, explain } = assemble(config, {
    source,
    sniff: copies.sniff(sniff),
    derivatives,
    copies,
    log,
    admission,
    threads,
    codestreams,
    pdf,
  });
  const deps: HttpDeps = {
    config,
    images: around?.images(images) ?? images,
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
    explain,
    async close() {
      await drain(
        listeners.map(({ server }) => server),
        ending,
        { seconds: config.view(endingKeys)()["http.drain_timeout"] },
      );
      await source.close?.();
      await sweeping?.stop();
      await derivatives?.cache.close();
      await copies.close();
      await threads.close();
      await codestreams.decoder.close();
      await pdf.close();
    },
  };
};

/** What a worker sweeps: what is its own, and the first one what all share. */
const sweptBy = (worker: number, derivatives: Derivatives | undefined): readonly Swept[] => {
  if (!derivatives || (worker !== 1 && derivatives.kind !== "HeapCache")) return [];
  const { kind, cache } = derivatives;
  return [{ name: kind, sweep: (signal) => cache.sweep(signal) }];
};

/** What can be written. */
const writable = (Object.keys(formats) as FormatName[]).filter((name) => encoders[name]);

const createSource = (config: Config): Source => {
  const kind = sources[config.view(sourceKeys)()["source.static"]];
  return kind.create(config.view(kind.keys));
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
  const settings = config.view({ ...tileKeys, ...readingKeys, ...nativeKeys });
  const share = machine().processors / workers;
  return createTileThreads(() => tileThreadLimits(settings(), share));
};

const createCodestreams = (
  config: Config,
  { workers }: { readonly workers: number },
): Codestreams => {
  const settings = config.view({ ...tileKeys, ...readingKeys, ...nativeKeys, ...jpeg2000Keys });
  const share = machine().processors / workers;
  return codestreamsInThreads(settings, () => tileThreadLimits(settings(), share));
};

const createPdf = (config: Config, { workers }: { readonly workers: number }): PdfThreads => {
  const settings = config.view({ ...tileKeys, ...readingKeys, ...nativeKeys });
  const share = machine().processors / workers;
  return createPdfThreads(() => pdfThreadLimits(settings(), tileThreadLimits(settings(), share)));
};

interface Furnishings {
  readonly source: Source;
  readonly sniff: Sniff;
  readonly derivatives: Derivatives | undefined;
  readonly copies: Pick<SourceCopies, "files">;
  readonly log: Logger;
  readonly admission: Admission;
  readonly threads: TileThreads;
  readonly codestreams: Codestreams;
  readonly pdf: PdfThreads;
}

const assemble = (
  config: Config,
  { source, sniff, derivatives, copies, log, admission, threads, codestreams, pdf }: Furnishings,
): { readonly images: Images; readonly explain: Explain } => {
  const reading = config.view(readingKeys);
  const sizes = config.view(tileKeys)();
  const kept = new TiffKept(sizes["cache.server.structure.target_size"]);
  const decoded = new DecodedTiles(sizes["cache.server.tiles.target_size"]);
  const codecs = createCodecs(reading, { kept, decoded, threads, codestreams, pdf });
  const ready = new Map<FormatName, Codec>();
  const codecOf = async (format: FormatName): Promise<Codec> => {
    const codec = await codecs[format]();
    ready.set(format, codec);
    return codec;
  };
  const caching = config.view({ ...cachingKeys, ...infoKeys });
  const limits = config.view(limitKeys);
  const rendering = config.view({ ...renderKeys, ...encodingKeys, ...tileKeys });
  const optionsFor = perFormat(rendering, (settings, format) => ({
    ...renderOptions(settings, format),
    stored: settings["processor.stored_tiles"],
    direct: settings["processor.direct_tiles"],
  }));
  const cost = (plan: Plan, info: ImageInfo): Cost =>
    costOf(plan, info, {
      mostStreamed: Math.min(
        reading()["processor.max_decoded_bytes"],
        // What may not be needed at all must not keep a picture from being drawn.
        admission.limits.large.bytes / 2,
      ),
    });
  const explain = createExplain({
    approach: async (plan, reader, info, signal) =>
      explainPlan(plan, reader, info, await codecOf(info.format), signal),
    admission,
    cost,
  });
  const infos = new Infos({
    source: () => source,
    sniff,
    codec: codecOf,
    remember: () => caching()["cache.server.info.enabled"],
    trustMs: () =>
      caching()["cache.server.resolve_first"]
        ? 0
        : caching()["cache.server.info.trust_seconds"] * 1_000,
    mostBytes: caching()["cache.server.info.target_size"],
    ...(derivatives?.back ? { kept: keptInfos(derivatives.cache) } : {}),
    onMissing(identifier) {
      if (caching()["cache.server.purge_missing"]) purgeMissing(identifier, purging, log);
    },
  });
  const purging = createPurging({
    infos,
    cache: derivatives?.cache,
    shared: derivatives?.back,
    copies: copies.files,
  });
  derivatives?.back?.purges.onPurge((scopes) => followPurges(scopes, purging, log));
  const images = createImages({
    infos,
    resolve: (request, info) => resolve(request, info, limits()),
    renderOptions: ({ format }) => optionsFor(format),
    stored: async (plan, reader, info, signal) =>
      storedAnswer(plan, reader, info, await codecOf(info.format), signal),
    mayBeStored,
    atOnce(plan, read, info, draws) {
      const codec = ready.get(info.format);
      return codec && answerAtOnce(plan, read, info, codec, draws);
    },
    render: async (plan, reader, info, signal, timings) =>
      render(
        plan,
        reader,
        info,
        { [info.format]: await codecOf(info.format), [plan.format]: await codecOf(plan.format) },
        signal,
        timings,
      ),
    admission,
    cost,
    ...(derivatives
      ? {
          derivatives: derivatives.cache,
          isFar: derivatives.back !== undefined,
          isSharedWork: () => caching()["cache.server.derivative.lock"],
        }
      : {}),
  });
  return { images, explain };
};

/** Who asked for an image that is gone does not wait for that. */
const purgeMissing = (identifier: string, purging: Purging, log: Logger): void => {
  purging.image(identifier).then(
    (entries) => {
      if (entries > 0)
        log.info("An image is gone; what was kept of it is removed.", { identifier, entries });
    },
    (error: unknown) =>
      log.warn("What was kept of an image that is gone could not be removed.", {
        identifier,
        error,
      }),
  );
};

/** Whoever else purges something does not wait for this process. */
const followPurges = (scopes: readonly PurgeScope[], purging: Purging, log: Logger): void => {
  purging
    .follow(scopes, AbortSignal.timeout(followingMs))
    .catch((error: unknown) =>
      log.warn("What others purged could not be let go of altogether.", { error }),
    );
};

/** Milliseconds that letting go of what others purged may take. */
const followingMs = 60_000;

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
