import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashSync } from "bcrypt";
import { describe, expect, test } from "vitest";
import { loginRequest } from "../../../test/login-request.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { silent } from "../../core/log.ts";
import type { LoginRequest } from "./provider.ts";
import { createUsersProvider } from "./users.ts";
import { parseUsers, UsersFileFault } from "./users-file.ts";

const action = `https://example.org/auth/access?origin=https://viewer.example&x="<`;
const texts = { label: "Maps", heading: "Log in to <Maps>", note: "Ask & you get." };
const hash = (password: string, prefix = "2y") => `$${prefix}$${hashSync(password, 4).slice(4)}`;
const line = (name: string, password: string, more = "") => `${name}:${hash(password)}${more}\n`;

const opened = async (text: string, now?: () => number) => {
  const file = join(await temporaryFolder({ users: text }), "users");
  const logged: (readonly [string, unknown])[] = [];
  const note = (message: string, fields?: unknown) => void logged.push([message, fields]);
  const provider = createUsersProvider({
    file,
    texts,
    log: { ...silent, warn: note, error: note },
    ...(now ? { now } : {}),
  });
  const post = (name: string, password: string, more: Partial<LoginRequest> = {}) =>
    provider.step(
      loginRequest({ method: "POST", form: new URLSearchParams({ name, password }), ...more }),
      action,
    );
  return { file, logged, provider, post };
};

describe("a login by a users file", () => {
  test("shows a form that posts to the access service", async () => {
    const { provider } = await opened(line("ada", "secret"));
    const step = await provider.step(loginRequest(), action);
    expect(step).toMatchObject({ kind: "page", status: 200 });
    const html = step.kind === "page" ? step.html : "";
    expect(html).toContain(
      'action="https://example.org/auth/access?origin=https://viewer.example&#38;x=&#34;&#60;"',
    );
    expect(html).toContain("<h1>Log in to &#60;Maps&#62;</h1>");
    expect(html).toContain("<p>Ask &#38; you get.</p>");
    expect(html).toMatch(
      /<label for="name">.*\n<input id="name" name="name" autocomplete="username"/,
    );
    expect(html).toMatch(
      /<label for="password">.*\n<input id="password" name="password" type="password" autocomplete="current-password"/,
    );
    expect(html).not.toContain("<script");
  });

  test("accepts each form of bcrypt, and returns groups", async () => {
    const { post } = await opened(
      `# staff\r\n\r\n${line("ada", "secret", ":maps, staff,maps")}bob:${hash("hidden", "2a")}\neve:${hash("öäü", "2b")}:`,
    );
    const known = (name: string, groups: readonly string[] = []) => ({
      kind: "done",
      identity: { name, groups },
    });
    expect(await post("ada", "secret")).toEqual(known("ada", ["maps", "staff"]));
    expect(await post(" bob ", "hidden")).toEqual(known("bob"));
    expect(await post("eve", "öäü")).toEqual(known("eve"));
  });

  test("answers anything wrong with one page, and logs no unknown name", async () => {
    const { post, logged, provider } = await opened(line("ada", "secret"));
    const wrong = await post("ada", "<wrong>");
    expect(wrong).toMatchObject({ kind: "page", status: 403 });
    const unknown = await post("mypassword", "secret");
    expect(unknown).toEqual({
      ...wrong,
      html: (wrong as { html: string }).html.replace('value="ada"', 'value="mypassword"'),
    });
    expect(await post("ada", `secret${"x".repeat(1_024)}`)).toEqual(wrong);
    expect(JSON.stringify([wrong, unknown])).not.toContain("wrong>");
    expect(JSON.stringify(logged)).not.toContain("mypassword");
    expect(logged[0]).toEqual([
      "Login failed: wrong name or password",
      { address: "192.0.2.1", user: "ada" },
    ]);
    expect(await post("ada", "")).toMatchObject({ kind: "page", status: 400 });
    expect(await provider.step(loginRequest({ method: "POST" }), action)).toMatchObject({
      status: 400,
    });
    // Neither the file's fields nor properties of objects are names.
    for (const name of ["__proto__", "constructor", ""])
      expect(await post(name, "x")).toHaveProperty("html");
  });

  test("delays guessing, before any comparison", async () => {
    let now = 0;
    const { post } = await opened(line("ada", "secret"), () => now);
    for (let n = 0; n < 5; n++) expect(await post("ada", "x")).toMatchObject({ status: 403 });
    const held = await post("ada", "secret");
    expect(held).toMatchObject({
      status: 429,
      html: expect.stringContaining("Try again in 1 second."),
    });
    expect(await post("ada", "secret", { client: "198.51.100.1" })).toMatchObject({ kind: "done" });
    now += 1_000;
    expect(await post("ada", "secret")).toMatchObject({ kind: "done" });
  });

  test("reveals nothing to concurrent guesses", async () => {
    const { post } = await opened(line("ada", "secret"), () => 0);
    const sent = Array.from({ length: 12 }, (_, n) => post("ada", n === 11 ? "secret" : `x${n}`));
    const steps = await Promise.all(sent);
    const statuses = steps.map((step) => (step.kind === "page" ? step.status : step.kind));
    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
    expect(statuses.at(-1)).toBe(429);
  });

  test("refuses more comparisons than it has capacity for, and releases callers that leave", async () => {
    const { post } = await opened(line("ada", "secret"), () => 0);
    const sent = Array.from({ length: 40 }, (_, n) =>
      post(`user${n}`, "x", { client: `2001:db8:0:${n}::1` }),
    );
    const busy = (await Promise.all(sent)).filter(
      (step) => "status" in step && step.status === 503,
    );
    expect(busy.length).toBeGreaterThan(0);
    expect(busy[0]).toMatchObject({ html: expect.stringContaining("Try again in a moment.") });
    const reason = new Error("left");
    await expect(post("ada", "secret", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await post("ada", "secret")).toMatchObject({ kind: "done" });
  });

  test("reads the file again when it has changed, and keeps the users where it is invalid", async () => {
    const { file, post, logged } = await opened(line("ada", "secret"));
    await writeFile(file, line("bob", "hidden", ":staff"));
    expect(await post("ada", "secret")).toMatchObject({ status: 403 });
    expect(await post("bob", "hidden")).toMatchObject({ identity: { groups: ["staff"] } });
    logged.length = 0;
    await writeFile(file, `${line("bob", "other")}eve:{SHA}secrethash\n`);
    expect(await post("bob", "hidden")).toMatchObject({ kind: "done" });
    expect(await post("bob", "hidden")).toMatchObject({ kind: "done" });
    await rm(file);
    expect(await post("bob", "hidden")).toMatchObject({ kind: "done" });
    expect(logged).toEqual([
      [expect.stringContaining("is invalid: line 2: expected a hash by bcrypt"), undefined],
      [expect.stringContaining("cannot be read (ENOENT)"), undefined],
    ]);
    expect(JSON.stringify(logged)).not.toContain("secrethash");
    await writeFile(file, line("bob", "hidden2"));
    expect(await post("bob", "hidden2")).toMatchObject({ kind: "done" });
  });

  test("does not start with a file that is missing or invalid", async () => {
    await expect(opened("ada:secret")).rejects.toThrow(UsersFileFault);
    expect(() => createUsersProvider({ file: "/none/such", texts, log: silent })).toThrow(
      "cannot be read (ENOENT)",
    );
  });
});

describe("a users file", () => {
  const good = hash("x");
  test.each([
    ["ada", "line 1: expected a hash by bcrypt"],
    [`ada:${good}\nbob:$apr1$abc$def`, "line 2: expected a hash by bcrypt"],
    [`ada:${good}\nada:${good}`, "line 2: expected each name once"],
    [`:${good}`, "line 1: expected a name"],
    [`ada:${good}:a:b`, "line 1: expected name:hash or name:hash:group,group"],
    [`ada:${good}:a,,b`, "line 1: expected groups"],
    [`ada:${good.replace("$04$", "$31$")}`, "with a cost from 4 to 15, not 31"],
  ])("is refused: %s", (text, told) => {
    expect(() => parseUsers(text)).toThrow(told);
  });

  test("makes unknown users as expensive as the most expensive known one", () => {
    expect(parseUsers("").nobody).toMatch(/^\$2b\$12\$.{53}$/);
    expect(parseUsers(`ada:${good}\nbob:${good.replace("$04$", "$09$")}`).nobody).toMatch(
      /^\$2b\$09\$.{53}$/,
    );
  });
});
