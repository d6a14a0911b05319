import type { Socket } from "node:net";
import { dirname } from "node:path";
import { createPolicy } from "../access/policy.ts";
import { unrestricted } from "../access/unrestricted.ts";
import { createAuth } from "../auth/auth.ts";
import { environment } from "../config/environment.ts";
import type { ConfigFile } from "../config/file.ts";
import { machine } from "../config/machine.ts";
import type { Config } from "../config/store.ts";
import type { AdmissionState } from "../core/admission.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { productVersion } from "../core/product.ts";
import type { Source } from "../core/source.ts";
import { outputsHere } from "../formats/availability.ts";
import { sharedBlockMemory } from "../formats/jpeg2000/file/index.ts";
import { prepareVips } from "../formats/libvips/index.ts";
import { Resources } from "../formats/pool/index.ts";
import { sniff } from "../formats/sniff.ts";
import { adoptConnection, prepareForConnections } from "../http/connection/adoption.ts";
import { drain } from "../http/connection/drain.ts";
import { httpKeys } from "../http/connection/keys.ts";
import { Shutdown, shutdownKeys } from "../http/connection/shutdown.ts";
import { loadKeyStore } from "../http/connection/tls.ts";
import type { HttpDeps } from "../http/request/deps.ts";
import { createServer } from "../http/server.ts";
import type { Logs } from "../logging/logs.ts";
import { createOverlayClient } from "../overlays/client.ts";
import { createOverlays } from "../overlays/overlays.ts";
import type { ServerPyramids } from "../pyramids/pyramids.ts";
import { createDerivatives, type Derivatives } from "../service/caching.ts";
import { createEmbedded } from "../service/embedded.ts";
import type { Explain } from "../service/explain.ts";
import type { Images } from "../service/images.ts";
import type { OtherOverviews } from "../service/overviews.ts";
import { createSourceCopies } from "../service/source-copies.ts";
import { sweepAsConfigured } from "../service/sweeping.ts";
import { createSource } from "../sources/choosing.ts";
import { remoteKeys } from "../sources/remote/keys.ts";
import { createRemote } from "../sources/remote/remote.ts";
import type { Scheme } from "../supervisor/handover.ts";
import type { Ports } from "../supervisor/supervision.ts";
import { cursorSecretVariable } from "../supervisor/worker-variables.ts";
import { createManagement, type HubConnection } from "./administration.ts";
import { memoryFor, shareMemory } from "./budget.ts";
import { createConnections } from "./connections.ts";
import { openDelegate } from "./delegate.ts";
import { galleryOf } from "./gallery.ts";
import { assembleImages } from "./images.ts";
import { type Listener, openPorts } from "./listening.ts";
import { logOverlayErrors } from "./overlay-trouble.ts";
import { presentationSources } from "./presentation.ts";
import { type CrashReports, createAdmission, createQuarantine } from "./protection.ts";
import { pyramidsAsConfigured } from "./pyramids.ts";
import { sweptBy } from "./swept.ts";

/** Options of an app. */
export interface AppParts {
  readonly config: Config;
  readonly logs: Logs;
  /** Number of workers that share the machine and the budgets, including this one; 1. */
  readonly workers?: number;
  /** The number of this one among them, from 1; 1. */
  readonly worker?: number;
  /** The configuration with its files, so that it can be changed; absent: it cannot be. */
  readonly file?: ConfigFile | undefined;
  /** The management of the whole server; absent: this process is the whole server. */
  readonly hubConnection?: HubConnection | undefined;
  /** The overviews of the server's other processes; absent: they are not used. */
  readonly overviews?: OtherOverviews | undefined;
  /** Memory for decoded blocks of JPEG 2000 files, shared with the server's other processes. */
  readonly sharedBlocks?: ArrayBuffer | undefined;
  /** Records what may crash this process, and reports crashes of others; default none. */
  readonly crashReports?: CrashReports;
  /** The folder of the built control panel; defaults to the package's own. */
  readonly panel?: URL;
  /** Wraps parts of the app, to observe what passes through them; default none. */
  readonly around?: AppDecorators;
  /**
   * Whether all requests are the server's own, so that access rules, signatures and logins do not
   * refuse or confine them. Such an app must not listen. Default false.
   */
  readonly isUnrestricted?: boolean;
}

/** Wrappers of parts of the app. */
export interface AppDecorators {
  readonly images: (images: Images) => Images;
  readonly source: (source: Source) => Source;
}

export type { Listener } from "./listening.ts";

/** The whole server, put together. */
export interface App {
  /** Plain HTTP, TLS or both, as configured. */
  readonly listeners: readonly Listener[];
  /** Starts listening; returns the addresses to open. */
  listen(): Promise<readonly string[]>;
  /** Prepares for connections that are handed to it, instead of listening. */
  ready(): Promise<void>;
  /**
   * Serves a connection that another process accepted; closes one for a scheme that is not served.
   */
  take(connection: Socket, scheme: Scheme): void;
  /** Closes so many connections, each with its next response; replaces the number of before. */
  release(connections: number): void;
  /** Number of open connections. */
  readonly connections: number;
  /** The running and queued renders, and totals. */
  admission(): AdmissionState;
  /** How a prepared image would be rendered. */
  readonly explain: Explain;
  /** The caches of derivatives and infos; undefined if none are configured. */
  readonly derivatives: Derivatives | undefined;
  /** Undefined if they are switched off. */
  readonly pyramids: ServerPyramids | undefined;
  /** Stops listening, lets requests in flight finish, and releases everything. */
  close(): Promise<void>;
}

/**
 * Assembles the server. Throws `malformed` where the configuration is invalid, so that embedders
 * never serve without the protection that a file demands.
 */
export const createApp = async ({
  config,
  logs,
  workers = 1,
  worker = 1,
  crashReports,
  file,
  hubConnection,
  overviews,
  sharedBlocks,
  around,
  panel,
  isUnrestricted = false,
}: AppParts): Promise<App> => {
  const log = logs.application;
  const wrong = file?.running.errors ?? [];
  if (wrong.length > 0) fail("malformed", wrong.map(({ message }) => message).join("\n"));
  const policy = createPolicy(config, log);
  const auth = createAuth(config, { folder: dirname(file?.files[0] ?? "."), log });
  const here = machine();
  if (!config.isShared) shareMemory(config, memoryFor(config, here), { ...here, workers });
  prepareVips();
  // Of what all workers notice only one reports.
  const told = worker === 1 ? log : silent;
  const env = environment();
  const delegated = await openDelegate(config, told, { configuration: file?.files[0], env });
  const remote = createRemote(config.view(remoteKeys), told);
  const made = createSource(config, told, delegated?.delegate, remote);
  const kept = around?.source(made) ?? made;
  const copies = await createSourceCopies(config, log);
  const source = copies.source(kept);
  const derivatives = await createDerivatives(config, log, { workers, worker });
  const admission = createAdmission(config, { workers });
  const quarantine = createQuarantine(config, log, crashReports);
  const resources = new Resources(config, { processors: here.processors / workers });
  resources.provide(sharedBlockMemory, sharedBlocks);
  const ending = new Shutdown();
  const outputs = await outputsHere(config);
  const connections = createConnections(config, log, { workers });
  const { images, explain, aside, ...known } = assembleImages(config, {
    source,
    sniff: copies.sniff(sniff),
    derivatives,
    copies,
    log,
    admission,
    quarantine,
    resources,
    overviews,
    createPyramids: await pyramidsAsConfigured(config, { log, worker, remote }),
  });
  const { pyramids } = known;
  const swept = sweptBy(worker, { derivatives, copies, pyramids });
  const sweeping = sweepAsConfigured(config, swept, log);
  const overlayClient = createOverlayClient(config);
  const overlays = createOverlays(config, overlayClient, log);
  const gallery = await galleryOf(config, source);
  const closing = new AbortController();
  if (worker === 1) void logOverlayErrors({ overlays, policy }, log, closing.signal);
  const management = createManagement({
    ...known,
    config,
    file,
    hubConnection,
    worker,
    log,
    images: around?.images(images) ?? images,
    source: kept,
    services: delegated?.place ? [delegated.place] : [],
    copies,
    derivatives,
    admission,
    resources,
  });
  const embedded = createEmbedded({ resources });
  const deps: HttpDeps = {
    config,
    images: management.images,
    management,
    outputs: () => outputs.formats,
    lacking: (format) => outputs.lacking.get(format),
    log: management.log,
    access: (entry) => logs.access(entry),
    recorded: {
      access: () => logs.isAccessLogged?.() ?? true,
      debug: () => logs.isDebugLogged?.() ?? true,
    },
    productVersion,
    ending,
    connections,
    gallery,
    ...(env[cursorSecretVariable] ? { cursorSecret: env[cursorSecretVariable] } : {}),
    presentation: presentationSources(config, { source, log, embedded }),
    ...(isUnrestricted ? { policy: unrestricted(policy) } : { policy, auth }),
    overlays,
    ...(delegated ? { delegate: delegated.delegate, embedded } : {}),
    ...(panel ? { panel } : {}),
  };
  const http = config.view(httpKeys)();
  const listeners: Listener[] = [];
  if (http["http.enabled"]) listeners.push({ server: createServer(deps), scheme: "http" });
  if (http["https.enabled"])
    listeners.push({ server: createServer(deps, await loadKeyStore(http)), scheme: "https" });
  const ready = async (): Promise<void> => {
    await Promise.all(listeners.map(({ server }) => prepareForConnections(server)));
  };
  const take = (connection: Socket, scheme: Scheme): void => {
    const listener = listeners.find((one) => one.scheme === scheme);
    if (listener) adoptConnection(listener.server, connection);
    else connection.destroy();
  };
  let ports: Ports | undefined;
  return {
    listeners,
    async listen() {
      if (isUnrestricted) fail("internal", "An app without access rules must not listen.");
      await ready();
      ports = await openPorts(config, { log, paused: false, arrived: take });
      return ports.addresses;
    },
    ready,
    take,
    release: (count) => connections.release(count),
    get connections() {
      return connections.open;
    },
    admission: () => admission.state,
    explain,
    derivatives,
    pyramids,
    async close() {
      ports?.close();
      await drain(
        listeners.map(({ server }) => server),
        { ending, connections, seconds: config.view(shutdownKeys)()["http.drain_timeout"] },
      );
      auth.close();
      closing.abort();
      gallery.close();
      await overlayClient.close();
      known.infos.close();
      // Purges of both kinds end at the same time.
      await Promise.all([management.close(), aside.close()]);
      await source.close?.();
      await delegated?.close();
      await sweeping?.stop();
      await pyramids?.close();
      await derivatives?.cache.close();
      await copies.close();
      await resources.close();
    },
  };
};
