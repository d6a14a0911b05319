import { dirname } from "node:path";
import type { Administration } from "../administration/administration.ts";
import { Counting } from "../administration/counting.ts";
import { createHealth, type Health } from "../administration/health-check.ts";
import { createHub, type RemoteHub } from "../administration/hub.ts";
import { latestKeys } from "../administration/keys.ts";
import { wantsLevel } from "../administration/log-levels.ts";
import { LogTail } from "../administration/log-tail.ts";
import { lookUp } from "../administration/look-up.ts";
import type { Member, ServedImage } from "../administration/member.ts";
import { ownMaking } from "../administration/own-making.ts";
import { ownPurging } from "../administration/own-purging.ts";
import { type Requests, requestsInto } from "../administration/requests.ts";
import { ServedImages } from "../administration/served-images.ts";
import {
  createMember,
  type MeasuredPyramids,
  type MemberParts,
} from "../administration/serving-member.ts";
import { SlowSources } from "../administration/slow-sources.ts";
import { placesOf, type SourcePlace } from "../administration/source-checks.ts";
import { filesystemCache } from "../caches/filesystem.ts";
import type { ConfigFile } from "../config/file.ts";
import { masked } from "../config/masked.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { availability } from "../formats/availability.ts";
import { createProfileThreads } from "../formats/metadata/index.ts";
import type { Resources } from "../formats/pool/index.ts";
import type { TiffStructureCache } from "../formats/tiff/structure/index.ts";
import { loggingKeys } from "../logging/keys.ts";
import type { Images } from "../service/images.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramids } from "../service/page-pyramids.ts";
import { probeImage, probeSourceFiles } from "../service/probes.ts";
import type { Purging } from "../service/purging.ts";
import type { ManagedPyramids } from "../service/pyramids.ts";
import type { SourceCopies } from "../service/source-copies.ts";
import { sourceCopyKeys } from "../service/source-copy-keys.ts";
import { sourceKeys } from "../sources/index.ts";
import { walkSource } from "../sources/walking.ts";
import type { DelegateService } from "./delegate.ts";
import type { DecodedImages } from "./images.ts";
import { sourceParts } from "./source.ts";

/** The management of the whole server, as a serving process sees it. */
export interface HubConnection {
  /** Registers a process, and returns what it can call. */
  join(member: Member): RemoteHub;
}

/** The parts of a server's administration. */
export interface ManagementParts
  extends Pick<MemberParts, "worker" | "admission" | "derivatives" | "infos"> {
  readonly config: Config;
  readonly file: ConfigFile | undefined;
  /** Absent: this process is the whole server. */
  readonly hubConnection: HubConnection | undefined;
  readonly log: Logger;
  readonly images: Images;
  readonly source: Source;
  /** Remote services other than sources that the server depends on. */
  readonly services: readonly DelegateService[];
  readonly copies: SourceCopies;
  readonly purging: Purging;
  readonly structure: TiffStructureCache;
  readonly tiles: DecodedImages;
  readonly resources: Resources;
  /** Absent if pyramids are switched off. */
  readonly pyramids: (MeasuredPyramids & ManagedPyramids) | undefined;
  readonly pagePyramids: PagePyramids | undefined;
}

/** The part that requests use. */
export interface Management {
  readonly administration: Administration;
  readonly health: Health;
  readonly requests: Requests;
  /** The given images, wrapped to record what could be read. */
  readonly images: Images;
  /** The given log, wrapped to keep the latest entries. */
  readonly log: Logger;
  close(): Promise<void>;
}

export const createManagement = (parts: ManagementParts): Management => {
  const { config, file, images, infos, structure, tiles, copies, derivatives, source } = parts;
  const counting = new Counting();
  const slow = new SlowSources();
  const served = new ServedImages();
  const kind = config.view(sourceKeys)()["source.static"];
  const sources = sourceParts(config, source);
  const { tail, log } = latestOf(parts);
  const purging = ownPurging({
    purging: parts.purging,
    isShared: derivatives?.back !== undefined,
    forgetInfos() {
      infos.forgetAll();
      structure.clear();
      tiles.clear();
    },
    sweepCopies: async (signal) => (await copies.files?.sweep(signal))?.entries ?? 0,
    pyramids: parts.pyramids,
  });
  const making = ownMaking({
    pyramids: parts.pyramids,
    images: (signal) => identifiersIn(source, signal),
    log,
  });
  const member = createMember({
    ...parts,
    counting,
    slow,
    served,
    sources: [...sources, ...parts.services],
    purging: purging.purge,
    making,
    availability: () => availability(config),
    adopt: async (changes) => file?.adopt(changes),
  });
  const alone = parts.hubConnection
    ? undefined
    : createHub({ members: () => [member], wanted: 1, config, file, tail, log, adopted: true });
  const hub = alone ?? parts.hubConnection?.join(member) ?? unreachable();
  const store = derivatives?.back && derivatives;
  const profiles = createProfileThreads();
  const readers = { profiles, resources: parts.resources };
  const { pagePyramids } = parts;
  const lookedUp = {
    ...{ images, kind, source, hub, readers, pagePyramids, log },
    ...(store ? { store } : {}),
  };
  const administration: Administration = {
    ...hub,
    image: (identifier, signal) => lookUp(lookedUp, identifier, signal),
  };
  return {
    administration,
    log,
    requests: requestsInto(counting, slow),
    images: noting(images, (identifier, { info, object }) =>
      served.note({ source: object.kind ?? kind, format: info.format, identifier }),
    ),
    health: createHealth({
      config,
      log,
      // What this process has read itself is known without asking.
      served: () => hub.served().catch((): readonly ServedImage[] => served.all),
      forget: (identifier) => served.forget(identifier),
      probeImage: (identifier, signal) => probeImage(images, identifier, signal),
      places: [...placesOf(sources), ...servicePlaces(parts.services)],
      sources: () => hub.sources().catch(() => member.sources()),
      caches: [
        ...(derivatives
          ? [
              {
                name: derivatives.kind,
                attempt: (signal: AbortSignal) => derivatives.attempt(signal),
              },
            ]
          : []),
        ...sourceFilesOf(copies),
      ],
      ineffective: () => (file ? ineffectiveIn(file) : []),
      folders: writtenFolders(parts),
    }),
    async close() {
      await alone?.close();
      member.close();
      await Promise.all([purging.close(), making.close()]);
      await profiles.close();
    },
  };
};

const servicePlaces = (services: readonly DelegateService[]): readonly SourcePlace[] =>
  services.map(({ name, kind, source }) => ({ name, kind, isRemote: true, reach: source.reach }));

const unreachable = (): never => {
  throw new Error("A process is the whole server or has headquarters");
};

/** The identifiers of all objects that a source lists. */
async function* identifiersIn(source: Source, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { identifier } of walkSource(source, { folder: "", signal })) yield identifier;
}

/** The latest entries are kept in the hub's process. */
const latestOf = ({
  config,
  hubConnection,
  log,
}: ManagementParts): { readonly tail: LogTail; readonly log: Logger } => {
  const settings = config.view({ ...latestKeys, ...loggingKeys });
  const tail = new LogTail(() => settings()["log.application.latest"]);
  if (hubConnection) return { tail, log };
  return {
    tail,
    log: tail.keeping(log, (level) => wantsLevel(settings()["log.application.level"], level)),
  };
};

const sourceFilesOf = ({ files }: SourceCopies) =>
  files
    ? [
        {
          name: "copies of source files",
          attempt: (signal: AbortSignal) => probeSourceFiles(files, signal),
        },
      ]
    : [];

/** Images that report every rendered or cached response. */
const noting = (images: Images, note: (identifier: string, image: KnownImage) => void): Images => ({
  ...images,
  draw(prepared, context, caching) {
    const noted = (body: Uint8Array): Uint8Array => {
      note(context.identifier, prepared.image);
      return body;
    };
    const body = images.draw(prepared, context, caching);
    return body instanceof Uint8Array ? noted(body) : body.then(noted);
  },
});

/** Keys for features that are not available, each once. */
const ineffectiveIn = ({ running }: ConfigFile): readonly string[] => [
  ...new Set(
    running.warnings.flatMap(({ key, ineffective }) =>
      ineffective === true && key !== undefined ? [masked(key)] : [],
    ),
  ),
];

/** The folders that this server writes to, each once. */
const writtenFolders = ({
  config,
  derivatives,
  copies,
}: ManagementParts): (() => readonly string[]) => {
  const settings = config.view({ ...loggingKeys, ...filesystemCache.keys, ...sourceCopyKeys });
  const logs = ["application", "error", "access"] as const;
  const appenders = ["FileAppender", "RollingFileAppender"] as const;
  return () => {
    const now = settings();
    const folders = logs.flatMap((log) =>
      appenders
        .filter((appender) => now[`log.${log}.${appender}.enabled`])
        .map((appender) => dirname(now[`log.${log}.${appender}.pathname`])),
    );
    if (derivatives?.kind === "FilesystemCache" || copies.files)
      folders.push(now["FilesystemCache.pathname"]);
    return [...new Set(folders)];
  };
};
