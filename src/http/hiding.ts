import { fail } from "../core/errors.ts";
import type { ImageRequest } from "../core/request.ts";
import { overlay } from "../delegate/overlay.ts";
import { redactions } from "../delegate/redactions.ts";
import type { Overlays } from "../overlays/overlays.ts";
import { covered, type Hiding } from "../service/covering.ts";
import type { Prepared } from "../service/prepared.ts";
import type { Deadline } from "./deadline.ts";
import { responseFacts } from "./delegate-context.ts";
import type { Gate } from "./gate.ts";

/** Who says what hides parts of images. */
export interface Hiders {
  readonly overlays: Overlays | undefined;
  readonly gate: Pick<Gate, "session" | "look"> | undefined;
}

/**
 * Settles a request anew with what hides parts of its image: redactions and overlays. To be asked once, as soon as the image is known;
 * throws where that is not answered as it should be, and nothing of the image may be sent then.
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
    const redacts = session?.has("redactions") === true;
    if (strategy === undefined && !redacts) return known;
    session?.learn(responseFacts(asked, known));
    const { signal } = deadline;
    const hiding: Hiding = {
      redactions: redacts && session ? await session.call("redactions", redactions) : [],
      ...(strategy && (await overlaid(strategy, { overlays, gate }, signal))),
    };
    if (hiding.overlay === undefined && hiding.redactions?.length === 0) return known;
    return covered(known, hiding, signal);
  };
  return deadline.race(ask());
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
      "overlays.strategy is ScriptStrategy, but no delegate is loaded. Set delegate_script.enabled and start the server anew.",
    );
  const description = await gate.session.call("overlay", overlay);
  return description ? { overlay: await overlays.scripted(description, signal) } : {};
};
