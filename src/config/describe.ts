import { explainedKeys } from "./cantaloupe.ts";
import { isFollowing } from "./compatibility.ts";
import { variableOf } from "./environment.ts";
import type { ExplainedKey, Explanation } from "./explanation.ts";
import type { Definition, KeyGroup, NumberedKeys } from "./keys.ts";
import { definitionsOf } from "./layers.ts";
import { missingParts } from "./missing-parts.ts";
import { cantaloupeDefault, expectation, formatValue } from "./parse.ts";

/** A commented configuration file with every key at its default. */
export const sampleFile = (groups: readonly KeyGroup[]): string =>
  [sampleHead, ...groups.map(sampleGroup)].join("\n");

/** The reference of all keys in Markdown, with those of Cantaloupe's that have no effect. */
export const configurationMarkdown = (groups: readonly KeyGroup[]): string =>
  [markdownHead, ...groups.map(markdownGroup), markdownMissing(), markdownUnused(groups)].join(
    "\n",
  );

/** The reference of all keys as JSON, for programs. */
export const configurationJson = (groups: readonly KeyGroup[]): string => {
  const unused = unusedBy(groups).map(([key, explanation]) => ({ key, ...explanation }));
  const missing = missingParts.map(({ key, wants, protects }) => ({ key, wants, protects }));
  return `${JSON.stringify({ groups: groups.map(jsonGroup), missing, unused }, undefined, 2)}\n`;
};

const sampleHead = `# Configuration of Vitrine: every key with its default. All of them are optional.
# A line is a comment or \`key = value\`; a blank value means the default.
# Environment variables override the file: max_pixels is MAX_PIXELS there, and any character
# other than a letter or digit becomes an underscore.
# \`extends = other.properties\` inherits the keys that are not set here from another file.
# File only: neither the HTTP API nor the control panel can change the key.
`;

const sampleGroup = ({ title, keys, numbered }: KeyGroup): string =>
  [
    `${"#".repeat(width)}\n# ${title}\n${"#".repeat(width)}\n`,
    ...Object.entries(keys).map(([key, definition]) => sampleEntry(key, definition)),
    // A number with any key counts, with all its keys.
    ...numberedEntries(numbered).map(([key, definition]) =>
      sampleEntry(key, definition).replace(`\n${key}`, `\n# ${key}`),
    ),
  ].join("\n");

/** Numbered keys as documented, with a number as an example. */
const numberedEntries = (
  numbered: NumberedKeys | undefined,
): readonly (readonly [string, Definition])[] =>
  Object.entries(numbered?.keys ?? {}).map(([key, definition]) => [
    `${numbered?.prefix ?? ""}1.${key}`,
    definition,
  ]);

const sampleEntry = (key: string, definition: Definition): string =>
  [
    ...wrapped(remarks(definition), width - 2).map((line) => `# ${line}`),
    `${key} = ${formatValue(definition, definition.default)}`.trimEnd(),
    "",
  ].join("\n");

const remarks = (definition: Definition): string => {
  const takes = ["string", "secret", "path"].includes(definition.type)
    ? ""
    : ` (${expectation(definition)})`;
  const restart = definition.restart ? " Needs a restart." : "";
  const fileOnly = definition.fileOnly ? " File only." : "";
  const share = shareText(definition) === "" ? "" : ` Blank: ${shareText(definition)}.`;
  return `${definition.doc.replace(/\s+/g, " ")}${takes}${blankRemark(definition)}${cantaloupeRemark(definition)}${share}${restart}${fileOnly}`;
};

const blankRemark = (definition: Definition): string =>
  "blank" in definition && definition.blank !== undefined
    ? ` Blank means ${definition.blank === "" ? "none" : (definition.blank ?? "that nothing is set")}.`
    : "";

const cantaloupeRemark = (definition: Definition): string => {
  const text = cantaloupeText(definition);
  return text === undefined
    ? ""
    : ` Where Cantaloupe's defaults hold (\`compatibility\`), it is ${text}.`;
};

/**
 * The value of an unset key where Cantaloupe's defaults apply, in words; undefined where it is the
 * default.
 */
export const cantaloupeText = (definition: Definition): string | undefined => {
  const value = cantaloupeDefault(definition);
  if (value === undefined) return undefined;
  if (isFollowing(value)) return `${value.opposite ? "the opposite of" : "as"} ${code(value.key)}`;
  const written = formatValue(definition, value);
  return written === "" ? "not set" : code(written);
};

const width = 96;

/** Wraps a text to lines of so many characters. */
export const wrapped = (text: string, max: number): readonly string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > max) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
};

const markdownHead = `# Configuration

Written by \`npm run docs\` from the definitions beside the code; do not edit.

A configuration is a file of \`key = value\` lines. \`vitrine config print\` writes one with every
key, and \`vitrine config check\` validates one. The file is the one that \`--config\` or
\`VITRINE_CONFIG\` names, or \`vitrine.properties\` in the working folder. Changes to the file take
effect on the next request, except for keys that need a restart.

- Lines that begin with \`#\` or \`!\` are comments. A line is split at its first \`=\` or, if it has
  none, at its first \`:\`. A run of backslashes is read as one. If a key is set several times, the
  first value that is not blank applies. A blank value means the default.
- \`extends = other.properties\` inherits the keys that the file does not set from another one. A bare
  name is looked up beside the file; any other path is relative to the working folder.
- Environment variables override the file. The name is the key in upper case, with \`_\` for any
  character other than a letter or digit: \`endpoint.iiif.min_size\` is \`ENDPOINT_IIIF_MIN_SIZE\`.
- Booleans are \`true\`, \`false\`, \`1\` or \`0\`. Numbers of bytes may end in \`K\`, \`M\`, \`G\`, \`T\` or
  \`P\`, powers of 1024. Lists are separated by commas or spaces. A leading \`~\` in a path is the home
  folder.
- *File only* keys name programs, files, listeners, other services and logins, or switch masking
  off. The HTTP API and the control panel cannot change them unless
  \`endpoint.api.change_file_only_keys\` is true; environment variables can.
- An invalid value is an error. All errors are listed at once and the server does not start; a
  running server keeps its previous configuration. In compatibility mode (\`compatibility\`), an
  invalid value of one of Cantaloupe's keys is replaced by the default, and the error is logged.
`;

const markdownGroup = ({ title, keys, numbered }: KeyGroup): string =>
  [
    `## ${title}\n`,
    "| Key | Values | Default | Restart | File only | Meaning |",
    "|---|---|---|---|---|---|",
    ...[...Object.entries(keys), ...numberedEntries(numbered)].map(([key, definition]) =>
      markdownRow(key, definition),
    ),
    "",
  ].join("\n");

const markdownRow = (key: string, definition: Definition): string => {
  const value = formatValue(definition, definition.default);
  return row([
    code(key),
    expectation(definition),
    value === "" ? shareText(definition) : code(value),
    definition.restart ? "yes" : "",
    definition.fileOnly ? "yes" : "",
    `${definition.doc.replace(/\s+/g, " ")}${blankRemark(definition)}${cantaloupeRemark(definition)}`,
  ]);
};

const markdownMissing = (): string =>
  [
    "## Cantaloupe's keys for features that Vitrine lacks\n",
    "If one of them asks for protection, the server does not start, and rejects such a change while it\nruns, unless `unsupported_protection` is `ignore`. Otherwise, and for all other keys, there is a\nwarning at start-up and in `config check`, `/status` and the control panel, and `/health` is YELLOW.\nThis includes keys set by environment variables.\n",
    "| Key | Feature | Protection |",
    "|---|---|---|",
    ...missingParts.map(({ key, wants, protects }) =>
      row([code(key), wants, protects ? "yes" : ""]),
    ),
    "",
  ].join("\n");

/** The documented default of keys that have a share of the available memory. */
const shareText = (definition: Definition): string =>
  "share" in definition && definition.share !== undefined ? "a share of the memory" : "";

const markdownUnused = (groups: readonly KeyGroup[]): string => {
  const unused = unusedBy(groups);
  return unusedSections
    .map(({ reason, title, text }) => {
      const rows = unused.filter(([, explanation]) => explanation.reason === reason);
      if (rows.length === 0) return "";
      return [
        `## ${title}\n\n${text}\n`,
        "| Key | Instead | Remark |",
        "|---|---|---|",
        ...rows.map(([key, { replacedBy, explanation }]) =>
          row([code(key), replacedBy === undefined ? "" : code(replacedBy), explanation]),
        ),
        "",
      ].join("\n");
    })
    .filter((part) => part !== "")
    .join("\n");
};

const unusedSections: readonly {
  readonly reason: Explanation["reason"];
  readonly title: string;
  readonly text: string;
}[] = [
  {
    reason: "later",
    title: "Cantaloupe's keys for features that are not available yet",
    text: "They are accepted without effect, unless they are listed above.",
  },
  {
    reason: "meaningless",
    title: "Cantaloupe's keys that are not needed",
    text: "They are accepted without effect.",
  },
  {
    reason: "renamed",
    title: "Older names of Cantaloupe's keys",
    text: "They have no effect; `config check` names the key that does. `*` stands for any text.",
  },
  {
    reason: "removed",
    title: "Keys that Cantaloupe 5 no longer has",
    text: "They are accepted without effect.",
  },
];

/** A row of a Markdown table. */
export const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** Inline code in Markdown. */
export const code = (text: string): string => `\`${text}\``;

/** The explained keys that no group defines. */
const unusedBy = (groups: readonly KeyGroup[]): readonly ExplainedKey[] => {
  const definitions = definitionsOf(groups);
  return explainedKeys().filter(([pattern]) => !definitions.has(pattern));
};

const jsonGroup = ({ title, keys, numbered }: KeyGroup) => ({
  title,
  keys: [...Object.entries(keys), ...numberedEntries(numbered)].map(
    ([key, { doc, ...definition }]) => ({
      key,
      variable: variableOf(key),
      ...definition,
      doc,
    }),
  ),
});
