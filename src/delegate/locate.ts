import { stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import { expandHome } from "../config/parse.ts";
import { fail } from "../core/errors.ts";

/** The inputs for locating a delegate. */
export interface DelegatePath {
  /**
   * Of the configuration file; absent where there is none: then relative paths refer to the working
   * folder.
   */
  readonly configuration?: string | undefined;
  readonly env: Environment;
}

/** The variable that overrides `delegate_script.pathname`. It enables nothing. */
export const scriptVariable = "VITRINE_DELEGATE_SCRIPT";

/**
 * The absolute path of the delegate that the configuration or the environment names. Throws
 * `malformed` where none is named, where its language is not supported, or where there is no such
 * file.
 */
export const locateScript = async (
  pathname: string,
  { configuration, env }: DelegatePath,
): Promise<string> => {
  const variable = env[scriptVariable]?.trim() ?? "";
  const [by, named] =
    variable === ""
      ? (["delegate_script.pathname", pathname] as const)
      : ([scriptVariable, expandHome(variable)] as const);
  if (named === "")
    return fail(
      "malformed",
      "delegate_script.pathname: expected the delegate's file, since delegate_script.enabled is true, got nothing. 'vitrine delegate init' writes one to begin with.",
    );
  checkLanguage(named, by);
  const folder = configuration === undefined ? resolve(".") : dirname(resolve(configuration));
  const places = isAbsolute(named)
    ? [named]
    : [...new Set([resolve(folder, named), resolve(folder, basename(named))])];
  for (const place of places) if (await isFile(place)) return place;
  return fail("malformed", `${by}: expected a file at ${places.join(" or ")}, but there is none.`);
};

/**
 * Throws `malformed` where the extension of a delegate's file is not supported; `by` says who named
 * it.
 */
export const checkLanguage = (path: string, by: string): void => {
  if (endings.has(extname(path).toLowerCase())) return;
  fail("malformed", `${by}: expected a file that ends in ${[...endings].join(", ")}, got ${path}.`);
};

const endings: ReadonlySet<string> = new Set([".ts", ".mts", ".js", ".mjs", ".cjs", ".rb"]);

/** Whether a delegate's file is written in Ruby, by its name. */
export const isRuby = (path: string): boolean => extname(path).toLowerCase() === ".rb";

const isFile = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? false;
};
