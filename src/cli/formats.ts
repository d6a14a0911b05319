import { Command } from "@commander-js/extra-typings";
import { environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import { type Ability, type Availability, availability } from "../formats/availability.ts";
import { lackAdvice } from "../formats/means.ts";
import { readingKeys } from "../formats/reading.ts";
import { keyGroups } from "../keys.ts";
import { type Exit, type ExitCode, type Terminal, tellError } from "./command.ts";
import { configOption, jsonOption } from "./options.ts";

/** `vitrine formats`: which formats are read and written here, by what, and what is missing for the rest. */
export const formatsCommand = (terminal: Terminal, exit: Exit) =>
  new Command("formats")
    .summary("list the formats that are read and written here")
    .description("List the formats that are read and written here, and what others need.")
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async ({ config, json }) => exit(await tell(config, terminal, json)));

const tell = async (
  named: string | undefined,
  terminal: Terminal,
  asJson: boolean | undefined,
): Promise<ExitCode> => {
  const env = environment();
  const path = findConfig({ named, env });
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  try {
    for (const { message } of loaded.problems.errors) tellError(terminal, message);
    const found = await availability(loaded.config.view(readingKeys));
    terminal.out(asJson ? `${JSON.stringify(found, null, 2)}\n` : formatTable(found));
    return loaded.problems.errors.length > 0 ? 2 : 0;
  } finally {
    await loaded.close();
  }
};

/** One line for each format, and below what is missing. */
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

/** What is missing, each once, with the formats that wait for it, for people. */
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
