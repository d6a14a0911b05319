import type { Config } from "../config/store.ts";
import type { FormatName } from "../core/formats.ts";
import type { Logger } from "../core/log.ts";
import type { AccessEntry } from "../logging/access.ts";
import type { Images } from "../service/images.ts";
import type { Ending } from "./ending.ts";

/** A picture that the landing page offers. */
export interface GalleryEntry {
  readonly identifier: string;
  readonly title: string;
}

/** All the HTTP floor is given. */
export interface HttpDeps {
  readonly config: Config;
  readonly images: Images;
  /** The formats that can be written now. */
  readonly outputs: () => readonly FormatName[];
  readonly log: Logger;
  /** Takes one entry per answered request. */
  readonly access: (entry: AccessEntry) => void;
  /** Vitrine's own version, as in `0.1.0`. */
  readonly productVersion: string;
  /** Tells of the server's end; absent where it never ends. */
  readonly ending?: Ending;
  /** The pictures to offer on the landing page; absent when it offers none. */
  readonly gallery?: () => Promise<readonly GalleryEntry[]>;
}
