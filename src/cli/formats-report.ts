import type { Ability, Availability } from "../formats/availability.ts";
import { lackAdvice } from "../formats/shared/index.ts";

/** One line for each format, followed by what is missing. */
export const formatTable = (found: readonly Availability[]): string => {
  const rows = [
    ["format", "", "read by", "written by"],
    ...found.map(({ format, name, read, write }) => [
      format,
      name,
      abilityText(read),
      abilityText(write),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const missing = lackLines(found);
  return [...lines, ...(missing.length > 0 ? ["", ...missing] : []), ""].join("\n");
};

const abilityText = ({ available, by, version }: Ability): string =>
  available ? [by, version].filter((part) => part).join(" ") : "-";

/** What is missing, each item once, with the formats that need it, for people. */
export const lackLines = (found: readonly Availability[]): readonly string[] => {
  const waiting = new Map<string, string[]>();
  const add = (verb: string, name: string, { lacks }: Ability): void => {
    if (lacks === undefined) return;
    const reason = `${verb}: ${lackAdvice(lacks)}.`;
    waiting.set(reason, [...(waiting.get(reason) ?? []), name]);
  };
  for (const { name, read, write } of found) {
    add("not read", name, read);
    add("not written", name, write);
  }
  return [...waiting].map(([reason, names]) => `${names.join(", ")} ${reason}`);
};
