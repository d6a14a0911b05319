import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { keyGroups } from "../app/keys.ts";
import { readChain } from "../config/chain.ts";
import { findConfig } from "../config/lookup.ts";
import { migrate } from "../config/migrate.ts";
import { migrationReport } from "../config/migration-report.ts";
import { FileExists, writeAtomically } from "../conversion/atomic-file.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { checkSurroundings } from "./related-files-check.ts";
import { withTitles } from "./style.ts";

/** `vitrine config migrate`: converts a Cantaloupe configuration. */
export const migrateCommand = (terminal: Terminal, exit: Exit) =>
  new Command("migrate")
    .summary("convert a configuration of Cantaloupe")
    .description(
      "Convert a configuration of Cantaloupe for Vitrine, with comments: Cantaloupe's defaults are spelled out, and keys without effect are left out. The file goes to standard output and the report to standard error or, with --out, the file to OUT and the report to standard output. Exits with 2 if the server would not start with it.",
    )
    .argument("<file>", "configuration file of Cantaloupe")
    .option("-o, --out <file>", "file to write")
    .option("--force", "overwrite a file that is there")
    .action(async (file, options) => exit(await write(file, options, terminal)));

interface Options {
  readonly out?: string | undefined;
  readonly force?: true | undefined;
}

const write = async (
  file: string,
  { out, force }: Options,
  terminal: Terminal,
): Promise<ExitCode> => {
  if (out === undefined && force) throw new UsageError("config migrate: --force is for --out");
  const path = findConfig({ named: file, env: {} });
  if (path === undefined) throw new UsageError("config migrate: expected a configuration file");
  const chain = await readChain(path);
  const migration = migrate(chain, keyGroups);
  if (migration.isOurs)
    throw new UsageError(
      `config migrate: ${path} says compatibility = none, so there is nothing to do`,
    );
  if (
    out !== undefined &&
    !(await written(resolve(out), { path, text: migration.text, force }, terminal))
  )
    return 1;
  const around = await checkSurroundings(path, {});
  const report = migrationReport({
    ...migration,
    problems: {
      ...migration.problems,
      errors: [...migration.problems.errors, ...around.errors],
      warnings: [...migration.problems.warnings, ...around.warnings],
    },
  });
  if (out === undefined) {
    terminal.out(migration.text);
    terminal.err(withTitles(report, terminal.errStyle));
  } else terminal.out(withTitles(report, terminal.outStyle));
  return migration.problems.errors.length + around.errors.length > 0 ? 2 : 0;
};

interface MigrationInput {
  /** The old file. */
  readonly path: string;
  readonly text: string;
  readonly force: true | undefined;
}

/** Writes the new file, with the old one's permissions; returns whether that was possible. */
const written = async (
  to: string,
  { path, text, force }: MigrationInput,
  terminal: Terminal,
): Promise<boolean> => {
  try {
    const { mode } = await stat(path);
    await writeAtomically(to, { replace: force === true }, async ({ file }) => {
      await file.chmod(mode & 0o777);
      await file.writeFile(text);
    });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof FileExists)
      terminal.err(`${to}: the file exists already; nothing was written. --force overwrites it.\n`);
    else if (code !== undefined) terminal.err(`${to}: cannot be written (${code})\n`);
    else throw error;
    return false;
  }
};
