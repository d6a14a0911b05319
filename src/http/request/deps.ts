import type { CurrentPolicy } from "../../access/policy.ts";
import type { Administration } from "../../administration/administration.ts";
import type { Health } from "../../administration/health-check.ts";
import type { Requests } from "../../administration/requests.ts";
import type { CurrentAuth } from "../../auth/auth.ts";
import type { Config } from "../../config/store.ts";
import type { Delegate } from "../../core/delegate.ts";
import type { FormatName } from "../../core/formats.ts";
import type { Logger } from "../../core/log.ts";
import type { AccessEntry } from "../../logging/access.ts";
import type { Overlays } from "../../overlays/overlays.ts";
import type { Embedded } from "../../service/embedded.ts";
import type { Images } from "../../service/images.ts";
import type { Connections } from "../connection/connections.ts";
import type { Shutdown } from "../connection/shutdown.ts";

/** An image that the landing page offers. */
export interface GalleryEntry {
  readonly identifier: string;
  readonly title: string;
}

/** What of looking after the server requests come to. */
export interface HttpManagement {
  readonly administration: Administration;
  readonly health: Health;
  readonly requests: Requests;
}

/** All the HTTP floor is given. */
export interface HttpDeps {
  readonly config: Config;
  readonly images: Images;
  /** The formats that can be written now. */
  readonly outputs: () => readonly FormatName[];
  /**
   * Why a format cannot be written for which there would be an encoder; absent where there is all
   * that could be.
   */
  readonly lacking?: (format: FormatName) => string | undefined;
  readonly log: Logger;
  /** Takes one entry per answered request. */
  readonly access: (entry: AccessEntry) => void;
  /** Vitrine's own version, as in `0.1.0`. */
  readonly productVersion: string;
  /** What looks after the server; absent where nobody does. */
  readonly management?: HttpManagement;
  /** Tells of the server's end; absent where it never ends. */
  readonly ending?: Shutdown;
  /** Counts and bounds the connections; absent where nobody does. */
  readonly connections?: Connections;
  /** The folder that the control panel was built into; where it usually is. */
  readonly panel?: URL;
  /** An institution's own rules; absent where there are none. */
  readonly delegate?: Delegate;
  /** Metadata for the delegate; absent: it is told none. */
  readonly embedded?: Embedded;
  /** Access rules and signatures; absent where nobody asks for any. */
  readonly policy?: CurrentPolicy;
  /** Auth services; absent where there never are any. */
  readonly auth?: CurrentAuth;
  /** What is laid over images; absent where nothing ever is. */
  readonly overlays?: Overlays;
  /** The images to offer on the landing page; absent when it offers none. */
  readonly gallery?: () => Promise<readonly GalleryEntry[]>;
}
