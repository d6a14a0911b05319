import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { compare } from "bcrypt";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { parseUsers } from "../auth/login/users-file.ts";
import type { Terminal } from "./command.ts";
import { run } from "./program.ts";
import { styleFor } from "./style.ts";

const ran = async (input: Terminal["input"], ...args: readonly string[]) => {
  let [out, err] = ["", ""];
  const code = await run(["user", "add", ...args], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ...(input === undefined ? {} : { input }),
    outStyle: styleFor(false),
    errStyle: styleFor(false),
    outColumns: undefined,
    errColumns: 200,
    signal: new AbortController().signal,
  });
  return { code, out, err };
};
const piped = (text: string) => Readable.from([Buffer.from(text)]);
const usersIn = async (file: string) => parseUsers(await readFile(file, "utf8")).byName;

describe("vitrine user add", () => {
  test("creates a file that only its owner can read, and adds to it", async () => {
    const file = join(await temporaryFolder({}), "users");
    const first = await ran(piped("correct horse\r\n"), "ada", "--file", file, "--groups", "a, b");
    expect(first).toEqual({ code: 0, out: `Added ada in ${file}.\n`, err: "" });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await ran(piped("battery staple"), "bob", "-f", file)).code).toBe(0);
    const users = await usersIn(file);
    expect(await compare("correct horse", users.get("ada")?.hash ?? "")).toBe(true);
    expect(await compare("battery staple", users.get("bob")?.hash ?? "")).toBe(true);
    expect([users.get("ada")?.groups, users.get("bob")?.groups]).toEqual([["a", "b"], []]);
    expect(await readFile(file, "utf8")).toMatch(
      /^ada:\$2y\$12\$.{53}:a,b\nbob:\$2y\$12\$.{53}\n$/,
    );
  });

  test("changes one user and nothing else, behind a link, and keeps mode and groups", async () => {
    const hash = `$2y$05$${"".padEnd(53, "a")}`;
    const folder = await temporaryFolder({
      users: `# staff\n\nada:${hash}:a,b\nbob:${hash}\n`,
    });
    await chmod(join(folder, "users"), 0o640);
    const link = join(folder, "link");
    await symlink("users", link);
    expect((await ran(piped("correct horse"), "ada", "-f", link)).out).toContain("Changed ada");
    expect((await usersIn(link)).get("ada")?.groups).toEqual(["a", "b"]);
    expect((await ran(piped("correct horse"), "ada", "-f", link, "-g", "")).code).toBe(0);
    const text = await readFile(join(folder, "users"), "utf8");
    expect(text).toMatch(/^# staff\n\nada:\$2y\$12\$.{53}\nbob:/);
    expect(text).toContain(`\nbob:${hash}\n`);
    expect((await stat(link)).mode & 0o777).toBe(0o640);
  });

  test("prompts twice at a terminal, without echo", async () => {
    const file = join(await temporaryFolder({}), "users");
    const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
    const input = terminal();
    let [err, code] = ["", 1 as number];
    const answers = ["correct horse\n", "correct horse\n"];
    code = await run(["user", "add", "ada", "--file", file], {
      out: () => {},
      err: (text) => {
        err += text;
        const answer = text.startsWith("Password") ? answers.shift() : undefined;
        if (answer !== undefined) setImmediate(() => input.write(answer));
      },
      input,
      outStyle: styleFor(false),
      errStyle: styleFor(false),
      outColumns: 80,
      errColumns: 80,
      signal: new AbortController().signal,
    });
    expect([code, err]).toEqual([0, "Password for ada: \nPassword for ada, again: \n"]);
    expect(await compare("correct horse", (await usersIn(file)).get("ada")?.hash ?? "")).toBe(true);
    // No more can be typed.
    const closed = terminal();
    closed.end();
    expect((await ran(closed, "bob", "--file", file)).err).toContain("nothing was changed");
  });

  test("reports what it expected, and changes nothing", async () => {
    const folder = await temporaryFolder({ users: "ada:{SHA}abc\n", none: "" });
    const [users, none] = [join(folder, "users"), join(folder, "none")];
    for (const [input, name, file, told] of [
      ["correct horse", "bob", users, "line 1: expected a hash by bcrypt"],
      ["correct horse", "b:b", none, "expected a name"],
      ["short", "bob", none, "at least 8 characters"],
      ["é".repeat(37), "bob", none, "at most 72 bytes"],
      ["", "bob", none, "at least 8 characters"],
    ] as const) {
      const { code, err } = await ran(piped(input), name, "--file", file);
      expect([code, err]).toEqual([2, expect.stringContaining(told)]);
    }
    expect((await ran(undefined, "bob", "--file", none)).code).toBe(2);
    expect((await ran(piped(""), "bob")).err).toContain("--file");
    expect(await readFile(users, "utf8")).toBe("ada:{SHA}abc\n");
    expect(await readFile(none, "utf8")).toBe("");
  });
});
