import type { MetaIdentifier } from "../core/identifier.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramid } from "../service/prepared.ts";
import type { ExportedPicture } from "./layout.ts";

/**
 * Renders pictures exactly as the server sends them to a client without login: with its watermarks
 * and redactions, and not at all what only others may see. Every call heeds its signal.
 */
export interface ExportRendering {
  /** What is known of an image of the source; throws as the server does. */
  know(identifier: string, signal: AbortSignal): Promise<KnownImage>;
  /** The meta-identifier of a page, decoded. */
  nameOf(id: MetaIdentifier): string;
  /** Throws `denied` where not everyone may see all of the image at full size. */
  check(id: MetaIdentifier, signal: AbortSignal): Promise<void>;
  /** Changes with everything that the picture depends on; renders nothing. */
  etag(id: MetaIdentifier, picture: ExportedPicture, signal: AbortSignal): Promise<string>;
  render(id: MetaIdentifier, picture: ExportedPicture, signal: AbortSignal): Promise<Uint8Array>;
  /** Renders a page from a pyramid of it, until the returned function is called. */
  provide(id: MetaIdentifier, pyramid: PagePyramid): () => void;
}
