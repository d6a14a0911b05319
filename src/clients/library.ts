import { fail } from "../core/errors.ts";

/**
 * A client library, loaded on first use. They are not installed with Vitrine, so `spec` says what
 * to install: its name and version, as in `ioredis@6.0.0`. Throws `malformed` where it is missing,
 * `internal` where it cannot be loaded.
 */
export const library = async <T>(
  spec: string,
  { load, purpose }: { readonly load: () => Promise<T>; readonly purpose: string },
): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    const install = `npm install ${spec}`;
    return isAbsent(error)
      ? fail("malformed", `${purpose} needs a package that is not installed: ${install}`, error)
      : fail("internal", `${purpose} cannot load its package: ${install}`, error);
  }
};

const isAbsent = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND");
