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
            "Nothing identifies this file as Cantaloupe's. Used unchanged, it gets Vitrine's own defaults.",
            "It was converted as a Cantaloupe configuration.",
          ]
        : [],
    ),
    section(
      "Errors: the server would start with neither file",
      problems.errors.map(({ message }) => message),
    ),
    section(
      "Warnings",
      problems.warnings.map(({ message }) => message),
    ),
    section(
      "Cantaloupe's defaults, made explicit (Vitrine's own in brackets)",
      of("default").map(spelledOut),
    ),
    section(
      "Keys with a different or wider meaning here",
      of("kept").flatMap(({ key }) => {
        const difference = differences[key];
        return difference ? [`${key}: ${difference.remark}`] : [];
      }),
    ),
    section("Omitted, since they have no effect", unusedText(dropped, used)),
    section("Omitted: unknown keys", unknown),
  ];
  // `compatibility` is always written, and was not in the old file.
  const kept = of("kept").length - 1;
  const counts = `keys: ${kept} kept, ${of("default").length} default${of("default").length === 1 ? "" : "s"} made explicit, ${of("corrected").length} corrected, ${dropped.length + unknown.length} omitted`;
  return `${sections.join("")}${files.join(", ")}: ${counts}.\n`;
};

const spelledOut = ({ key, definition, text }: MigratedKey): string => {
  const usual = formatValue(definition, definition.default);
  const shown = shownValue(key, text, definition);
  return `${key} = ${shown === "" ? "(blank)" : shown} (${usual === "" ? "not set" : usual})`;
};

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${title}:\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
