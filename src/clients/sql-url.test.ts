import { describe, expect, it } from "vitest";
import { parseSqlUrl } from "./sql-url.ts";

const parse = (url: string) => parseSqlUrl("the.key", url);

describe("the URL of a database", () => {
  it.each([
    [
      "jdbc:postgresql://db.example.org:6543/pictures",
      { dialect: "postgresql", host: "db.example.org", port: 6543, database: "pictures" },
    ],
    [
      "jdbc:postgresql://localhost/pictures",
      { dialect: "postgresql", host: "localhost", port: 5432, database: "pictures" },
    ],
    ["jdbc:postgresql:pictures", { host: "localhost", port: 5432, database: "pictures" }],
    ["jdbc:postgresql:///pictures", { host: "localhost", port: 5432, database: "pictures" }],
    ["postgres://h", { dialect: "postgresql", host: "h", port: 5432, database: "" }],
    ["JDBC:PostgreSQL://h/d", { dialect: "postgresql", host: "h", database: "d" }],
    ["jdbc:mysql://h:33/d", { dialect: "mysql", host: "h", port: 33, database: "d" }],
    ["jdbc:mariadb://h/d", { dialect: "mysql", host: "h", port: 3306, database: "d" }],
    ["mysql://h/d", { dialect: "mysql", host: "h", port: 3306, database: "d" }],
    ["jdbc:postgresql://[::1]:5433/d", { host: "::1", port: 5433, database: "d" }],
    ["jdbc:postgresql://h/a%20b", { database: "a b" }],
    [
      "jdbc:postgresql://h/d?user=u%40x&password=p%26q",
      { host: "h", user: "u@x", password: "p&q", unused: [] },
    ],
    ["postgresql://u:p%2Fq@h/d", { host: "h", user: "u", password: "p/q" }],
    ["jdbc:postgresql://h/d?currentSchema=s", { schema: "s", unused: [] }],
    ["jdbc:postgresql://h/d?prepareThreshold=0&sslmode=disable", { unused: ["preparethreshold"] }],
    [
      "jdbc:postgresql://h/d?a=1&password=half&hidden=2",
      { password: "half", unused: ["a", "(one behind the password)"] },
    ],
    ["jdbc:sqlite:/var/lib/cache.db", { dialect: "sqlite", path: "/var/lib/cache.db" }],
    ["jdbc:sqlite:cache.db", { dialect: "sqlite", path: "cache.db" }],
    ["sqlite:///var/cache.db", { dialect: "sqlite", path: "/var/cache.db" }],
    ["jdbc:sqlite:/a.db?cache=shared", { path: "/a.db", unused: ["cache"] }],
  ])("%s is parsed", (url, expected) => {
    expect(parse(url)).toMatchObject(expected);
  });

  it.each([
    ["jdbc:postgresql://h/d", undefined],
    ["jdbc:postgresql://h/d?sslmode=disable", undefined],
    ["jdbc:postgresql://h/d?sslmode=prefer", undefined],
    ["jdbc:postgresql://h/d?sslmode=require", { checked: "nothing" }],
    [
      "jdbc:postgresql://h/d?sslmode=verify-ca&sslrootcert=/ca.pem",
      { checked: "authority", authorities: "/ca.pem" },
    ],
    ["jdbc:postgresql://h/d?ssl=true", { checked: "host" }],
    ["jdbc:mysql://h/d?useSSL=false", undefined],
    ["jdbc:mysql://h/d?sslMode=VERIFY_IDENTITY", { checked: "host" }],
    ["jdbc:mysql://h/d?useSSL=true&verifyServerCertificate=false", { checked: "nothing" }],
    ["jdbc:mariadb://h/d?sslMode=trust", { checked: "nothing" }],
  ])("%s selects its encryption", (url, tls) => {
    expect("tls" in parse(url) ? parse(url) : { tls: undefined }).toMatchObject({ tls });
  });

  it.each([
    "jdbc:oracle:thin:@h:1521:d",
    "jdbc:sqlserver://h;password=secret",
    "",
    "localhost",
    "jdbc:postgresql://secret:secret@h1:1,h2:2/d",
    "jdbc:postgresql://h:port/secret",
    "jdbc:postgresql://h/d?password=secret&sslmode=perhaps",
    "jdbc:sqlite:",
    "jdbc:sqlite::memory:",
  ])("%j is refused with what was expected, without possible secrets", (url) => {
    expect(() => parse(url)).toThrow(/^the\.key: expected /);
    expect(() => parse(url)).not.toThrow(/secret/);
  });
});
