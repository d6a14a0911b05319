import { Command } from "@commander-js/extra-typings";
import { checkConfig, reportText } from "../config/check.ts";
import { sampleFile } from "../config/describe.ts";
import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { keyGroups } from "../keys.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { migrateCommand } from "./config-migrate.ts";
import { checkFormats } from "./format-check.ts";
import { checkMemory } from "./memory-check.ts";
import { configOption } from "./options.ts";
import { checkSource } from "./source-check.ts";
import { withTitles } from "./style.ts";
import { checkSurroundings } from "./surroundings-check.ts";

/** `vitrine config`: the commands about configuration files. */
export const configCommand = (terminal: Terminal, exit: Exit) =>
  new Command("config")
    .summary("print, check or migrate a configuration")
    .helpCommand(false)
    .description("Print or check a configuration, or migrate one of Cantaloupe.")
    .addCommand(print(terminal))
    .addCommand(check(terminal, exit))
    .addCommand(migrateCommand(terminal, exit));

const print = (terminal: Terminal) =>
  new Command("print")
    .summary("print a commented sample of all keys")
    .description("Print a commented sample of all keys.")
    .action(() => terminal.out(sampleFile(keyGroups)));

const check = (terminal: Terminal, exit: Exit) =>
  new Command("check")
    .summary("report what is wrong, unknown or unused")
    .description(
      "Report what is wrong, unknown or unused in a configuration. Exits with 2 if the server would not start with it.",
    )
    .argument("[file]", "configuration file, the same as --config")
    .addOption(configOption())
    .action(async (file, { config }) => {
      if (file !== undefined && config !== undefined)
        throw new UsageError("config check: expected FILE or --config FILE, got both");
      exit(await report(file ?? config, terminal));
    });

const report = async (named: string | undefined, terminal: Terminal): Promise<ExitCode> => {
  const env = environment();
  const path = findConfig({ named, env });
  if (path === undefined)
    throw new UsageError(
      "config check: expected a file, or VITRINE_CONFIG, or a vitrine.properties in this folder",
    );
  const found = await checkConfig(path, keyGroups, env);
  const { warnings, unavailable } = await checkFormats(path, env);
  const memory = await checkMemory(path, env);
  const around = await checkSurroundings(path, env);
  const source = await checkSource(path, env);
  const errors = [...found.errors, ...around.errors, ...memory.errors, ...source];
  const text = reportText({
    ...found,
    errors,
    warnings: [...found.warnings, ...around.warnings, ...warnings, ...memory.warnings],
    unavailable,
  });
  terminal.out(withTitles(text, terminal.outStyle));
  return errors.length > 0 ? 2 : 0;
};
