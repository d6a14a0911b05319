import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { readSignatures, verify } from "../access/signatures.ts";
import { signatureInQuery, takeMark } from "../access/signed-urls.ts";
import { run } from "./program.ts";
import { styleFor } from "./style.ts";

const keys = "k2:0123456789abcdefghij k1:klmnopqrstuvwxyz0123";
const { signatures } = readSignatures({ "access.signatures.keys": keys });

const ran = async (lines: readonly string[], ...args: readonly string[]) => {
  const folder = await temporaryFolder({ "v.properties": lines.join("\n") });
  let [out, err] = ["", ""];
  const code = await run([...args, "--config", join(folder, "v.properties")], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    outStyle: styleFor(false),
    errStyle: styleFor(false),
    outColumns: undefined,
    errColumns: 200,
    signal: new AbortController().signal,
  });
  return { code, out: out.trim(), err: err.replaceAll(`${folder}/`, "") };
};
const signed = async (url: string, ...options: readonly string[]) => {
  const { code, out, err } = await ran(
    [`access.signatures.keys = ${keys}`],
    "sign",
    url,
    ...options,
  );
  expect([code, err]).toEqual([0, ""]);
  return out;
};

const now = (): number => Math.floor(Date.now() / 1_000);

describe("vitrine sign", () => {
  test("signs a URL with the first key, whatever path a proxy adds", async () => {
    const base = "https://example.org/images";
    const path = "/iiif/3/a%2Fb/full/max/0/default.jpg";
    const url = await signed(`${base}${path}?page=2`, "--expires", "2d");
    expect(url.startsWith(`${base}${path}?page=2&exp=`)).toBe(true);
    const found = signatureInQuery(path, url.split("?")[1]);
    expect(found && signatures && verify(signatures, found, now() + 172_000)).toBe("valid");
    expect(found?.key).toBe("k2");
    expect(found?.expires).toBeLessThanOrEqual(now() + 172_800);
  });

  test("signs a whole image by its path, without page and constraint", async () => {
    const url = await signed("/iiif/2/a%2Fb;3;1:2/info.json", "--identifier");
    const [, , , raw = "", ...rest] = url.split("/");
    expect(rest).toEqual(["info.json"]);
    const { segment, signature } = takeMark(raw);
    expect(segment).toBe("a%2Fb;3;1:2");
    const subject = { kind: "image", identifier: "a/b" } as const;
    if (signature === undefined || signatures === undefined)
      throw new Error("Expected a signature");
    expect(verify(signatures, { ...signature, subject }, now() + 3_590)).toBe("valid");
    // An existing signature is replaced.
    const again = await signed(url, "--identifier", "--expires", "1y");
    expect(takeMark(again.split("/")[3] ?? "").segment).toBe("a%2Fb;3;1:2");
  });

  test("reports what it expected", async () => {
    const none = await ran([], "sign", "/iiif/3/a/info.json");
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("access.signatures.keys")]);
    const line = `access.signatures.keys = ${keys}`;
    const path = await ran([line], "sign", "https://example.org/a.jpg");
    expect([path.code, path.err]).toEqual([2, expect.stringContaining("/iiif/3/{identifier}")]);
    const time = await ran([line], "sign", "/iiif/3/a/info.json", "--expires", "soon");
    expect([time.code, time.err]).toEqual([2, expect.stringContaining("such as 90m")]);
  });
});

describe("config check of access rules", () => {
  test("names each invalid rule, without its secrets", async () => {
    const { code, out } = await ran(
      [
        "access.rules.3.identifier = ^maps/(?=x)",
        "access.rules.3.action = allow",
        "access.rules.4.adress = 10.0.0.0/8",
        "access.rules.4.action = allow",
        "access.rules.5.address = 10.0.0.0/40",
        "access.rules.5.action = deny",
        "access.rules.6.token = hunter2",
        "access.rules.7.action = maybe",
      ],
      "config",
      "check",
    );
    expect(code).toBe(2);
    for (const told of [
      "access.rules.3.identifier: expected a regular expression",
      "access.rules.4.adress: there is no such key",
      "access.rules.5.address: expected addresses and networks",
      "access.rules.6.token: expected tokens of at least 16",
      "access.rules.6.action: expected allow or deny, got nothing.",
      "access.rules.7.action: expected one of (blank), allow, deny",
      "the server would not start",
    ])
      expect(out).toContain(told);
    expect(out).not.toContain("hunter2");
    expect(out.match(/access\.rules\.4\.adress/g)).toHaveLength(1);
  });
});
