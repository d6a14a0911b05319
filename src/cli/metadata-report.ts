import type { IccProfile, Metadata, NativeField, Value } from "../formats/metadata/index.ts";

const widestName = 32;
const longestValue = 72;
const maxValues = 8;
const maxRows = 40;

/** A file's metadata in lines for people, shortened; `--json` shows all of it. */
export const metadataLines = (metadata: Metadata): string[] => {
  const { exif, iptc, xmp, icc, native, problems } = metadata;
  const { makerNoteBytes, ...directories } = exif ?? {};
  return [
    ...Object.entries(directories).flatMap(([name, fields]) =>
      section(name === "image" ? "exif" : `exif ${name}`, Object.entries(fields)),
    ),
    ...(makerNoteBytes === undefined
      ? []
      : [`exif         a maker note of ${makerNoteBytes} bytes, omitted`]),
    ...section("iptc", Object.entries(iptc ?? {})),
    ...section("xmp", Object.entries(xmp?.properties ?? {})),
    ...section("icc", icc ? profileRows(icc) : []),
    ...section("native", nativeRows(native ?? [])),
    ...problems.map((problem) => `problem      ${oneLine(problem, Number.POSITIVE_INFINITY)}`),
  ];
};

type ReportRows = readonly (readonly [name: string, value: Value])[];

/** The name is on a line of its own, so that its content can be aligned. */
const section = (name: string, rows: ReportRows): string[] => {
  if (rows.length === 0) return [];
  const shown = rows
    .slice(0, maxRows)
    .map(([key, value]) => [oneLine(key, widestName), value] as const);
  const width = Math.max(...shown.map(([key]) => key.length)) + 2;
  const lines = shown.map(
    ([key, value]) => `  ${key.padEnd(width)}${oneLine(short(value), longestValue)}`,
  );
  const more = rows.length - shown.length;
  return [name, ...lines, ...(more > 0 ? [`  and ${more} more; --json shows them`] : [])];
};

const profileRows = (icc: IccProfile): ReportRows =>
  Object.entries(icc).filter(([, value]) => value !== "");

/** Of the directories of a TIFF only the first one: the others mostly repeat it. */
const nativeRows = (fields: readonly NativeField[]): ReportRows => {
  const shown = fields.filter(({ directory = 0 }) => directory === 0);
  const further = fields.length - shown.length;
  return [
    ...shown.map((field): [string, Value] => [field.name, nativeValue(field)]),
    ...(further > 0
      ? [["further directories", `${further} field${further === 1 ? "" : "s"}`] as const]
      : []),
  ];
};

const nativeValue = ({ value, bytes, count }: NativeField): Value =>
  value ??
  [
    ...(count === undefined ? [] : [`${count} values`]),
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
  ].join(", ");

const short = (value: Value): string => {
  if (typeof value !== "object") return `${value}`;
  if (isList(value)) {
    const more = value.length - maxValues;
    const shown = value.slice(0, maxValues).map(item);
    return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
  }
  const { base64, ...others } = value;
  if (typeof base64 === "string" && Object.keys(others).length === 0)
    return `${Buffer.byteLength(base64, "base64")} bytes`;
  const parts = Object.entries(value).slice(0, maxValues);
  return parts.map(([name, one]) => `${name}: ${item(one)}`).join("; ");
};

const item = (value: Value): string =>
  typeof value === "object" ? `(${nested(value)})` : `${value}`;

/** Nested values are shown as their size: a line has no room for them. */
const nested = (value: Exclude<Value, string | number>): string => {
  if (!isList(value)) return `${Object.keys(value).length} fields`;
  const isFlat = value.length <= 4 && value.every((one) => typeof one !== "object");
  return isFlat ? value.join(", ") : `${value.length} values`;
};

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Without characters that could move a terminal's cursor or reverse its text. */
const oneLine = (text: string, max: number): string => {
  const plain = text
    .slice(0, max + 1)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return text.length > max ? `${plain.slice(0, max - 1)}…` : plain;
};
