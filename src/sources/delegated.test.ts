import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf } from "../../test/contract/source.ts";
import { fakeDelegate } from "../../test/fake-delegate.ts";
import { type Origin, startOrigin } from "../../test/servers/origin.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { createSource, isAnyRemote, unusableSource } from "./choosing.ts";

const prefix = "FilesystemSource.BasicLookupStrategy.path_prefix";
let home: string;
let origin: Origin;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-delegated-"));
  for (const folder of ["files", "ruled"]) {
    await mkdir(join(home, folder));
    await writeFile(join(home, folder, "a.tif"), folder);
  }
  origin = await startOrigin();
  origin.files.set("/a.tif", { bytes: Buffer.from("web"), etag: '"1"' });
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await origin.close();
});

const enabled = { "delegate_script.enabled": true };
const settings = (): Readonly<Record<string, unknown>> => ({
  ...enabled,
  "source.delegate": true,
  [prefix]: join(home, "files/"),
  "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/`,
});
const textOf = async (source: Source, identifier: string): Promise<string> => {
  const reader = await (await source.find(identifier, contextOf(identifier))).open();
  const bytes = await reader.read(0, reader.size);
  await reader.close();
  return Buffer.from(bytes).toString();
};

describe("source.delegate", () => {
  it("lets the delegate name the source of each image", async () => {
    const { delegate } = fakeDelegate({
      source: ({ identifier }) => (identifier === "a.tif" ? "FilesystemSource" : "HttpSource"),
    });
    const source = createSource(new Config(settings()), silent, delegate);
    expect(await source.find("a.tif", contextOf("a.tif"))).toMatchObject({
      kind: "FilesystemSource",
      place: join(home, "files/a.tif"),
    });
    await expect(textOf(source, "b.tif")).rejects.toMatchObject({ failure: "missing" });
    expect(origin.requests.map(({ path }) => path)).toEqual(["/b.tif"]);
    const used = source.parts?.filter((part) => (part.source.origins?.() ?? []).length > 0);
    expect(used?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "source.delegate HttpSource",
    ]);
    await source.close?.();
  });

  it("creates each source once, when it is first chosen", async () => {
    const { delegate } = fakeDelegate({ source: () => "HttpSource" });
    const warnings: string[] = [];
    const log = { ...silent, warn: (message: string) => void warnings.push(message) };
    const blank = { ...settings(), "HttpSource.BasicLookupStrategy.url_prefix": "" };
    const source = createSource(new Config(blank), log, delegate);
    expect(warnings).toEqual([]);
    const finds = ["a", "b", "c"].map((identifier) => textOf(source, identifier));
    for (const { status } of await Promise.allSettled(finds)) expect(status).toBe("rejected");
    expect(warnings).toEqual([expect.stringContaining("url_prefix is blank")]);
    await source.close?.();
  });

  it.each(["org.example.Source", "FtpSource", "filesystemsource", "", null, 7])(
    "treats %j as a failure of the delegate, and names what is accepted",
    async (name) => {
      const { delegate } = fakeDelegate({ source: () => name });
      const source = createSource(new Config(settings()), silent, delegate);
      await expect(textOf(source, "a.tif")).rejects.toMatchObject({
        failure: "internal",
        message: expect.stringMatching(
          /source.*one of FilesystemSource, HttpSource, S3Source, AzureStorageSource, JdbcSource/,
        ),
      });
      await source.close?.();
    },
  );

  it("fails for a source whose keys are not set, and names it", async () => {
    const { delegate } = fakeDelegate({ source: () => "S3Source" });
    const source = createSource(new Config(settings()), silent, delegate);
    await expect(textOf(source, "a.tif")).rejects.toMatchObject({
      failure: "internal",
      message: expect.stringMatching(/chose S3Source\..*bucket\.name is blank/),
    });
    await source.close?.();
  });

  it("applies to identifiers without a rule, as the client wrote them", async () => {
    const seen: unknown[] = [];
    const { delegate, asked } = fakeDelegate({
      source: () => "HttpSource",
      filesystemsource_pathname: ({ identifier }) => {
        seen.push(identifier);
        return join(home, "ruled/a.tif");
      },
    });
    const source = createSource(
      new Config({
        ...settings(),
        "source.rules.1.pattern": "^r/(.*)$",
        "source.rules.1.identifier": "$1",
        "source.rules.1.source": "FilesystemSource",
        "source.rules.1.FilesystemSource.lookup_strategy": "ScriptLookupStrategy",
      }),
      silent,
      delegate,
    );
    expect(await textOf(source, "r/x")).toBe("ruled");
    expect(await textOf(source, "a.tif")).toBe("web");
    expect(asked).toEqual(["filesystemsource_pathname", "source"]);
    expect(seen).toEqual(["r/x"]);
    await source.close?.();
  });

  it("calls the session of the request if there is one", async () => {
    const { delegate } = fakeDelegate({
      source: ({ client_ip }) => (client_ip === "10.0.0.1" ? "HttpSource" : "FilesystemSource"),
    });
    const source = createSource(new Config(settings()), silent, delegate);
    const context = contextOf("a.tif");
    const facts = { identifier: "a.tif", client_ip: "10.0.0.1" };
    const session = delegate.session(facts, { id: "1", signal: context.signal });
    expect(await source.find("a.tif", { ...context, delegate: session })).toMatchObject({
      kind: "HttpSource",
    });
    expect(await source.find("a.tif", context)).toMatchObject({ kind: "FilesystemSource" });
    await source.close?.();
  });

  it("may choose remote sources", () => {
    expect(isAnyRemote(new Config(settings()))).toBe(true);
    expect(isAnyRemote(new Config({ [prefix]: home }))).toBe(false);
  });
});

describe("a configuration that needs a delegate", () => {
  const rule = { "source.rules.3.pattern": "a", "source.rules.3.source": "JdbcSource" };
  it.each([
    [{ "source.delegate": true }, /^source.delegate is true.*no delegate is enabled/],
    [
      { "meta_identifier.transformer": "DelegateMetaIdentifierTransformer" },
      /^meta_identifier.transformer is .*no delegate is enabled/,
    ],
    [
      { "FilesystemSource.lookup_strategy": "ScriptLookupStrategy" },
      /^FilesystemSource.lookup_strategy is ScriptLookupStrategy.*delegate_script.enabled/,
    ],
    [
      { "source.static": "S3Source", "S3Source.lookup_strategy": "ScriptLookupStrategy" },
      /^S3Source.lookup_strategy is/,
    ],
    [
      {
        ...rule,
        "source.rules.3.JdbcSource.url": "jdbc:sqlite::memory:",
        "source.rules.3.JdbcSource.lookup_strategy": "ScriptLookupStrategy",
      },
      /^source.rules.3: JdbcSource.lookup_strategy is/,
    ],
  ])("is rejected where none is enabled: %j", async (values, why) => {
    expect(() => createSource(new Config(values))).toThrow(why);
    const enabledToo = new Config({ ...values, ...enabled });
    await createSource(enabledToo).close?.();
    if (!("source.rules.3.pattern" in values)) {
      expect(await unusableSource(new Config(values))).toMatch(why);
      expect(await unusableSource(enabledToo)).toBeUndefined();
    }
  });

  it("is accepted if the strategy belongs to an unused source", async () => {
    const unused = { "HttpSource.lookup_strategy": "ScriptLookupStrategy", [prefix]: home };
    expect(await unusableSource(new Config(unused))).toBeUndefined();
  });
});
