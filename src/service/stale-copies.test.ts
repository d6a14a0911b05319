import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { removeStaleCopies } from "./stale-copies.ts";

const day = 86_400_000;

it("removes folders of copies without additions for a week, and nothing else", async () => {
  const parent = await temporaryFolder();
  const now = Date.now();
  /** A folder of copies that is so many days old, as is the copy in it. */
  const make = async (name: string, folderDays: number, copyDays: number): Promise<string> => {
    const folder = join(parent, name);
    await mkdir(join(folder, "source"), { recursive: true });
    const copy = join(folder, "source", "copy");
    await writeFile(copy, "image");
    const at = (days: number): Date => new Date(now - days * day);
    await utimes(copy, at(copyDays), at(copyDays));
    await utimes(join(folder, "source"), at(folderDays), at(folderDays));
    await utimes(folder, at(folderDays), at(folderDays));
    return folder;
  };
  await make("vitrine-copies-stale", 8, 8);
  await make("vitrine-copies-used", 8, 6);
  await make("vitrine-copies-fresh", 6, 8);
  const own = await make("vitrine-copies-own", 8, 8);
  await make("another-program", 8, 8);
  await symlink(join(parent, "another-program"), join(parent, "vitrine-copies-link"));
  await removeStaleCopies(parent, { own, now });
  expect((await readdir(parent)).toSorted()).toEqual([
    "another-program",
    "vitrine-copies-fresh",
    "vitrine-copies-link",
    "vitrine-copies-own",
    "vitrine-copies-used",
  ]);
  expect(await readdir(join(parent, "another-program", "source"))).toEqual(["copy"]);
});
