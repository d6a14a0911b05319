import { Command } from "@commander-js/extra-typings";
import { keyGroups } from "../app/keys.ts";
import { checkConfig, reportText } from "../config/check.ts";
import { sampleFile } from "../config/describe.ts";
import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { migrateCommand } from "./config-migrate.ts";
import { configOption } from "./options.ts";
import { withTitles } from "./style.ts";

/** `vitrine config`: commands for configuration files. */
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
    .summary("report errors and unknown or unused keys")
    .description(
      "Report errors and unknown or unused keys in a configuration. Exits with 2 if the server would not start with it, or if --connect finds a source that cannot be reached.",
    )
    .argument("[file]", "configuration file, the same as --config")
    .addOption(configOption())
    .option(
      "--connect",
      "also try whether each source can be reached; without it, nothing is contacted",
    )
    .action(async (file, { config, connect = false }) => {
      if (file !== undefined && config !== undefined)
        throw new UsageError("config check: expected FILE or --config FILE, got both");
      exit(await report(file ?? config, connect, terminal));
    });

const report = async (
  named: string | undefined,
  connect: boolean,
  terminal: Terminal,
): Promise<ExitCode> => {
  const env = environment();
  const path = findConfig({ named, env });
  if (path === undefined)
    throw new UsageError(
      "config check: expected a file, or VITRINE_CONFIG, or a vitrine.properties in this folder",
    );
  const [
    { checkConfiguredDelegate },
    { checkFormats },
    { checkMemory },
    { checkOverlay },
    { checkSource },
    { checkSurroundings },
  ] = await Promise.all([
    import("./delegate-check.ts"),
    import("./format-check.ts"),
    import("./memory-check.ts"),
    import("./overlay-check.ts"),
    import("./source-check.ts"),
    import("./related-files-check.ts"),
  ]);
  const found = await checkConfig(path, keyGroups, env);
  const { warnings, unavailable } = await checkFormats(path, env);
  const memory = await checkMemory(path, env);
  const around = await checkSurroundings(path, env);
  const source = await checkSource(path, env);
  const delegate = await checkConfiguredDelegate(path, env);
  const overlay = await checkOverlay(path, env);
  const errors = [
    ...found.errors,
    ...around.errors,
    ...memory.errors,
    ...source,
    ...delegate.errors,
  ];
  // Existing faults would only be reported again.
  const connections =
    connect && errors.length === 0
      ? await (await import("./connect-check.ts")).checkConnections(path, env, terminal.signal)
      : undefined;
  const text = reportText({
    ...found,
    ...(connections ? { connections } : {}),
    errors,
    warnings: [
      ...found.warnings,
      ...around.warnings,
      ...warnings,
      ...memory.warnings,
      ...delegate.warnings,
      ...overlay,
    ],
    unavailable,
  });
  terminal.out(withTitles(text, terminal.outStyle));
  if (connect && connections === undefined)
    terminal.err("The sources were not tried, because of the errors.\n");
  return errors.length > 0 || (connections?.unreached.length ?? 0) > 0 ? 2 : 0;
};
