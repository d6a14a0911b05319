import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { fail } from "../core/errors.ts";
import type { Environment } from "./environment.ts";
import { expandHome } from "./parse.ts";

/** Where to look for the configuration file. */
export interface ConfigLocation {
  /** The command line's choice, with `--config` or otherwise. */
  readonly named?: string | undefined;
  readonly env: Environment;
  /** The folder that relative paths refer to; the process's own where absent. */
  readonly cwd?: string;
}

/**
 * The absolute path of the configuration file: the one `--config` names, or `VITRINE_CONFIG`, or
 * `vitrine.properties` in the working folder if it exists. Undefined when there is none, or when
 * `memory` is named. Throws `missing` when the named file does not exist or cannot be read.
 */
export const findConfig = ({ named, env, cwd = "" }: ConfigLocation): string | undefined => {
  if (named !== undefined) return present(named, "Configuration", cwd);
  const variable = env[configVariable];
  if (variable !== undefined && variable.trim() !== "")
    return present(variable, configVariable, cwd);
  const usual = resolve(cwd, "vitrine.properties");
  return statSync(usual, { throwIfNoEntry: false })?.isFile() ? usual : undefined;
};

const configVariable = "VITRINE_CONFIG";

const present = (name: string, by: string, cwd: string): string | undefined => {
  if (name.trim() === "")
    fail("missing", `${by}: expected the path of a configuration file, got nothing.`);
  if (name === "memory") return undefined;
  const path = resolve(cwd, expandHome(name));
  try {
    const file = statSync(path);
    if (!file.isFile())
      fail("missing", `${by}: expected a configuration file, but ${path} is not a regular file.`);
    accessSync(path, constants.R_OK);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause)
      fail(
        "missing",
        `${by}: expected a configuration file at ${path}, but ${cause.code === "ENOENT" ? "there is none" : `it cannot be read (${cause.code})`}.`,
        cause,
      );
    throw cause;
  }
  return path;
};
