import type { Fault, WrittenConfiguration } from "../config/keys.ts";
import {
  isTextPosition,
  type OverlayDescription,
  overlayBounds,
  readPosition,
  type StringOverlay,
} from "../core/overlay-description.ts";
import { isDelegateEnabled } from "../delegate/http/keys.ts";
import type { OverlaySettings } from "./keys.ts";

const prefix = "overlays.BasicStrategy.";

/**
 * The overlay of `BasicStrategy`; undefined where it is off. Throws where the settings are invalid.
 */
export const basicOverlay = (settings: OverlaySettings): OverlayDescription | undefined => {
  if (!settings["overlays.BasicStrategy.enabled"]) return undefined;
  const [wrong] = basicFaults(settings);
  if (wrong) throw new Error(wrong.message);
  const position = readPosition(settings["overlays.BasicStrategy.position"]);
  const inset = settings["overlays.BasicStrategy.inset"];
  if (settings["overlays.BasicStrategy.type"] === "image" && position)
    return { kind: "image", image: settings["overlays.BasicStrategy.image"], position, inset };
  if (position === undefined || !isTextPosition(position)) return undefined;
  const string = settings["overlays.BasicStrategy.string"];
  return { kind: "string", position, inset, string, ...textLooks(settings) };
};

/** The appearance of text. */
export const textLooks = (
  settings: OverlaySettings,
): Omit<StringOverlay, "kind" | "position" | "inset" | "string"> => ({
  font: settings["overlays.BasicStrategy.string.font"],
  fontSize: settings["overlays.BasicStrategy.string.font.size"],
  fontMinSize: settings["overlays.BasicStrategy.string.font.min_size"],
  fontWeight: settings["overlays.BasicStrategy.string.font.weight"],
  glyphSpacing: settings["overlays.BasicStrategy.string.glyph_spacing"],
  color: settings["overlays.BasicStrategy.string.color"],
  backgroundColor: settings["overlays.BasicStrategy.string.background.color"],
  strokeColor: settings["overlays.BasicStrategy.string.stroke.color"],
  strokeWidth: settings["overlays.BasicStrategy.string.stroke.width"],
  wordWrap: false,
});

/** Why the configured overlay cannot be drawn. */
export const overlayFaults = ({ values }: WrittenConfiguration): readonly Fault[] => {
  if (values["overlays.strategy"] === "ScriptStrategy")
    return isDelegateEnabled(values)
      ? []
      : [
          fault(
            "overlays.strategy",
            "ScriptStrategy needs a delegate. Set delegate_script.enabled and delegate_script.pathname, or delegate.http.url.",
          ),
        ];
  return values["overlays.BasicStrategy.enabled"] === true ? basicFaults(values) : [];
};

const basicFaults = (values: Readonly<Record<string, unknown>>): readonly Fault[] => {
  const textOf = (name: string): string => String(values[prefix + name] ?? "").trim();
  const type = textOf("type");
  const position = readPosition(textOf("position"));
  const faults: Fault[] = [];
  const add = (name: string, message: string) => faults.push(fault(prefix + name, message));
  if (type === "") add("type", "expected image or string where overlays are switched on.");
  if (type === "image" && textOf("image") === "")
    add("image", "expected the path or URL of an image.");
  if (type === "string" && textOf("string") === "") add("string", "expected a text.");
  if (textOf("string").length > overlayBounds.string)
    add("string", `expected at most ${overlayBounds.string} characters.`);
  if (position === undefined)
    add("position", `expected a position such as bottom right, got "${textOf("position")}".`);
  else if (type === "string" && !isTextPosition(position))
    add("position", `${position} is for images only; expected a position such as bottom right.`);
  return faults;
};

const fault = (key: string, message: string): Fault => ({ key, message: `${key}: ${message}` });
