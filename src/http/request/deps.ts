import type { CurrentPolicy } from "../../access/policy.ts";
import type { Administration } from "../../administration/administration.ts";
import type { Health } from "../../administration/health-check.ts";
import type { Requests } from "../../administration/requests.ts";
import type { CurrentAuth } from "../../auth/auth.ts";
import type { Config } from "../../config/store.ts";
import type { Delegate } from "../../core/delegate.ts";
import type { FormatName } from "../../core/formats.ts";
import type { Logger } from "../../core/log.ts";
import type { Gallery } from "../../gallery/gallery.ts";
import type { AccessEntry } from "../../logging/access.ts";
import type { Overlays } from "../../overlays/overlays.ts";
import type { Embedded } from "../../service/embedded.ts";
import type { Folders } from "../../service/folders.ts";
import type { Images } from "../../service/images.ts";
import type { SideFiles } from "../../service/side-files.ts";
import type { Connections } from "../connection/connections.ts";
import type { Shutdown } from "../connection/shutdown.ts";

/** What manifests and collections are made of. */
export interface PresentationSources {
  readonly folders: Folders;
  readonly sideFiles: SideFiles;
  readonly embedded: Embedded;
}

/** The parts of management that requests use. */
export interface HttpManagement {
  readonly administration: Administration;
  readonly health: Health;
  readonly requests: Requests;
}

/** Which records of responses are written anywhere. */
export interface RecordedResponses {
  readonly access: () => boolean;
  readonly debug: () => boolean;
}

/** The dependencies of the HTTP server. */
export interface HttpDeps {
  readonly config: Config;
  readonly images: Images;
  /** The output formats available now. */
  readonly outputs: () => readonly FormatName[];
  /** Why a format with an encoder cannot be written; absent where it can. */
  readonly lacking?: (format: FormatName) => string | undefined;
  readonly log: Logger;
  /** Writes one entry per answered request. */
  readonly access: (entry: AccessEntry) => void;
  /** Which records of responses are written anywhere; absent: all. */
  readonly recorded?: RecordedResponses;
  /** The version of Vitrine, as in `0.1.0`. */
  readonly productVersion: string;
  /** Metrics, tasks and panel data; absent where management is off. */
  readonly management?: HttpManagement;
  /** Announces the shutdown; absent where there is none. */
  readonly ending?: Shutdown;
  /** Counts and bounds the connections; absent where nothing does. */
  readonly connections?: Connections;
  /** The folder of the built control panel; defaults to the package's own. */
  readonly panel?: URL;
  /** The institution's delegate; absent where none is configured. */
  readonly delegate?: Delegate;
  /** Embedded metadata for the delegate; absent where it gets none. */
  readonly embedded?: Embedded;
  /** Access rules and signatures; absent where none are configured. */
  readonly policy?: CurrentPolicy;
  /** Auth services; absent where none are configured. */
  readonly auth?: CurrentAuth;
  /** Overlays of images; absent where none are configured. */
  readonly overlays?: Overlays;
  /** The folders and images of the source; absent if the landing page lists none. */
  readonly gallery?: Gallery;
  /** Encrypts cursors of lists, with a key common to all workers; absent: a key of this process. */
  readonly cursorSecret?: string;
  /** The dependencies of manifests and collections; absent if there are none. */
  readonly presentation?: PresentationSources;
}
