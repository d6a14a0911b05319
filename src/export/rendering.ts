import type { MetaIdentifier } from "../core/identifier.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramid } from "../service/prepared.ts";
import type { ExportedPicture } from "./layout.ts";

/**
 * Renders derivatives exactly as the server sends them to a client without a login, with watermarks
 * and redactions, and refuses images that such a client may not see. Every call can be aborted.
 */
export interface ExportRendering {
  /** The info of an image of the source; throws the server's failures. */
  know(identifier: string, signal: AbortSignal): Promise<KnownImage>;
  /** The meta-identifier of a page, decoded. */
  nameOf(id: MetaIdentifier): string;
  /** Throws `denied` if clients without a login may not see the whole image at full size. */
  check(id: MetaIdentifier, signal: AbortSignal): Promise<void>;
  /** Changes with everything that the derivative depends on; renders nothing. */
  etag(id: MetaIdentifier, picture: ExportedPicture, signal: AbortSignal): Promise<string>;
  render(id: MetaIdentifier, picture: ExportedPicture, signal: AbortSignal): Promise<Uint8Array>;
  /** Renders a page from the given pyramid until the returned function is called. */
  provide(id: MetaIdentifier, pyramid: PagePyramid): () => void;
}
