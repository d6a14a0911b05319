import { parseArgs } from "node:util";
import { checkConfig, reportText } from "../config/check.ts";
import { sampleFile } from "../config/describe.ts";
import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { keyGroups } from "../keys.ts";
import { type Command, UsageError } from "./command.ts";
import { checkFormats } from "./format-check.ts";

/** `vitrine config print`: a sample file of all keys, with their explanations and defaults. */
export const configPrint: Command = {
  usage: "config print",
  summary: "prints a commented sample of all keys",
  async run(args, terminal) {
    parseArgs({ args: [...args], options: {}, allowPositionals: false });
    terminal.out(sampleFile(keyGroups));
    return 0;
  },
};

/** `vitrine config check`: what is wrong, unknown or unused in a configuration. */
export const configCheck: Command = {
  usage: "config check [FILE]",
  summary: "reports what is wrong, unknown or unused in a configuration",
  async run(args, terminal) {
    const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
    if (positionals.length > 1)
      throw new UsageError(`config check: expected one file, got ${positionals.length}`);
    const env = environment();
    const path = findConfig({ named: positionals[0], env });
    if (path === undefined)
      throw new UsageError(
        "config check: expected a file, or VITRINE_CONFIG, or a vitrine.properties in this folder",
      );
    const report = await checkConfig(path, keyGroups, env);
    const { warnings, unavailable } = await checkFormats(path, env);
    terminal.out(
      reportText({ ...report, warnings: [...report.warnings, ...warnings], unavailable }),
    );
    return report.errors.length > 0 ? 2 : 0;
  },
};
