import { copyFile, readFile, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, start } from "./program.ts";

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../samples/${name}`, import.meta.url));

/** For tests that start several programs on a possibly busy machine. */
const patience = 120_000;

/** A collection with a bit of everything. */
const collection = async (): Promise<string> => {
  const folder = await temporaryFolder({
    "notes.txt": "No image.",
    "empty.png": "",
    "deep/broken.jpg": "",
  });
  await copyFile(sample("chart.png"), join(folder, "chart.png"));
  await copyFile(sample("chart.png"), join(folder, "Chart.PNG"));
  await copyFile(sample("chart.jpg"), join(folder, "deep", "chart.tif"));
  const broken = join(folder, "deep", "broken.jpg");
  await copyFile(sample("chart.jpg"), broken);
  await truncate(broken, Math.floor((await stat(broken)).size / 2));
  return folder;
};

interface Reported {
  readonly doctor: number;
  readonly summary: { readonly findings: Readonly<Record<string, number>> };
  readonly objects: readonly {
    readonly identifier: string;
    readonly findings: readonly { readonly code: string; readonly text: string }[];
  }[];
}

const codesOf = ({ objects }: Reported): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    objects.map(({ identifier, findings }) => [identifier, findings.map(({ code }) => code)]),
  );

describe("doctor", { timeout: patience }, () => {
  test("reports what is wrong with the files of a folder, and fails because some are damaged", async () => {
    const folder = await collection();
    const journal = join(await temporaryFolder(), "journal");
    const page = join(await temporaryFolder(), "report.html");
    const args = ["doctor", folder, "--journal", journal, "--quiet"];
    const { code, stdout, stderr } = await run([...args, "--json", "--html", page]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const report = JSON.parse(stdout) as Reported;
    expect(codesOf(report)).toEqual({
      "notes.txt": [],
      "empty.png": ["unreadable"],
      "chart.png": ["case"],
      "Chart.PNG": ["case"],
      "deep/chart.tif": ["wrong-extension"],
      "deep/broken.jpg": ["unreadable"],
    });
    expect(await readFile(page, "utf8")).toContain("deep/broken.jpg");
    const text = await run(args);
    expect(text.stdout).toMatch(/Damaged or unreadable \(2\):/);
    expect(text.stdout).toMatch(/Not images:\n {2}1 \.txt/);
  });

  test("with --quick finds damage in headers only", async () => {
    const folder = await collection();
    const journal = join(await temporaryFolder(), "journal");
    const { stdout } = await run(["doctor", folder, "--journal", journal, "--quick", "--json"]);
    expect(codesOf(JSON.parse(stdout) as Reported)).toMatchObject({
      "empty.png": ["unreadable"],
      "deep/broken.jpg": [],
    });
  });

  test("continues where it was killed, and examines what has changed", async () => {
    const folder = await collection();
    const journal = join(await temporaryFolder(), "journal");
    const args = ["doctor", folder, "--journal", journal, "--workers", "1"];
    const first = start(args);
    await first.until((stderr) => /[1-5]\/6 files/.test(stderr));
    first.signal("SIGKILL");
    await first.ended;
    const found = (await readFile(journal, "utf8")).trimEnd().split("\n").length - 1;
    expect(found).toBeGreaterThan(0);
    const second = await run(args);
    const [, examined, known] = /Examined (\d+) files?; (\d+) unchanged/.exec(second.stderr) ?? [];
    expect(Number(known)).toBeGreaterThan(0);
    expect(Number(examined) + Number(known)).toBe(6);
    await utimes(join(folder, "chart.png"), new Date(), new Date());
    expect((await run(args)).stderr).toMatch(/Examined 1 file; 5 unchanged/);
    expect((await run([...args, "--fresh"])).stderr).toMatch(/Examined 6 files; 0 unchanged/);
  });

  test("stops at once when it is interrupted, and says how to continue", async () => {
    const folder = await collection();
    const journal = join(await temporaryFolder(), "journal");
    const running = start(["doctor", folder, "--journal", journal, "--workers", "1"]);
    await running.until((stderr) => /\/6 files/.test(stderr));
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/Stopped. Run the same command again to continue.\n$/);
  });

  test("examines the configured source, and says which ones it cannot", async () => {
    const folder = await collection();
    const journal = join(await temporaryFolder(), "journal");
    const cwd = await temporaryFolder();
    const config = join(cwd, "vitrine.properties");
    const prefix = `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/\n`;
    await writeFile(config, `${prefix}FilesystemSource.BasicLookupStrategy.path_suffix = .png\n`);
    const args = ["doctor", "--source", "--config", config, "--journal", journal, "--json"];
    const { code, stdout } = await run([...args, "--quiet"]);
    expect(code).toBe(0);
    const { objects } = JSON.parse(stdout) as Reported;
    expect(objects.map(({ identifier }) => identifier)).toEqual(["chart", "empty"]);
    await writeFile(
      config,
      "source.static = HttpSource\nHttpSource.BasicLookupStrategy.url_prefix = http://127.0.0.1:9/\n",
    );
    const other = await run([...args, "--fresh", "--journal", join(cwd, "other")]);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/The images of this source cannot be listed/);
  });

  test.each([
    [[], "doctor: expected a folder or --source"],
    [["--source", "."], "doctor: expected a folder or --source, got both"],
    [["absent"], "doctor: there is no folder 'absent'"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await run(["doctor", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
