import { readFile } from "node:fs/promises";
import { fail } from "../core/errors.ts";
import type { SqlTls } from "./sql-url.ts";

/**
 * What a connection is encrypted with: the authorities trusted beside the usual ones, in PEM, and
 * what is checked.
 */
export interface TlsChecks {
  readonly ca?: string;
  readonly checksAuthority: boolean;
  readonly checksHost: boolean;
}

/**
 * Reads what a URL says of encryption; throws `malformed` where the file it names cannot be read.
 */
export const tlsChecks = async ({ checked, authorities }: SqlTls): Promise<TlsChecks> => ({
  ...(authorities === undefined ? {} : { ca: await authoritiesAt(authorities) }),
  checksAuthority: checked !== "nothing",
  checksHost: checked === "host",
});

const authoritiesAt = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((cause) =>
    fail("malformed", `Expected a file of certificates for the database; got ${path}.`, cause),
  );
