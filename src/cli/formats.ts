import { Command } from "@commander-js/extra-typings";
import { keyGroups } from "../app/keys.ts";
import { environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { findConfig } from "../config/lookup.ts";
import { type Exit, type ExitCode, type Terminal, writeError } from "./command.ts";
import { configOption, jsonOption } from "./options.ts";

/**
 * `vitrine formats`: which formats can be read and written, by which codec, and what is missing for
 * the rest.
 */
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
    for (const { message } of loaded.problems.errors) writeError(terminal, message);
    const [{ availability }, { formatTable }] = await Promise.all([
      import("../formats/availability.ts"),
      import("./formats-report.ts"),
    ]);
    const found = await availability(loaded.config);
    terminal.out(asJson ? `${JSON.stringify(found, null, 2)}\n` : formatTable(found));
    return loaded.problems.errors.length > 0 ? 2 : 0;
  } finally {
    await loaded.close();
  }
};
