import type { Outcome, Verdict } from "./verdict.ts";

const outcomes: readonly Outcome[] = ["right", "refused", "unread", "wrong"];

/** Names of the manifest's formats. */
const names: Readonly<Record<string, string>> = {
  avif: "AVIF",
  bmp: "BMP",
  dicom: "DICOM",
  gif: "GIF",
  heic: "HEIC",
  jp2: "JPEG 2000",
  jpeg: "JPEG",
  jxl: "JPEG XL",
  pdf: "PDF",
  png: "PNG",
  svg: "SVG",
  tiff: "TIFF",
  video: "video",
  webp: "WebP",
  xpm: "XPM",
};

/** Formats that readers consider one. */
const kinds: Readonly<Record<string, string>> = {
  htj2k: "jp2",
  j2k: "jp2",
  jpx: "jp2",
  avi: "video",
  flv: "video",
  mov: "video",
  mp4: "video",
  mpg: "video",
  webm: "video",
};

const resolveName = ({ file: { format, path } }: Verdict): string => {
  if (path.startsWith("malformed/")) return malformed;
  const kind = kinds[format] ?? format;
  return names[kind] ?? kind;
};

const malformed = "damaged and hostile files";

/** The table of a run by format, and remarks on each file that is not right: Markdown. */
export const report = (verdicts: readonly Verdict[]): string => {
  const rows = new Map<string, Record<Outcome, number>>();
  for (const verdict of verdicts) {
    const row = rows.get(resolveName(verdict)) ?? { right: 0, refused: 0, unread: 0, wrong: 0 };
    row[verdict.outcome]++;
    rows.set(resolveName(verdict), row);
  }
  const sorted = [...rows].sort(
    ([one], [other]) =>
      Number(one === malformed) - Number(other === malformed) ||
      one.toLowerCase().localeCompare(other.toLowerCase(), "en"),
  );
  return [
    "| format | files | right | refused as expected | refused, though readable | wrong |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...sorted.map(([name, row]) => {
      const counts = outcomes.map((outcome) => row[outcome]);
      const files = counts.reduce((sum, count) => sum + count, 0);
      return `| ${name} | ${files} | ${counts.join(" | ")} |`;
    }),
    ...notes(verdicts),
  ].join("\n");
};

const notes = (verdicts: readonly Verdict[]): readonly string[] =>
  (
    [
      ["wrong", "Wrong:"],
      ["unread", "Refused, though readable:"],
      ["refused", "Refused as expected, damaged and hostile files aside:"],
    ] as const
  ).flatMap(([outcome, title]) => {
    const found = verdicts.filter(
      (verdict) =>
        verdict.outcome === outcome &&
        (outcome !== "refused" || resolveName(verdict) !== malformed),
    );
    if (found.length === 0) return [];
    const lines = found
      .map(({ file, why }) => `- \`${file.path}\`: ${plain(why ?? "")}`)
      .sort((one, other) => (one < other ? -1 : 1));
    return ["", title, "", ...lines];
  });

/** On one line, escaped for Markdown. */
const plain = (text: string): string =>
  text.replace(/[<>|]/g, "").replace(/\s+/g, " ").replace(/[.]$/, "");

/** Puts text between the two markers of a name in a page; throws where it has none. */
export const between = (page: string, name: string, text: string): string => {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`Expected markers ${begin} … ${end} in the page`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
};
