import type { DelegateSession } from "../../core/delegate.ts";
import { fail } from "../../core/errors.ts";
import type { Overlay } from "../../core/overlay.ts";
import type { Watermark } from "../../core/overlay-description.ts";
import type { ImageRequest } from "../../core/request.ts";
import { metadata } from "../../delegate/metadata.ts";
import { overlay } from "../../delegate/overlay.ts";
import { redactions } from "../../delegate/redactions.ts";
import type { Overlays } from "../../overlays/overlays.ts";
import { stackOverlays } from "../../overlays/stacked.ts";
import { covered, type HiddenParts } from "../../service/covering.ts";
import type { Prepared } from "../../service/prepared.ts";
import { withResponseMetadata } from "../../service/response-metadata.ts";
import type { Deadline } from "../request/deadline.ts";
import { responseFacts } from "./delegate-context.ts";
import type { Gate } from "./gate.ts";

/** The sources of redactions, overlays and response metadata. */
export interface CoverSources {
  readonly overlays: Overlays | undefined;
  readonly gate: Pick<Gate, "session" | "look"> | undefined;
  /** The overlay of an access rule, drawn above the other one. */
  readonly watermark?: Watermark | undefined;
}

/**
 * Adds to a request what hides parts of its image (redactions, overlays) and what is written into
 * the response (metadata). Called once the image is known; throws where any of it fails, and
 * nothing of the image may be sent then.
 */
export const hide = (
  asked: ImageRequest,
  known: Prepared,
  { overlays, gate, watermark }: CoverSources,
  deadline: Deadline,
): Prepared | Promise<Prepared> => {
  const session = gate?.session;
  const strategy = overlays?.strategy();
  const isDrawnOver = strategy !== undefined || watermark !== undefined;
  if (gate === undefined && !isDrawnOver) return known;
  const ask = async (): Promise<Prepared> => {
    await gate?.look(known.image);
    const decides = session?.has("redactions") === true || session?.has("metadata") === true;
    if (!isDrawnOver && !decides) return known;
    session?.learn(responseFacts(asked, known));
    const { signal } = deadline;
    const redacted = session?.has("redactions") ? await session.call("redactions", redactions) : [];
    const overlay = await overlayOf(strategy, { overlays, gate, watermark }, signal);
    const hiding: HiddenParts = { redactions: redacted, ...(overlay ? { overlay } : {}) };
    const hides = hiding.overlay !== undefined || hiding.redactions?.length !== 0;
    const hidden = hides ? await covered(known, hiding, signal) : known;
    return session ? written(session, hidden) : hidden;
  };
  return deadline.race(ask());
};

/** The request with the metadata of its response, as the delegate returns it. */
const written = async (session: DelegateSession, prepared: Prepared): Promise<Prepared> => {
  if (session.has("metadata"))
    return withResponseMetadata(prepared, await session.call("metadata", metadata));
  // A whole file contains other pages, which may have redactions of their own.
  const showsOthers = session.has("redactions") && prepared.image.info.pages.length > 1;
  return showsOthers ? withResponseMetadata(prepared, null) : prepared;
};

/** Everything drawn over a response, as one overlay. */
const overlayOf = async (
  strategy: "basic" | "script" | undefined,
  hiders: CoverSources,
  signal: AbortSignal,
): Promise<Overlay | undefined> => {
  const { overlays, watermark } = hiders;
  const lower = strategy && (await overlaid(strategy, hiders, signal));
  const upper = watermark && (await watermarked(watermark, overlays, signal));
  return stackOverlays([lower, upper].filter((one) => one !== undefined));
};

/** The overlay of a response; undefined where the delegate returns none. */
const overlaid = async (
  strategy: "basic" | "script",
  { overlays, gate }: CoverSources,
  signal: AbortSignal,
): Promise<Overlay | undefined> => {
  if (strategy === "basic") return overlays?.basic(signal);
  if (gate === undefined || overlays === undefined)
    return fail(
      "internal",
      "overlays.strategy is ScriptStrategy, but no delegate is loaded. Set delegate_script.enabled or delegate.http.url, and restart the server.",
    );
  const description = await gate.session.call("overlay", overlay);
  return description ? overlays.scripted(description, signal) : undefined;
};

const watermarked = (
  watermark: Watermark,
  overlays: Overlays | undefined,
  signal: AbortSignal,
): Promise<Overlay> =>
  overlays
    ? overlays.watermark(watermark, signal)
    : fail("internal", "A rule has a watermark, but this server has no overlays.");
