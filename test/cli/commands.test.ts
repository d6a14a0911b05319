import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));

test.each([
  { args: ["serv"], says: "there is no command 'serv'; is 'serve' meant?" },
  { args: ["config"], says: "expected 'config print' or 'config check'" },
  {
    args: ["config", "chek"],
    says: "expected 'config print' or 'config check', got 'config chek'",
  },
  { args: ["config", "print", "x"], says: "Unexpected argument 'x'" },
  { args: ["config", "check"], says: "config check: expected a file, or VITRINE_CONFIG, or" },
  { args: ["config", "check", "absent"], says: "expected a configuration file at" },
  { args: ["config", "check", "."], says: "is not a regular file" },
  { args: ["inspect"], says: "inspect: expected one file, got 0" },
  { args: ["inspect", "."], says: "inspect: expected a file, but '.' is a folder" },
  { args: ["inspect", "absent"], says: "inspect: there is no file 'absent'" },
  { args: ["explain"], says: "explain: expected a URL, and perhaps a folder, got 0 arguments" },
  { args: ["explain", "/", "absent"], says: "explain: there is no folder 'absent'" },
  { args: ["serve", "absent"], says: "serve: there is no folder 'absent'" },
  { args: ["serve", "a.txt"], says: "serve: expected a folder, but 'a.txt' is a file" },
  { args: ["serve", "a", "b"], says: "serve: expected one folder, got 2" },
  { args: ["serve", "--port", "80"], says: "Unknown option '--port'" },
  { args: ["serve", "--config"], says: "Option '--config <value>' argument missing" },
  { args: ["serve", "--config", "absent"], says: "expected a configuration file at" },
  {
    args: ["serve", ".", "--config", "a.txt"],
    says: "expected a folder or a configuration, got both",
  },
])("vitrine $args is refused with a sentence and 2", async ({ args, says }) => {
  const cwd = await temporaryFolder({ "a.txt": "text" });
  const { code, stdout, stderr } = await run(args, { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`vitrine: `);
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.each([
  { args: [] },
  { args: ["--help"] },
  { args: ["serve", "--help"] },
  { args: ["inspect", "-h"] },
])("vitrine $args helps", async ({ args }) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const command of ["serve", "config print", "config check", "inspect", "explain"])
    expect(stdout).toContain(`vitrine ${command}`);
});

test("what was asked for goes to standard output alone, and is usable as it is", async () => {
  const version = await run(["--version"]);
  expect(version.stdout).toMatch(/^vitrine \d+\.\d+\.\d+\n$/);
  const { stdout, stderr } = await run(["inspect", "--json", join(samples, "three-pages.tif")]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({ format: "tif", pages: { length: 3 } });
});

test("a printed configuration is one that can be used", async () => {
  const folder = await temporaryFolder();
  const { stdout } = await run(["config", "print"]);
  await writeFile(join(folder, "vitrine.properties"), stdout);
  const checked = await run(["config", "check"], { cwd: folder });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toMatch(/vitrine\.properties: good\.\n$/);
});

test("inspect says what is in a picture, and 1 with a reason for what is none", async () => {
  const { code, stdout } = await run(["inspect", join(samples, "chart-orientation-6.jpg")]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^format +JPEG\npages +1\nsize +\d+ x \d+\norientation +6 /);
  const folder = await temporaryFolder({ "a.jpg": "no picture" });
  const none = await run(["inspect", "a.jpg"], { cwd: folder });
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(none.stderr).toBe("a.jpg: the file is of no format this server reads\n");
});

test("a reader that leaves early is no failure", async () => {
  const program = [process.execPath, "dist/cli/main.js"];
  const shell = `"$@" config print | true; exit "\${PIPESTATUS[0]}"`;
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile("bash", ["-c", shell, "bash", ...program], (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("a file of Cantaloupe's is accepted whole, and what it says in vain is told briefly", async () => {
  const sample = await readFile(new URL("cantaloupe.properties", import.meta.url), "utf8");
  const cwd = await temporaryFolder({ "c.properties": sample });
  const { code, stdout, stderr } = await run(["config", "check", "c.properties"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/c\.properties: good\.\n$/);
  expect(stdout).toContain("S3Source.* (12)");
  expect(stdout.split("\n").length).toBeLessThan(60);
});
