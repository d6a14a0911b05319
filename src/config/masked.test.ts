import { describe, expect, it } from "vitest";
import { masked } from "./masked.ts";

describe("a displayed text", () => {
  it.each([
    ["postgres://me:hunter2@db/pictures", "postgres://me:(masked)@db/pictures"],
    ["https://me:hunter2@host:8443/a?b=c", "https://me:(masked)@host:8443/a?b=c"],
    ["postgres://me:hun@ter/2@db/p", "postgres://me:(masked)@db/p"],
    ["redis://:hunter2@db", "redis://:(masked)@db"],
    ["jdbc:mysql://db/p?user=me&password=hunter2", "jdbc:mysql://db/p?user=me&password=(masked)"],
    ["jdbc:postgresql:p?PASSWORD=hunter2&with=it", "jdbc:postgresql:p?PASSWORD=(masked)"],
    [
      "jdbc:mysql://db/p?trustStorePassword=hunter2",
      "jdbc:mysql://db/p?trustStorePassword=(masked)",
    ],
    ["jdbc:sqlserver://h;password=hunter2;x=y", "jdbc:sqlserver://h;password=(masked)"],
    ["https://blobs/c?sv=1&sig=hunter2%3D", "https://blobs/c?sv=1&sig=(masked)"],
    ["no route to postgres://a:hunter2@h, alas", "no route to postgres://a:(masked)@h, alas"],
  ])("is masked: %s", (text, shown) => expect(masked(text)).toBe(shown));

  it.each([
    "jdbc:postgresql://localhost:5432/cantaloupe",
    "http://127.0.0.1:10000/account?key_prefix=a",
    "at file:///srv/vitrine/dist/app.js:12:34",
    "a@b, and c: d",
    "",
  ])("is unchanged without a secret: %s", (text) => expect(masked(text)).toBe(text));

  it("takes linear time", () => {
    for (const text of ["//a:".repeat(50_000), "?passw".repeat(50_000), "&".repeat(200_000)])
      expect(masked(text)).toBe(text);
  });
});
