import { mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { LogFields, Logger } from "../core/log.ts";
import { type ConfigFile, loadConfig } from "./file.ts";
import { defineKeys } from "./keys.ts";
import type { ConfigOptions } from "./options.ts";

const keys = defineKeys({
  max_pixels: { type: "integer", default: 100, min: 0, doc: "" },
  max_scale: { type: "number", default: 1, min: 0, doc: "" },
  "http.port": { type: "integer", default: 8182, doc: "", restart: true },
  "a.filter": { type: "choice", choices: ["box", "bell"], default: "box", doc: "" },
  names: { type: "list", default: [], doc: "" },
});
const groups = [{ title: "Test", keys }];

const open = async (options: Partial<ConfigOptions>): Promise<ConfigFile> => {
  const file = await loadConfig({ groups, env: {}, settleMs: 20, ...options });
  onTestFinished(() => file.close());
  return file;
};

/** A logger that records everything and can be awaited. */
const listener = () => {
  const heard: string[] = [];
  const waiting = new Set<() => void>();
  const hear = (level: string) => (message: string, _fields?: LogFields) => {
    heard.push(`${level}: ${message}`);
    for (const look of waiting) look();
  };
  const log: Logger = {
    trace: hear("trace"),
    debug: hear("debug"),
    info: hear("info"),
    warn: hear("warn"),
    error: hear("error"),
  };
  const until = (part: string, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const deadline = setTimeout(
        () => reject(new Error(`Never heard ${part}, but ${heard.join(" | ")}`)),
        15_000,
      );
      const look = () => {
        if (heard.filter((entry) => entry.includes(part)).length < times) return;
        clearTimeout(deadline);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { heard, log, until };
};

const taken = "was applied";

describe("a configuration without a file", () => {
  test("uses given values over defaults, and can be changed at run time", async () => {
    const file = await open({ values: { max_pixels: 7 }, env: { A_FILTER: "bell" } });
    const view = file.config.view(keys);
    expect(view()).toMatchObject({ max_pixels: 7, "a.filter": "bell", "http.port": 8182 });
    expect(file.set({ max_pixels: 8, names: ["a", "b"] }).problems).toEqual([]);
    expect(view()).toMatchObject({ max_pixels: 8, names: ["a", "b"] });
    await file.flush();
    expect(file.origin("max_pixels")).toEqual({ layer: "runtime" });
    expect(file.set({ max_pixels: null }).problems).toEqual([]);
    expect(view().max_pixels).toBe(7);
  });
});

describe("a configuration file", () => {
  test("reports all errors at once, and uses defaults for invalid values", async () => {
    const folder = await temporaryFolder({
      "v.properties": "max_pixels = x\nmax_scale = y\nmax = 1\n",
    });
    const file = await open({ path: join(folder, "v.properties") });
    expect(file.problems.errors.map(({ key }) => key)).toEqual(["max_pixels", "max_scale"]);
    expect(file.problems.warnings.map(({ key }) => key)).toEqual(["max"]);
    expect(file.snapshot).toMatchObject({ max_pixels: 100, max_scale: 1 });
  });

  test("takes effect when it is edited, in place or by renaming", async () => {
    const folder = await temporaryFolder({ "v.properties": "max_pixels = 1\n" });
    const path = join(folder, "v.properties");
    const { log, until } = listener();
    const file = await open({ path, log });
    const view = file.config.view(keys);
    await writeFile(path, "max_pixels = 2\n");
    await until(taken);
    expect(view().max_pixels).toBe(2);
    await writeFile(join(folder, "v.properties~"), "max_pixels = 3\n");
    await rename(join(folder, "v.properties~"), path);
    await until(taken, 2);
    expect(view().max_pixels).toBe(3);
    await rm(path);
    await until("there is no such file");
    expect(view().max_pixels).toBe(3);
    await writeFile(path, "max_pixels = 4\n");
    await until(taken, 3);
    expect(view().max_pixels).toBe(4);
  });

  test("takes effect when a parent in another folder is edited or created", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "child"));
    await mkdir(join(folder, "parent"));
    const path = join(folder, "child", "v.properties");
    const parent = join(folder, "parent", "p.properties");
    await writeFile(parent, "max_pixels = 1\n");
    await writeFile(path, `extends = ${parent}\nmax_scale = 2\n`);
    const { log, until } = listener();
    const file = await open({ path, log });
    expect(file.snapshot).toMatchObject({ max_pixels: 1, max_scale: 2 });
    await writeFile(parent, "max_pixels = 5\nmax_scale = 9\n");
    await until(taken);
    expect(file.snapshot).toMatchObject({ max_pixels: 5, max_scale: 2 });
    expect(file.origin("max_pixels")).toEqual({ layer: "file", file: parent, line: 1 });
    await rm(parent);
    await until("cannot be read");
    await writeFile(parent, "max_pixels = 6\n");
    await until(taken, 2);
    expect(file.snapshot).toMatchObject({ max_pixels: 6 });
  });

  test("keeps its values when an edit is invalid, and reports every error", async () => {
    const folder = await temporaryFolder({ "v.properties": "max_pixels = 1\n" });
    const path = join(folder, "v.properties");
    const { heard, log, until } = listener();
    const file = await open({ path, log });
    await writeFile(path, "max_pixels = many\nmax_scale = 3\na.filter = round\n");
    await until("the running values stay");
    expect(heard).toEqual([
      `error: max_pixels: expected an integer of at least 0, got "many" (${path}:1).`,
      `error: a.filter: expected one of box, bell, got "round" (${path}:3).`,
      "error: The changed configuration was not applied; the running values stay in effect.",
    ]);
    expect(file.snapshot).toMatchObject({ max_pixels: 1, max_scale: 1 });
    expect(file.problems.errors).toHaveLength(2);
    await writeFile(path, "max_pixels = 2\nmax_scale = 3\n");
    await until(taken);
    expect(file.snapshot).toMatchObject({ max_pixels: 2, max_scale: 3 });
  });

  test("does nothing when its modification time alone changes", async () => {
    const folder = await temporaryFolder({ "v.properties": "max_pixels = 1\n" });
    const path = join(folder, "v.properties");
    const { heard, log } = listener();
    const file = await open({ path, log });
    let changes = 0;
    file.config.onChange(() => changes++);
    await utimes(path, new Date(), new Date());
    await file.reload();
    expect([changes, heard]).toEqual([0, []]);
  });

  test("keeps the running value of a key that needs a restart, and reports that", async () => {
    const folder = await temporaryFolder({ "v.properties": "http.port = 1\n" });
    const path = join(folder, "v.properties");
    const file = await open({ path });
    await writeFile(path, "http.port = 2\nmax_pixels = 5\n");
    await file.reload();
    expect(file.snapshot).toMatchObject({ "http.port": 1, max_pixels: 5 });
    expect(file.pending).toEqual(["http.port"]);
    await writeFile(path, "http.port = 1\nmax_pixels = 5\n");
    await file.reload();
    expect(file.pending).toEqual([]);
  });
});

describe("a change at run time", () => {
  const text =
    "# My server\nextends = p.properties\n\nmax_pixels : 1\r\n  ! odd\nnonsense\nhttp.max_threads=9\n";

  const opened = async (options: Partial<ConfigOptions> = {}) => {
    const folder = await temporaryFolder({
      "v.properties": text,
      "p.properties": "max_scale=1\n",
    });
    const path = join(folder, "v.properties");
    const file = await open({ path, writeMs: 60_000, ...options });
    return { file, path, parent: join(folder, "p.properties") };
  };

  test("takes effect at once and is written back, keeping every other byte", async () => {
    const { file, path, parent } = await opened();
    const view = file.config.view(keys);
    expect(file.set({ max_pixels: "5", max_scale: 2.5, "a.filter": "BELL" })).toEqual({
      problems: [],
      pending: [],
      overridden: [],
    });
    expect(view()).toMatchObject({ max_pixels: 5, max_scale: 2.5, "a.filter": "bell" });
    expect(await readFile(path, "utf8")).toBe(text);
    await file.flush();
    expect(await readFile(path, "utf8")).toBe(
      `${text.replace("max_pixels : 1", "max_pixels : 5")}a.filter = BELL\n`,
    );
    expect(await readFile(parent, "utf8")).toBe("max_scale=2.5\n");
    expect(file.origin("max_scale")).toEqual({ layer: "file", file: parent, line: 1 });
    expect(view()).toMatchObject({ max_pixels: 5, max_scale: 2.5, "a.filter": "bell" });
  });

  test("is saved on its own, and its own write triggers nothing", async () => {
    const { heard, log, until } = listener();
    const { file, path } = await opened({ writeMs: 10, log });
    file.set({ max_pixels: 5 });
    await until(taken);
    expect(await readFile(path, "utf8")).toContain("max_pixels : 5");
    await file.reload();
    expect(heard.filter((entry) => entry.includes(taken))).toHaveLength(1);
  });

  test("is rejected as a whole when part of it is invalid", async () => {
    const { file } = await opened();
    const { problems } = file.set({
      max_pixels: 5,
      max_scale: "much",
      max_pixel: 1,
      "a.filter": "bell\nextends = /etc/passwd",
      names: {},
      extends: "other",
    });
    expect(problems.map(({ message }) => message)).toEqual([
      'max_scale: expected a number of at least 0, got "much" (a change at run time).',
      "max_pixel: there is no such key (a change at run time). Is max_pixels meant?",
      "a.filter: expected one of box, bell on one line.",
      "names: expected a list separated by commas or spaces on one line.",
      "extends: can only be changed in the configuration file, since it decides which files the server reads or writes.",
    ]);
    expect(file.snapshot).toMatchObject({ max_pixels: 1, max_scale: 1, "a.filter": "box" });
  });

  test("keeps a concurrent edit by someone else", async () => {
    const { file, path } = await opened({ settleMs: 60_000 });
    file.set({ max_pixels: 5 });
    await writeFile(path, `${text}a.filter = bell\n`);
    await file.flush();
    expect(await readFile(path, "utf8")).toBe(
      `${text.replace("max_pixels : 1", "max_pixels : 5")}a.filter = bell\n`,
    );
    expect(file.snapshot).toMatchObject({ max_pixels: 5, "a.filter": "bell" });
  });

  test("yields to an edit of the file that follows its write", async () => {
    const { file, path } = await opened({ settleMs: 60_000 });
    file.set({ max_pixels: 5 });
    await file.flush();
    await writeFile(path, "max_pixels = 6\n");
    await file.reload();
    expect(file.snapshot).toMatchObject({ max_pixels: 6 });
  });

  test("stays in force when the file was broken in the meantime", async () => {
    const { file, path } = await opened({ settleMs: 60_000 });
    file.set({ max_pixels: 5 });
    await writeFile(path, "max_scale = much\nmax_pixels = 1\n");
    await file.flush();
    expect(await readFile(path, "utf8")).toBe("max_scale = much\nmax_pixels = 5\n");
    expect(file.set({ "a.filter": "bell" }).problems).toEqual([]);
    expect(file.snapshot).toMatchObject({ max_pixels: 5, "a.filter": "bell" });
  });

  test("of a key that the environment sets goes to the file only", async () => {
    const { file, path } = await opened({ env: { MAX_PIXELS: "77" } });
    expect(file.set({ max_pixels: 5 }).overridden).toEqual(["max_pixels"]);
    await file.flush();
    expect(await readFile(path, "utf8")).toContain("max_pixels : 5");
    expect(file.snapshot).toMatchObject({ max_pixels: 77 });
    expect(file.written()).toMatchObject({ max_pixels: "5", max_scale: "1" });
  });

  test("of a key that needs a restart waits for it", async () => {
    const { file, path } = await opened();
    expect(file.set({ "http.port": 99 }).pending).toEqual(["http.port"]);
    await file.close();
    expect(await readFile(path, "utf8")).toContain("http.port = 99");
    expect(file.snapshot).toMatchObject({ "http.port": 8182 });
  });

  test("of a key without effect is kept in the file", async () => {
    const { file, path } = await opened();
    expect(file.set({ "http.max_threads": 3 }).problems).toEqual([]);
    await file.flush();
    expect(await readFile(path, "utf8")).toContain("http.max_threads=3\n");
  });

  test("that cannot be written is reported, and stays in effect", async () => {
    const { file, path } = await opened({ settleMs: 60_000 });
    file.set({ max_pixels: 5 });
    await rm(path);
    await expect(file.flush()).rejects.toThrow("it cannot be read");
    expect(file.snapshot).toMatchObject({ max_pixels: 5 });
  });
});
