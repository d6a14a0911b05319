import type { DelegateSession } from "../core/delegate.ts";
import { fail } from "../core/errors.ts";
import type { ImageRequest } from "../core/request.ts";
import { metadata } from "../delegate/metadata.ts";
import { overlay } from "../delegate/overlay.ts";
import { redactions } from "../delegate/redactions.ts";
import type { Overlays } from "../overlays/overlays.ts";
import { covered, type Hiding } from "../service/covering.ts";
import { inscribed } from "../service/inscribing.ts";
import type { Prepared } from "../service/prepared.ts";
import type { Deadline } from "./deadline.ts";
import { responseFacts } from "./delegate-context.ts";
import type { Gate } from "./gate.ts";

/** Who says what hides parts of images, and what is written into them. */
export interface Hiders {
  readonly overlays: Overlays | undefined;
  readonly gate: Pick<Gate, "session" | "look"> | undefined;
}

/**
 * Settles a request anew with what hides parts of its image (redactions and overlays) and what is written into its response (metadata).
 * To be asked once, as soon as the image is known; throws where that is not answered as it should be, and nothing of the image may be sent
 * then.
 */
export const hide = (
  asked: ImageRequest,
  known: Prepared,
  { overlays, gate }: Hiders,
  deadline: Deadline,
): Prepared | Promise<Prepared> => {
  const session = gate?.session;
  const strategy = overlays?.strategy();
  if (gate === undefined && strategy === undefined) return known;
  const ask = async (): Promise<Prepared> => {
    await gate?.look(known.image);
    const decides = session?.has("redactions") === true || session?.has("metadata") === true;
    if (strategy === undefined && !decides) return known;
    session?.learn(responseFacts(asked, known));
    const { signal } = deadline;
    const hiding: Hiding = {
      redactions: session?.has("redactions") ? await session.call("redactions", redactions) : [],
      ...(strategy && (await overlaid(strategy, { overlays, gate }, signal))),
    };
    const hides = hiding.overlay !== undefined || hiding.redactions?.length !== 0;
    const hidden = hides ? await covered(known, hiding, signal) : known;
    return session ? written(session, hidden) : hidden;
  };
  return deadline.race(ask());
};

/** The request with the metadata of its response, as the delegate wants it. */
const written = async (session: DelegateSession, prepared: Prepared): Promise<Prepared> => {
  if (session.has("metadata")) return inscribed(prepared, await session.call("metadata", metadata));
  // A whole file has its other pages in it, which may have redactions of their own.
  const showsOthers = session.has("redactions") && prepared.image.info.pages.length > 1;
  return showsOthers ? inscribed(prepared, null) : prepared;
};

/** The overlay of a response; none where the delegate wants none. */
const overlaid = async (
  strategy: "basic" | "script",
  { overlays, gate }: Hiders,
  signal: AbortSignal,
): Promise<Pick<Hiding, "overlay">> => {
  if (strategy === "basic") return overlays ? { overlay: await overlays.basic(signal) } : {};
  if (gate === undefined || overlays === undefined)
    return fail(
      "internal",
      "overlays.strategy is ScriptStrategy, but no delegate is loaded. Set delegate_script.enabled or delegate.http.url, and start the server anew.",
    );
  const description = await gate.session.call("overlay", overlay);
  return description ? { overlay: await overlays.scripted(description, signal) } : {};
};
