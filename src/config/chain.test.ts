import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { editChain, find, readChain } from "./chain.ts";

const messages = ({ problems }: { readonly problems: readonly { readonly message: string }[] }) =>
  problems.map(({ message }) => message);

describe("a chain of files", () => {
  test("resolves from child to parent to grandparent, and a blank key hides the parent's", async () => {
    const folder = await temporaryFolder({
      "child.properties": "extends = parent.properties\na = child\nb =\n",
    });
    const outside = await temporaryFolder({ "top.properties": "c = top\nd = top\n" });
    await writeFile(
      join(folder, "parent.properties"),
      `extends = ${join(outside, "top.properties")}\nb = parent\nc = parent\n`,
    );
    const chain = await readChain(join(folder, "child.properties"));
    expect(messages(chain)).toEqual([]);
    expect(["a", "b", "c", "d", "e"].map((key) => find(chain, key)?.value)).toEqual([
      "child",
      "",
      "parent",
      "top",
      undefined,
    ]);
    expect(find(chain, "d")).toMatchObject({ file: join(outside, "top.properties"), line: 2 });
  });

  test("resolves a name with a slash from the working folder, and a bare one beside the child", async () => {
    const work = await temporaryFolder({
      "top.properties": "a = work\nextends = top.properties\n",
    });
    await mkdir(join(work, "sub"));
    await writeFile(
      join(work, "sub", "parent.properties"),
      "b = parent\nextends = top.properties\n",
    );
    await writeFile(join(work, "sub", "top.properties"), "c = beside\n");
    const elsewhere = await temporaryFolder({
      "child.properties": "extends = sub/parent.properties\n",
    });
    vi.spyOn(process, "cwd").mockReturnValue(work);
    onTestFinished(() => void vi.restoreAllMocks());
    const chain = await readChain(join(elsewhere, "child.properties"));
    expect(messages(chain)).toEqual([]);
    expect(["a", "b", "c"].map((key) => find(chain, key)?.value)).toEqual([
      undefined,
      "parent",
      "beside",
    ]);
  });

  test("with a cycle is cut with a warning, also through a link", async () => {
    const folder = await temporaryFolder({
      "a.properties": "extends = b.properties\nx = 1\n",
      "b.properties": "y = 2\nextends = c.properties\n",
    });
    await symlink("a.properties", join(folder, "c.properties"));
    const chain = await readChain(join(folder, "a.properties"));
    expect(chain.files).toHaveLength(2);
    expect(messages(chain)).toEqual([
      `extends: ${folder}/c.properties is already in the chain of files; the loop is cut (${folder}/b.properties:2).`,
    ]);
  });

  test("reports a missing file, and a folder", async () => {
    const folder = await temporaryFolder({ "a.properties": "# one\nextends = gone.properties\n" });
    await mkdir(join(folder, "folder"));
    expect(messages(await readChain(join(folder, "a.properties")))).toEqual([
      `extends: ${folder}/gone.properties cannot be read: there is no such file (${folder}/a.properties:2).`,
    ]);
    expect(messages(await readChain(join(folder, "folder")))).toEqual([
      `The configuration file ${folder}/folder cannot be read: it is not a regular file.`,
    ]);
  });

  test("does not read a special file, nor one that is too large for a configuration", async () => {
    const large = "# Vitrine\n".repeat(500_000);
    const folder = await temporaryFolder({ "large.properties": large });
    expect(messages(await readChain(join(folder, "large.properties")))).toEqual([
      `The configuration file ${folder}/large.properties cannot be read: it is larger than 4 MB.`,
    ]);
    expect(messages(await readChain("/dev/null"))).toEqual([
      "The configuration file /dev/null cannot be read: it is not a regular file.",
    ]);
  });

  test("skips a malformed line with a warning that names it", async () => {
    const folder = await temporaryFolder({ "a.properties": "a = 1\nnonsense\nb = 2\n" });
    const chain = await readChain(join(folder, "a.properties"));
    expect(messages(chain)).toEqual([
      `Expected \`key = value\` or a comment; the line is skipped (${folder}/a.properties:2).`,
    ]);
    expect(find(chain, "b")?.value).toBe("2");
  });

  test("changes a key in every file that has it and adds new keys to the first", async () => {
    const folder = await temporaryFolder({
      "child.properties": "extends = parent.properties\na = 1\n",
      "parent.properties": "# kept\na = 0\nb : 0\n",
    });
    const chain = await readChain(join(folder, "child.properties"));
    const edits = editChain(
      chain,
      new Map([
        ["a", "2"],
        ["b", "3"],
        ["c", "4"],
        ["d", ""],
      ]),
    );
    expect(edits).toEqual([
      {
        path: join(folder, "child.properties"),
        text: "extends = parent.properties\na = 2\nc = 4\n",
      },
      { path: join(folder, "parent.properties"), text: "# kept\na = 2\nb : 3\n" },
    ]);
  });

  test("is not edited where a file is not UTF-8", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.properties"), Buffer.from("a = Gr\xfc\xdfe\n", "latin1"));
    const chain = await readChain(join(folder, "a.properties"));
    expect(messages(chain)[0]).toContain("Expected UTF-8");
    expect(() => editChain(chain, new Map([["a", "x"]]))).toThrow("not in UTF-8");
  });
});
