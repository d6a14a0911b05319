import {
  isTextPosition,
  overlayBounds,
  readPosition,
  type Watermark,
} from "../core/overlay-description.ts";
import type { accessRuleKeys } from "./keys.ts";

type RuleKey = keyof typeof accessRuleKeys;

/** What a watermark is parsed from, and where to report faults. */
interface WatermarkDraft {
  readonly text: (key: RuleKey) => string;
  readonly value: (key: RuleKey) => unknown;
  readonly fault: (key: RuleKey, message: string) => undefined;
}

/** The prefix of text watermarks. */
const textPrefix = /^text:\s*/i;

/** The watermark of an allowing rule; undefined where it has none, or a faulty one. */
export const watermarkOf = ({ text, value, fault }: WatermarkDraft): Watermark | undefined => {
  const given = text("watermark").trim();
  const inset = value("watermark_inset");
  const written = text("watermark_position").trim();
  if (given === "") {
    if (written !== "")
      return fault("watermark_position", "expected watermark as well, got nothing.");
    return inset === null
      ? undefined
      : fault("watermark_inset", "expected watermark as well, got nothing.");
  }
  const isText = textPrefix.test(given);
  const position = readPosition(written === "" ? (isText ? "bottom right" : "repeat") : written);
  if (position === undefined)
    return fault("watermark_position", `expected a position such as bottom right, got ${written}.`);
  const common = { inset: typeof inset === "number" ? inset : 0 };
  if (!isText) return { kind: "image", image: given, position, ...common };
  const string = given.replace(textPrefix, "");
  if (string === "" || string.length > overlayBounds.string)
    return fault(
      "watermark",
      `expected a text of 1 to ${overlayBounds.string} characters after text:.`,
    );
  return isTextPosition(position)
    ? { kind: "string", string, position, ...common }
    : fault(
        "watermark_position",
        `${position} is for images only; expected a position such as bottom right.`,
      );
};

/** Keys that only allowing rules have. */
export const watermarkKeys = ["watermark", "watermark_position", "watermark_inset"] as const;
