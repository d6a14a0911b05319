import { fail } from "../core/errors.ts";

/** How a server's certificate is checked: not at all, its authority, or its host as well. */
export interface SqlTls {
  readonly checked: "nothing" | "authority" | "host";
  /** The path of a file of authorities, in PEM; absent: the system's. */
  readonly authorities?: string;
}

export interface SqlServerAddress {
  readonly dialect: "postgresql" | "mysql";
  readonly host: string;
  readonly port: number;
  /** Empty: the server's choice. */
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
  /** Absent: not encrypted. */
  readonly tls?: SqlTls;
  /** PostgreSQL: the schema of tables. */
  readonly schema?: string;
  /** The names of ignored parameters, as far as they may be revealed. */
  readonly unused: readonly string[];
}

export interface SqlFileAddress {
  readonly dialect: "sqlite";
  readonly path: string;
  readonly unused: readonly string[];
}

const known =
  "jdbc:postgresql://host:5432/database, jdbc:mysql://host:3306/database, jdbc:mariadb://host:3306/database or jdbc:sqlite:/path";

/**
 * Parses the URL of a database: a JDBC URL, or the same without `jdbc:`. Throws `malformed`, naming
 * `key`, where it is of an unknown kind; the message never contains what may be a password.
 */
export const parseSqlUrl = (key: string, url: string): SqlServerAddress | SqlFileAddress => {
  const [, kind = "", rest = ""] = /^(?:jdbc:)?([a-z]+):(.*)$/is.exec(url.trim()) ?? [];
  switch (kind.toLowerCase()) {
    case "postgresql":
    case "postgres":
      return postgresql(key, rest);
    case "mysql":
    case "mariadb":
      return mysql(key, rest);
    case "sqlite":
      return sqlite(key, rest);
    default:
      return fail("malformed", `${key}: expected ${known}; got '${schemeOf(url)}'.`);
  }
};

/** A URL without anything that may be a password. */
const schemeOf = (url: string): string => /^[a-z:]{0,40}/i.exec(url.trim())?.[0] ?? "";

const sqlite = (key: string, rest: string): SqlFileAddress => {
  const [location = "", parameters = ""] = rest.split("?", 2);
  const path = location.replace(/^file:/, "").replace(/^\/\/(?=\/)/, "");
  if (path === "" || path.startsWith(":"))
    fail("malformed", `${key}: expected the path of a file after sqlite:; got '${path}'.`);
  return { dialect: "sqlite", path, unused: [...new URLSearchParams(parameters).keys()] };
};

interface Located {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
}

const located = (
  key: string,
  rest: string,
  port: number,
): readonly [Located, Map<string, string>] => {
  // JDBC's short form names the database only.
  const full = rest.startsWith("//") ? rest : `//localhost/${rest}`;
  const url = URL.canParse(`sql:${full.replace(/^\/\/(?=[/?]|$)/, "//localhost")}`)
    ? new URL(`sql:${full.replace(/^\/\/(?=[/?]|$)/, "//localhost")}`)
    : fail("malformed", `${key}: expected ${known}, with one host; got something else.`);
  const parameters = new Map(
    [...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const user = parameters.get("user") ?? decoded(url.username);
  const password = parameters.get("password") ?? decoded(url.password);
  for (const name of ["user", "password"]) parameters.delete(name);
  return [
    {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? port : Number(url.port),
      database: decoded(url.pathname.slice(1)),
      ...(user === "" ? {} : { user }),
      ...(password === "" ? {} : { password }),
    },
    parameters,
  ];
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // A literal percent sign.
    return text;
  }
};

/** Text after a password may be a part of it that contains a literal &. */
const tellable = (rest: string, names: readonly string[]): readonly string[] => {
  const [before = ""] = rest.split(/[?&]password=/i);
  const earlier = before.toLowerCase();
  return names.map((name) => (earlier.includes(name) ? name : "(one behind the password)"));
};

/** Removes the parameter with one of some names and returns its value. */
const take = (parameters: Map<string, string>, ...names: readonly string[]): string | undefined => {
  const found = names.find((name) => parameters.has(name));
  const value = found === undefined ? undefined : parameters.get(found);
  for (const name of names) parameters.delete(name);
  return value;
};

/** The modes of PostgreSQL, MySQL and MariaDB, in lower case. */
const modes: Readonly<Record<string, SqlTls["checked"] | "off">> = {
  disable: "off",
  disabled: "off",
  false: "off",
  // Neither is safe against an attacker who can modify traffic.
  allow: "off",
  prefer: "off",
  preferred: "off",
  require: "nothing",
  required: "nothing",
  trust: "nothing",
  "verify-ca": "authority",
  verify_ca: "authority",
  "verify-full": "host",
  verify_identity: "host",
  true: "host",
};

const tlsOf = (key: string, mode: string | undefined, authorities: string | undefined) => {
  if (mode === undefined) return {};
  const checked =
    modes[mode.toLowerCase()] ??
    fail("malformed", `${key}: expected one of ${Object.keys(modes).join(", ")}; got '${mode}'.`);
  if (checked === "off") return {};
  return { tls: { checked, ...(authorities === undefined ? {} : { authorities }) } };
};

const postgresql = (key: string, rest: string): SqlServerAddress => {
  const [address, parameters] = located(key, rest, 5432);
  const mode = take(parameters, "sslmode", "ssl");
  const authorities = take(parameters, "sslrootcert");
  const schema = take(parameters, "currentschema");
  return {
    dialect: "postgresql",
    ...address,
    ...tlsOf(key, mode, authorities),
    ...(schema === undefined ? {} : { schema }),
    unused: tellable(rest, [...parameters.keys()]),
  };
};

const mysql = (key: string, rest: string): SqlServerAddress => {
  const [address, parameters] = located(key, rest, 3306);
  const trusting =
    take(parameters, "trustservercertificate") === "true" ||
    take(parameters, "verifyservercertificate") === "false";
  const mode = take(parameters, "sslmode", "usessl", "requiressl");
  const authorities = take(parameters, "serversslcert");
  return {
    dialect: "mysql",
    ...address,
    ...tlsOf(key, trusting && mode?.toLowerCase() === "true" ? "trust" : mode, authorities),
    unused: tellable(rest, [...parameters.keys()]),
  };
};
