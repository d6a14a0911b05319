import { readFile } from "node:fs/promises";
import { fail } from "../core/errors.ts";
import type { SqlTls } from "./sql-url.ts";

/**
 * The TLS settings of a connection: additional trusted authorities, in PEM, and what is checked.
 */
export interface TlsChecks {
  readonly ca?: string;
  readonly checksAuthority: boolean;
  readonly checksHost: boolean;
}

/** Reads a URL's TLS settings; throws `malformed` where the file it names cannot be read. */
export const tlsChecks = async ({ checked, authorities }: SqlTls): Promise<TlsChecks> => ({
  ...(authorities === undefined ? {} : { ca: await authoritiesAt(authorities) }),
  checksAuthority: checked !== "nothing",
  checksHost: checked === "host",
});

const authoritiesAt = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((cause) =>
    fail("malformed", `Expected a certificate file for the database, got ${path}.`, cause),
  );
