import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type S3Server, s3Missing, s3Program, startS3 } from "../servers/s3.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

const command = await s3Program();
if (command === undefined) console.warn(`Trying sources in S3 is not tested: ${s3Missing}.`);

const bucket = "S3Source.BasicLookupStrategy.bucket.name";

/** What `config check --connect` says of a bucket. */
const tried = async (server: S3Server, changes: Readonly<Record<string, string>> = {}) => {
  const cwd = await temporaryFolder();
  const settings = { "source.static": "S3Source", ...server.sourceSettings, ...changes };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
  await writeFile(join(cwd, "s3.properties"), lines.join("\n"));
  return run(["config", "check", "s3.properties", "--connect"], { cwd });
};

describe.skipIf(command === undefined)("config check --connect of S3", { timeout: 90_000 }, () => {
  test("reports what exists, is empty, missing or refused, and reveals no secret", async () => {
    const server = await startS3(command ?? "");
    onTestFinished(() => server.remove());
    const objects = await server.open();
    expect(await tried(server)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("source.static (S3Source): reachable, but empty"),
    });
    await objects.put("a.tif", new Uint8Array(10), new AbortController().signal);
    objects.close();
    expect((await tried(server)).stdout).toMatch(/\(S3Source\): reachable \(\d+ ms\)/);
    expect(await tried(server, { [bucket]: "nothing" })).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("there is no such bucket. Check"),
    });
    const refused = await tried(server, { "S3Source.secret_key": "another-secret" });
    expect(refused).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("the credentials are refused. Check"),
    });
    expect(refused.stdout).not.toContain("another-secret");
  });
});
