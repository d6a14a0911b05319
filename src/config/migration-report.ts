import { differences } from "./differences.ts";
import type { MigratedKey, Migration } from "./migrate.ts";
import { formatValue } from "./parse.ts";
import { shownValue } from "./secrets.ts";
import { unusedText } from "./unused-text.ts";

/** The result for each key of a converted configuration, as text. */
export const migrationReport = (migration: Migration): string => {
  const { entries, because, dropped, unknown, problems, files } = migration;
  const of = (how: MigratedKey["how"]): readonly MigratedKey[] =>
    entries.filter((entry) => entry.how === how);
  const used = entries.map(({ key }) => key);
  const sections = [
    section(
      "Not recognised",
      because === undefined
        ? [
            "Nothing identifies this file as Cantaloupe's: used as it is, Vitrine's own defaults apply to it.",
            "It was converted as one of Cantaloupe's.",
          ]
        : [],
    ),
    section(
      "Errors: with neither file the server would start",
      problems.errors.map(({ message }) => message),
    ),
    section(
      "Warnings",
      problems.warnings.map(({ message }) => message),
    ),
    section(
      "Cantaloupe's defaults, spelled out (Vitrine's own in brackets)",
      of("fallback").map(spelledOut),
    ),
    section(
      "Keys with a different or wider meaning here",
      of("said").flatMap(({ key }) => {
        const difference = differences[key];
        return difference ? [`${key}: ${difference.remark}`] : [];
      }),
    ),
    section("Omitted, since they have no effect", unusedText(dropped, used)),
    section("Omitted: unknown keys", unknown),
  ];
  const counts = `${of("said").length - 1} keys as they were, ${of("fallback").length} spelled out, ${of("mended").length} corrected, ${dropped.length + unknown.length} omitted`;
  return `${sections.join("")}${files.join(", ")}: ${counts}.\n`;
};

const spelledOut = ({ key, definition, text }: MigratedKey): string => {
  const usual = formatValue(definition, definition.default);
  const shown = shownValue(key, text, definition);
  return `${key} = ${shown === "" ? "(blank)" : shown} (${usual === "" ? "not set" : usual})`;
};

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${title}:\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
