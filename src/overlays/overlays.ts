import type { HttpClient } from "../clients/http.ts";
import type { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import type { Logger } from "../core/log.ts";
import type { Overlay } from "../core/overlay.ts";
import type { OverlayDescription, Watermark } from "../core/overlay-description.ts";
import { basicOverlay, textLooks } from "./basic.ts";
import { markOfImage } from "./image-marks.ts";
import { type OverlaySettings, overlayKeys } from "./keys.ts";
import { operationOf } from "./operation.ts";
import { OverlayPictures } from "./pictures.ts";
import { needFonts } from "./text-mask.ts";
import { OverlayTexts } from "./texts.ts";

/** Overlays as currently configured. */
export interface Overlays {
  /** Provides overlays; undefined where there is none. */
  strategy(): "basic" | "script" | undefined;
  /** The overlay of every image. Throws `internal` where it cannot be loaded. */
  basic(signal: AbortSignal): Promise<Overlay>;
  /** The overlay that a delegate returns; throws as `basic`. */
  scripted(description: OverlayDescription, signal: AbortSignal): Promise<Overlay>;
  /** The overlay of an access rule; throws as `basic`. */
  watermark(watermark: Watermark, signal: AbortSignal): Promise<Overlay>;
  /** Why images with a watermark cannot be served; undefined where they can. */
  watermarkTrouble(watermark: Watermark, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Why images cannot be served, as far as known before the first request; undefined where they
   * can.
   */
  trouble(signal: AbortSignal): Promise<string | undefined>;
}

/** Creates overlays; `client` is for images on web servers. */
export const createOverlays = (config: Config, client: HttpClient, log: Logger): Overlays => {
  const settings = config.view(overlayKeys);
  const pictures = new OverlayPictures(client, log);
  const texts = new OverlayTexts();
  const make = async (
    description: OverlayDescription,
    { placed, min }: { readonly placed: Overlay["placed"]; readonly min: Size },
    signal: AbortSignal,
  ): Promise<Overlay> => {
    const operation = operationOf(description);
    const isTooSmall = ({ width, height }: Size): boolean =>
      width < min.width || height < min.height;
    const common = { placed, operation };
    if (description.kind === "string")
      return {
        ...common,
        key: JSON.stringify([description, placed, min]),
        async marks({ size }, leaving) {
          const mark = isTooSmall(size)
            ? undefined
            : await texts.markOf(description, size, leaving);
          return mark ? [mark] : [];
        },
      };
    const picture = await pictures.get(description.image, signal);
    const { position, inset } = description;
    return {
      ...common,
      key: JSON.stringify([picture.digest, position, inset, placed, min]),
      marks: ({ size }) => (isTooSmall(size) ? [] : [markOfImage(picture, description, size)]),
    };
  };
  const basic = (signal: AbortSignal): Promise<Overlay> => {
    const now = settings();
    const description = described(now);
    const min = {
      width: now["overlays.BasicStrategy.output_width_threshold"],
      height: now["overlays.BasicStrategy.output_height_threshold"],
    };
    return make(description, { placed: now["overlays.placement"], min }, signal);
  };
  const scripted = (description: OverlayDescription, signal: AbortSignal): Promise<Overlay> => {
    const placed = settings()["overlays.placement"];
    return make(description, { placed, min: { width: 0, height: 0 } }, signal);
  };
  const watermark = (wanted: Watermark, signal: AbortSignal): Promise<Overlay> =>
    scripted(wanted.kind === "image" ? wanted : { ...textLooks(settings()), ...wanted }, signal);
  return {
    strategy() {
      const now = settings();
      if (now["overlays.strategy"] === "ScriptStrategy") return "script";
      return now["overlays.BasicStrategy.enabled"] ? "basic" : undefined;
    },
    basic,
    scripted,
    watermark,
    watermarkTrouble: (wanted, signal) =>
      reasonOf(async () => {
        await watermark(wanted, signal);
        if (wanted.kind === "string") await needFonts();
      }),
    async trouble(signal) {
      const now = settings();
      if (now["overlays.strategy"] !== "BasicStrategy" || !now["overlays.BasicStrategy.enabled"])
        return undefined;
      return reasonOf(async () => {
        await basic(signal);
        if (now["overlays.BasicStrategy.type"] === "string") await needFonts();
      });
    },
  };
};

/** Why something fails; undefined where it does not. */
const reasonOf = async (attempt: () => Promise<void>): Promise<string | undefined> => {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const described = (settings: OverlaySettings): OverlayDescription => {
  try {
    const description = basicOverlay(settings);
    if (description) return description;
  } catch (error) {
    fail("internal", "The configuration of overlays is invalid.", error);
  }
  return fail("internal", "Overlays were switched off while a request was answered.");
};
