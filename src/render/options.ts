import { parseColor } from "../config/color.ts";
import type { Settings } from "../config/keys.ts";
import type { FormatName } from "../core/formats.ts";
import type { RenderOptions } from "../core/plan.ts";
import { carriesMetadata } from "../formats/write/embedding/index.ts";
import { encodingOf } from "../formats/write/index.ts";
import type { encodingKeys } from "../formats/write/keys.ts";
import type { renderKeys } from "./keys.ts";

/** Computes a value once per format while the settings are unchanged. */
export const perFormat = <S extends object, T>(
  settings: () => S,
  work: (settings: S, format: FormatName) => T,
): ((format: FormatName) => T) => {
  let seen: S | undefined;
  const known = new Map<FormatName, T>();
  return (format) => {
    const now = settings();
    if (now !== seen) known.clear();
    seen = now;
    const before = known.get(format);
    if (before !== undefined) return before;
    const found = work(now, format);
    known.set(format, found);
    return found;
  };
};

/** Formats with 16 bits per sample. */
const deepFormats: ReadonlySet<FormatName> = new Set<FormatName>(["png", "tif", "jp2", "jxl"]);

/** The settings for images of a format. */
export const renderOptions = (
  settings: Settings<typeof renderKeys & typeof encodingKeys>,
  format: FormatName,
): RenderOptions => {
  const { red, green, blue } = parseColor(settings["processor.background_color"]);
  return {
    downscaleFilter: settings["processor.downscale_filter"],
    upscaleFilter: settings["processor.upscale_filter"],
    linear: settings["processor.downscale_linear"],
    sharpen: settings["processor.sharpen"],
    background: [red, green, blue],
    colour: settings["processor.convert_to_srgb"] ? "srgb" : "keep",
    deep: settings["processor.keep_16_bit"] && deepFormats.has(format),
    preserve: settings["processor.metadata.preserve"] && carriesMetadata(format),
    encoding: encodingOf(format, settings),
  };
};
