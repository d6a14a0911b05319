import type { Colour } from "../../core/info.ts";

const headerSize = 128;
const maxTags = 1_024;

/** How an embedded ICC profile is handled, given the samples; see `Colour.profile`. */
export const profileOf = (
  profile: Uint8Array | undefined,
  model: Colour["model"],
): Colour["profile"] => {
  const header = profile === undefined ? undefined : readHeader(profile);
  if (profile === undefined || header === undefined) return "none";
  // A profile for other kinds of samples does not apply.
  if (header.space !== spaces[model]) return "none";
  if (model === "cmyk" || model === "lab") return "converted";
  return model === "rgb" && isSrgb(profile) ? "srgb" : "kept";
};

const spaces: Readonly<Record<Colour["model"], string | undefined>> = {
  rgb: "RGB ",
  grey: "GRAY",
  cmyk: "CMYK",
  lab: "Lab ",
  other: undefined,
};

const deviceClasses: ReadonlySet<string> = new Set(["mntr", "scnr", "prtr", "spac"]);

const readHeader = (profile: Uint8Array): { space: string } | undefined => {
  if (profile.length < headerSize + 4 || text(profile, 36, 4) !== "acsp") return undefined;
  if (!deviceClasses.has(text(profile, 12, 4))) return undefined;
  return { space: text(profile, 16, 4) };
};

/** By its name, or else by its primaries and the middle of its curve. */
const isSrgb = (profile: Uint8Array): boolean => {
  const found = tagsOf(profile);
  const description = describe(found.get("desc"));
  if (/linear/i.test(description)) return false;
  if (/^(sRGB|IEC 61966-2[.-]1)/i.test(description)) return true;
  return (
    primaries.every(([tag, x, y, z]) => isPageCached(found.get(tag), [x, y, z])) &&
    hasSrgbCurve(found.get("rTRC"))
  );
};

/** Of sRGB, adapted to D50. */
const primaries = [
  ["rXYZ", 0.4361, 0.2225, 0.0139],
  ["gXYZ", 0.3851, 0.7169, 0.0971],
  ["bXYZ", 0.1431, 0.0606, 0.7141],
] as const;

const nearness = 0.003;

const isPageCached = (tag: DataView | undefined, wanted: readonly number[]): boolean =>
  tag !== undefined &&
  tag.byteLength >= 20 &&
  wanted.every((value, index) => Math.abs(fixed(tag, 8 + index * 4) - value) < nearness);

/** The linear value of half a signal: 0.2140 by the curve of sRGB. */
const hasSrgbCurve = (tag: DataView | undefined): boolean => {
  const light = tag === undefined ? undefined : lightOfHalf(tag);
  return light !== undefined && Math.abs(light - 0.214) < 0.002;
};

const lightOfHalf = (tag: DataView): number | undefined => {
  const kind = tag.byteLength < 12 ? 0 : tag.getUint32(0);
  const parametric = 0x70617261;
  const sampled = 0x63757276;
  if (kind === parametric && tag.getUint16(8) === 3 && tag.byteLength >= 32)
    return (fixed(tag, 16) * 0.5 + fixed(tag, 20)) ** fixed(tag, 12);
  const count = kind === sampled ? tag.getUint32(8) : 0;
  if (count < 2 || tag.byteLength < 12 + count * 2) return undefined;
  return tag.getUint16(12 + (count >> 1) * 2) / 65_535;
};

const fixed = (view: DataView, at: number): number => view.getInt32(at) / 65_536;

const tagsOf = (profile: Uint8Array): Map<string, DataView> => {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength);
  const count = Math.min(view.getUint32(headerSize), maxTags);
  const found = new Map<string, DataView>();
  for (let index = 0; index < count; index++) {
    const at = headerSize + 4 + index * 12;
    if (at + 12 > profile.length) break;
    const offset = view.getUint32(at + 4);
    const length = view.getUint32(at + 8);
    if (offset + length <= profile.length)
      found.set(text(profile, at, 4), new DataView(view.buffer, view.byteOffset + offset, length));
  }
  return found;
};

/** The profile's name, from a version 2 text or the first language of a version 4 one. */
const describe = (tag: DataView | undefined): string => {
  if (tag === undefined || tag.byteLength < 28) return "";
  const bytes = new Uint8Array(tag.buffer, tag.byteOffset, tag.byteLength);
  if (text(bytes, 0, 4) !== "mluc") return text(bytes, 12, Math.min(tag.getUint32(8), 256));
  const length = Math.min(tag.getUint32(20), 256);
  const offset = tag.getUint32(24);
  // UTF-16: names in Latin letters are every other byte.
  return text(bytes, offset, length).replaceAll("\0", "");
};

const text = (bytes: Uint8Array, at: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", at, at + length);
