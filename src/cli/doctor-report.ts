import { printable } from "../core/printable.ts";
import { sizeText } from "../doctor/advice.ts";
import type { Report } from "../doctor/json-report.ts";
import type { FindingCode } from "../doctor/judging.ts";
import type { FormatSummary, NamedObject, Summary } from "../doctor/summary.ts";
import type { Terminal } from "./command.ts";
import { withTitles } from "./style.ts";

type Look = Pick<Terminal, "outStyle" | "outColumns">;

/** Maximum number of objects of a kind that the report names. */
const maxShown = 10;

/** A report for people. */
export const doctorText = (report: Report, look: Look): string => {
  const { summary, advice } = report;
  const sections = [
    totals(report),
    formatTable(summary.formats),
    ...problems(summary, look),
    slowTable(summary),
    others(summary),
    advice.length > 0
      ? [
          "What to do:",
          ...advice.flatMap(({ text, command }) => [
            ...wrapped(`- ${printable(text)}`, look),
            ...(command === undefined ? [] : [`      ${command}`]),
          ]),
        ]
      : ["Nothing needs to be done."],
  ];
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
  return `${withTitles(text, look.outStyle)}\n`;
};

const totals = ({ collection, quick, summary }: Report): readonly string[] => {
  const { images, bytes, pixels, pages, objects } = summary;
  return [
    `${printable(collection)}:`,
    `  ${images} images of ${objects} files, ${sizeText(bytes)}, ${megapixels(pixels)}${pages > images ? `, ${pages} pages` : ""}`,
    ...(quick ? ["  Only headers were read; the pixels were not checked for damage."] : []),
  ];
};

const megapixels = (pixels: number): string =>
  `${pixels < 1e7 ? (pixels / 1e6).toFixed(1) : Math.round(pixels / 1e6)} MP`;

const formatTable = (formats: readonly FormatSummary[]): readonly string[] =>
  formats.length === 0
    ? []
    : [
        "Formats:",
        ...table(
          ["", "images", "size", "pixels", "tiled", "slow", "unreadable"],
          formats.map(({ name, images, bytes, pixels, tiled, slow, unreadable }) => [
            name,
            String(images),
            sizeText(bytes),
            megapixels(pixels),
            ...[tiled, slow, unreadable].map((count) => (count === 0 ? "-" : String(count))),
          ]),
        ),
      ];

/** Columns with the first one aligned to the left, and all others to the right. */
const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] => {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? "").length)));
  return all.map((row) =>
    `  ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ")}`.trimEnd(),
  );
};

const titles = {
  unreadable: "Damaged or unreadable",
  denied: "Access denied",
  storage: "Storage failures",
  limit: "Not fully examined",
  off: "Not served as configured",
  "wrong-extension": "Wrong extension",
  case: "Names that differ only in case",
  "no-profile": "Without a colour profile",
} as const satisfies Partial<Record<FindingCode, string>>;

const problems = ({ findings, named }: Summary, look: Look): readonly (readonly string[])[] =>
  Object.entries(titles).map(([key, title]) => {
    const code = key as keyof typeof titles;
    const count = findings[code] ?? 0;
    return count === 0
      ? []
      : [`${title} (${count}):`, ...namedLines(named[code] ?? [], count, look)];
  });

const namedLines = (
  named: readonly NamedObject[],
  count: number,
  { outColumns = 160 }: Look,
): readonly string[] => {
  const shown = named.slice(0, maxShown);
  const width = Math.min(40, Math.max(0, ...shown.map(({ identifier }) => identifier.length)));
  const lines = shown.map(({ identifier, text }) =>
    cut(`  ${fitted(printable(identifier), width)}  ${printable(text)}`, Math.max(60, outColumns)),
  );
  return count > shown.length ? [...lines, `  and ${count - shown.length} more`] : lines;
};

const slowTable = ({ slowest, findings }: Summary): readonly string[] => {
  const shown = slowest.slice(0, maxShown);
  const count = findings.slow ?? 0;
  if (shown.length === 0) return [];
  const lines = table(
    ["", "a tile decodes", "gain", "pyramid"],
    shown.map(({ identifier, pixels, gain, pyramidBytes }) => [
      fitted(printable(identifier), 40).trimEnd(),
      megapixels(pixels),
      `${gain} x`,
      sizeText(pyramidBytes),
    ]),
  );
  return [
    `Slow to zoom (${count}):`,
    ...lines,
    ...(count > shown.length ? [`  and ${count - shown.length} more`] : []),
  ];
};

const others = ({ others: found }: Summary): readonly string[] => {
  if (found.length === 0) return [];
  const listed = found
    .slice(0, maxShown)
    .map(
      ({ extension, objects }) =>
        `${objects} ${extension === "" ? "without extension" : `.${printable(extension)}`}`,
    );
  return ["Not images:", `  ${listed.join(", ")}${found.length > maxShown ? ", and others" : ""}`];
};

/**
 * Text of exactly `width` columns; long names lose their beginning, which says less than the end.
 */
const fitted = (text: string, width: number): string =>
  text.length > width ? `…${text.slice(1 - width)}` : text.padEnd(width);

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

/** Text wrapped to the terminal's width, with continuation lines indented. */
const wrapped = (text: string, { outColumns }: Look): readonly string[] => {
  const width = Math.min(100, Math.max(40, (outColumns ?? 100) - 1));
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "   ";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `  ${one}`);
};
