import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { Config } from "../config/store.ts";
import type { Delegate } from "../core/delegate.ts";
import type { LogFields, Logger } from "../core/log.ts";
import { sourceName } from "./answers.ts";
import { createDelegate } from "./delegates.ts";
import { locateScript } from "./locate.ts";

interface Entry {
  readonly level: string;
  readonly message: string;
  readonly fields?: LogFields | undefined;
}

const recorder = () => {
  const entries: Entry[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => {
    entries.push({ level, message, fields });
  };
  const log: Logger = {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  const until = async (says: string): Promise<Entry> => {
    for (let n = 0; n < 400; n++) {
      const found = entries.find(({ message }) => message.includes(says));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`Nothing says ${says}: ${JSON.stringify(entries)}`);
  };
  return { log, entries, until };
};

const opened = async (folder: string, pathname: string, env = {}) => {
  const recorded = recorder();
  const config = new Config({
    "delegate_script.enabled": true,
    "delegate_script.pathname": pathname,
  });
  const delegates = await createDelegate(config, recorded.log, {
    configuration: join(folder, "vitrine.properties"),
    env,
    settleMs: 20,
  });
  onTestFinished(() => delegates?.close());
  return { ...recorded, delegate: delegates?.delegate as Delegate };
};

const session = (delegate: Delegate) =>
  delegate.session({ identifier: "a" }, { id: "r", signal: new AbortController().signal });
const sourceBy = (delegate: Delegate) => session(delegate).call("source", sourceName);

test("there is none where it is disabled, whatever the environment names", async () => {
  const { log, entries } = recorder();
  const env = { VITRINE_DELEGATE_SCRIPT: "/absent.ts" };
  expect(await createDelegate(new Config(), log, { env })).toBeUndefined();
  expect(entries).toEqual([]);
});

test("it is loaded, with warnings about misspelt names", async () => {
  const folder = await temporaryFolder({
    "d.ts": `export default class { source(): string { return "one"; } autorize() { return true; } }`,
  });
  const { delegate, entries } = await opened(folder, "d.ts");
  expect(sourceBy(delegate)).toBe("one");
  expect(entries.map(({ level, message }) => [level, message])).toEqual([
    ["warn", "The delegate's method autorize is never called. Is authorize meant?"],
    ["info", "The delegate was loaded"],
  ]);
});

describe("a change", () => {
  const files = {
    "d.ts": `import { name } from "./lib/name.ts";\nexport default class { source(): string { return name; } }`,
    "lib/name.ts": `export const name: string = "one";`,
  };

  test("to a helper is applied; requests in flight keep their version", async () => {
    const folder = await temporaryFolder(files);
    const { delegate, until } = await opened(folder, "d.ts");
    const before = session(delegate);
    await writeFile(join(folder, "lib/name.ts"), `export const name: string = "two";`);
    expect((await until("The changed delegate was loaded")).level).toBe("info");
    expect(sourceBy(delegate)).toBe("two");
    expect(before.call("source", sourceName)).toBe("one");
  });

  test("with an error is not applied but reported with its position; the next good one is", async () => {
    const folder = await temporaryFolder(files);
    const { delegate, until } = await opened(folder, "d.ts");
    await writeFile(join(folder, "d.ts"), `import "./lib/more.ts";\nexport default 3;`);
    await until("cannot be loaded; the previous one stays in effect");
    expect(sourceBy(delegate)).toBe("one");
    await writeFile(join(folder, "d.ts"), files["d.ts"].replace("name;", "name + 1;"));
    await until("The changed delegate was loaded");
    expect(sourceBy(delegate)).toBe("one1");
  });

  test("that removes the file keeps the loaded version", async () => {
    const folder = await temporaryFolder(files);
    const { delegate, until } = await opened(folder, "d.ts");
    await rm(join(folder, "d.ts"));
    expect((await until("cannot be loaded")).level).toBe("error");
    expect(sourceBy(delegate)).toBe("one");
  });
});

test("a delegate that cannot be loaded is reported with file, line and error", async () => {
  const folder = await temporaryFolder({ "d.ts": "\nexport default class { source( { } }" });
  await expect(opened(folder, "d.ts")).rejects.toMatchObject({
    failure: "malformed",
    message: expect.stringMatching(
      /^The delegate .*d\.ts cannot be loaded: .*d\.ts:2:\d+: Unexpected/,
    ),
  });
});

describe("the path of a delegate", () => {
  const located = async (pathname: string, script?: string) => {
    const folder = await temporaryFolder({ "d.ts": "", "conf/d.ts": "", "conf/lib/e.mjs": "" });
    const found = await locateScript(pathname.replace("{folder}", folder), {
      configuration: join(folder, "conf/vitrine.properties"),
      env: script === undefined ? {} : { VITRINE_DELEGATE_SCRIPT: script },
    });
    return found.replace(`${folder}/`, "");
  };

  test.each([
    ["{folder}/d.ts", "d.ts"],
    ["d.ts", "conf/d.ts"],
    ["lib/e.mjs", "conf/lib/e.mjs"],
    ["../d.ts", "d.ts"],
    // Cantaloupe's rule.
    ["elsewhere/d.ts", "conf/d.ts"],
  ])("%s is found", async (pathname, found) => {
    expect(await located(pathname)).toBe(found);
  });

  test("comes from the environment, where it is set", async () => {
    expect(await located("d.ts", "lib/e.mjs")).toBe("conf/lib/e.mjs");
    expect(await located("d.ts", " ")).toBe("conf/d.ts");
  });

  test.each([
    ["", "expected the delegate's file"],
    ["d.py", "expected a file that ends in .ts, .mts, .js, .mjs, .cjs, .rb, got d.py"],
    ["absent.ts", "but there is none"],
  ])("is refused: %s", async (pathname, says) => {
    await expect(located(pathname)).rejects.toThrow(says);
  });
});

test.each([
  ["authorize() { return this.context.metadata === null }", true],
  ["metadata() { return null }", false],
  ["  async metadata ({ signal }) { return null }", false],
  ["metadata() { return null }\n// of METADATA", true],
  ["metadata() { return read(this.context['metadata']) }", true],
  ["metadata() { const {\n  metadata\n} = this.context; return null }", true],
])(
  "embedded metadata is read for delegates that mention it, not by method alone: %s",
  async (method, wants) => {
    const folder = await temporaryFolder({ "d.js": `export default class {\n${method}\n}` });
    const { delegate } = await opened(folder, "d.js");
    expect(session(delegate).wantsMetadata).toBe(wants);
  },
);
