import { stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import { expandHome } from "../config/parse.ts";
import { fail } from "../core/errors.ts";

/** What the path of a delegate is worked out from. */
export interface DelegatePath {
  /**
   * Of the configuration file; absent where there is none: then relative paths count from the
   * working folder.
   */
  readonly configuration?: string | undefined;
  readonly env: Environment;
}

/**
 * The variable that names the delegate in place of `delegate_script.pathname`. It switches nothing
 * on.
 */
export const scriptVariable = "VITRINE_DELEGATE_SCRIPT";

/**
 * The absolute path of the delegate that the configuration or the environment names. Fails as
 * `malformed` where none is named, where it is written in a language that cannot be run, or where
 * there is no such file.
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
 * Fails as `malformed` where the name of a delegate's file does not end like one that can be run;
 * `by` says who named it.
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
