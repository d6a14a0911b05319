import { Readable } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { silent } from "../core/log.ts";
import { type AzureSettings, openAzure } from "./azure.ts";
import { wholeBody } from "./body.ts";
import { inParts } from "./objects.ts";
import { openS3, type S3Settings } from "./s3.ts";
import { openSql } from "./sql.ts";

const s3: S3Settings = {
  endpoint: "http://127.0.0.1:1",
  region: "",
  accessKeyId: "a",
  secretKey: "b",
  bucket: "c",
  purpose: "S3Cache",
};

const azure: AzureSettings = {
  accountName: "someone",
  accountKey: "a2V5",
  endpoint: "",
  container: "Pictures",
  purpose: "AzureStorageCache",
};

describe("invalid settings are reported with what was expected", () => {
  it.each([
    [{ bucket: "" }, /needs a bucket; its name is blank/],
    [{ secretKey: "" }, /both access key id and secret key, or neither; got one/],
    [{ endpoint: "ftp://there" }, /http or https address as endpoint; got ftp:/],
    [{ endpoint: "http://" }, /http or https address as endpoint/],
  ])("S3 %j", async (given, message) => {
    await expect(openS3({ ...s3, ...given })).rejects.toMatchObject({ failure: "malformed" });
    await expect(openS3({ ...s3, ...given })).rejects.toThrow(message);
  });

  it.each([
    [{ accountName: "" }, /needs an account name; it is blank/],
    [{ accountKey: "" }, /needs an account key; it is blank/],
    [{ accountKey: "not base64!" }, /needs an account key in base64/],
    [{ container: "" }, /container name of 3 to 63 letters, digits and single dashes; got ''/],
    [{ container: "a--b" }, /container name/],
    [{ endpoint: "elsewhere" }, /http or https address as endpoint; got elsewhere/],
  ])("Azure %j", async (given, message) => {
    await expect(openAzure({ ...azure, ...given })).rejects.toMatchObject({ failure: "malformed" });
    await expect(openAzure({ ...azure, ...given })).rejects.toThrow(message);
  });

  it("and never reveals a secret", async () => {
    const told = openAzure({ ...azure, accountKey: "s3cret!" });
    await expect(told).rejects.toSatisfy((error) => !String(error).includes("s3cret"));
    const endpoint = "ftp://me:s3cret@there";
    for (const opened of [openS3({ ...s3, endpoint }), openAzure({ ...azure, endpoint })])
      await expect(opened).rejects.toThrow(/endpoint; got ftp:\/\/me:\(masked\)@there\.$/);
  });
});

describe("an unavailable service", () => {
  it("is an upstream failure, and ends at once when the caller is aborted", async () => {
    for (const objects of [
      await openS3(s3),
      await openAzure({ ...azure, endpoint: "http://127.0.0.1:1" }),
    ]) {
      const signal = AbortSignal.timeout(20_000);
      await expect(objects.get("k", signal)).rejects.toMatchObject({ failure: "upstream" });
      const left = AbortSignal.abort(new Error("left"));
      await expect(objects.put("k", new Uint8Array(1), left)).rejects.toThrow("left");
      objects.close();
    }
  });

  it.each(["postgres", "mysql"])(
    "is reported without the password in the URL of a %s",
    async (kind) => {
      const sql = await openSql(
        { key: "the.url", url: `${kind}://me:s3cret@127.0.0.1:1/p`, user: "", password: "" },
        { connections: 1, connectMs: 5_000, statementMs: 5_000 },
        { purpose: "JdbcCache", log: silent },
      );
      const failed = await sql
        .run({ text: "SELECT 1" }, AbortSignal.timeout(20_000))
        .catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      expect(inspect(failed, { depth: 9, showHidden: true })).not.toContain("s3cret");
      await sql.close();
    },
  );
});

describe("wholeBody", () => {
  const endless = new AbortController().signal;

  it("joins the parts", async () => {
    const body = Readable.from([Buffer.from("ab"), Buffer.from("c")]);
    const bytes = await wholeBody(body, { max: 3, signal: endless });
    expect(bytes).toEqual(new Uint8Array([97, 98, 99]));
  });

  it("is undefined for a body that is too large, and reads no further", async () => {
    let read = 0;
    const parts = function* (): Generator<Buffer> {
      for (;;) {
        read++;
        yield Buffer.alloc(10);
      }
    };
    expect(await wholeBody(Readable.from(parts()), { max: 95, signal: endless })).toBeUndefined();
    expect(read).toBeLessThan(40);
  });

  it("is aborted with its signal", async () => {
    const silent = new Readable({ read: () => {} });
    const reading = wholeBody(silent, { max: 5, signal: AbortSignal.timeout(20) });
    await expect(reading).rejects.toThrow();
    expect(silent.destroyed).toBe(true);
  });
});

describe("inParts", () => {
  it("takes every item once, in parts of a given size, with bounded concurrency", async () => {
    const seen: number[] = [];
    let [running, max] = [0, 0];
    await inParts([...Array(23).keys()], { size: 4, concurrency: 3 }, async (part) => {
      max = Math.max(max, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      expect(part.length).toBeLessThanOrEqual(4);
      seen.push(...part);
    });
    expect(seen.sort((a, b) => a - b)).toEqual([...Array(23).keys()]);
    expect(max).toBe(3);
  });

  it("starts nothing more once a part has failed, and waits for those in flight", async () => {
    let begun = 0;
    let ended = 0;
    const running = inParts([...Array(50).keys()], { size: 1, concurrency: 4 }, async ([item]) => {
      begun++;
      await new Promise((resolve) => setImmediate(resolve));
      ended++;
      if (item === 2) throw new Error("third");
    });
    await expect(running).rejects.toThrow("third");
    expect(begun).toBeLessThanOrEqual(8);
    expect(ended).toBe(begun);
  });
});
