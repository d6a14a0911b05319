import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { writeWhole } from "./write.ts";

describe("writing a file atomically", () => {
  test("keeps its mode and links, and leaves nothing else behind", async () => {
    const folder = await temporaryFolder({ "real.properties": "a = 1\n" });
    const real = join(folder, "real.properties");
    const link = join(folder, "link.properties");
    // More than any usual umask leaves.
    await chmod(real, 0o666);
    await symlink("real.properties", link);
    await writeWhole(link, "a = 2\n");
    expect(await readFile(real, "utf8")).toBe("a = 2\n");
    expect((await stat(real)).mode & 0o777).toBe(0o666);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(["link.properties", "real.properties"]);
  });

  test("fails for a missing file, and creates none", async () => {
    const folder = await temporaryFolder();
    await expect(writeWhole(join(folder, "gone"), "a = 1")).rejects.toThrow("ENOENT");
    expect(await readdir(folder)).toEqual([]);
  });

  test("leaves nothing behind where the file cannot be replaced", async () => {
    const folder = await temporaryFolder({});
    await mkdir(join(folder, "v.properties"));
    await expect(writeWhole(join(folder, "v.properties"), "a = 1")).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["v.properties"]);
  });

  test("leaves a complete file, old or new, when the process is killed", async () => {
    const texts = ["a", "b"].map((letter) => `key = ${letter.repeat(2_000_000)}\n`);
    const folder = await temporaryFolder({ "v.properties": texts[0] ?? "" });
    const path = join(folder, "v.properties");
    const script = `
      const { writeWhole } = await import(${JSON.stringify(new URL("./write.ts", import.meta.url).href)});
      for (let turn = 1; ; turn++) {
        console.log("writing");
        await writeWhole(${JSON.stringify(path)}, "key = " + (turn % 2 ? "b" : "a").repeat(2_000_000) + "\\n");
      }`;
    for (const killedAt of [1, 3]) {
      const child = spawn(
        process.execPath,
        ["--import", "tsx", "--input-type=module", "-e", script],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const gone = once(child, "exit");
      let writes = 0;
      for await (const chunk of child.stdout) {
        writes += String(chunk).split("writing").length - 1;
        if (writes >= killedAt) child.kill("SIGKILL");
      }
      expect((await gone)[1]).toBe("SIGKILL");
      expect(texts).toContain(await readFile(path, "utf8"));
    }
  });
});
