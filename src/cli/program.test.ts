import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import { run } from "./program.ts";
import { styleFor } from "./style.ts";

/** The output of a command line, and its exit code. */
const ran = async (...args: readonly string[]) => {
  let [out, err] = ["", ""];
  const code = await run(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    outStyle: styleFor(false),
    errStyle: styleFor(false),
    outColumns: undefined,
    errColumns: 200,
    signal: new AbortController().signal,
  });
  return { code, out, err };
};

/** Every command with its own help. */
const commands = [
  "serve",
  "config",
  "config print",
  "config check",
  "formats",
  "inspect",
  "convert",
  "explain",
  "cache",
  "cache purge",
  "cache sweep",
  "cache stats",
  "delegate",
  "delegate check",
  "delegate call",
  "delegate init",
];

test.each([[[]], [["--help"]], [["-h"]], [["help"]]])(
  "vitrine %j lists the commands",
  async (args) => {
    const { code, out, err } = await ran(...args);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const command of commands.filter((words) => !words.includes(" ")))
      expect(out).toMatch(new RegExp(`^  ${command} `, "m"));
  },
);

test.each(commands)("vitrine %s has its own help, in both forms", async (words) => {
  const help = await ran("help", ...words.split(" "));
  expect(help).toEqual({
    code: 0,
    out: expect.stringContaining(`Usage: vitrine ${words} `),
    err: "",
  });
  expect(await ran(...words.split(" "), "--help")).toEqual(help);
  // The help of one command does not repeat the others.
  expect(help.out.match(/Usage:/g)).toHaveLength(1);
});

test("help runs nothing, wherever it stands", async () => {
  const { code, out } = await ran("convert", "absent", "b.tif", "-h");
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("vitrine convert") });
});

test("no line of help or advice is wider than 80 columns", async () => {
  const texts = await Promise.all([
    ran(),
    ...commands.map((words) => ran(...words.split(" "), "--help")),
  ]);
  for (const { out } of texts)
    for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
});

test("help is coloured where that is asked for, and plain otherwise", async () => {
  const plain = await ran("serve", "--help");
  expect(stripVTControlCharacters(plain.out)).toBe(plain.out);
  vi.stubEnv("FORCE_COLOR", "1");
  const coloured = await ran("serve", "--help");
  expect(coloured.out).toContain("\u001b[");
  expect(stripVTControlCharacters(coloured.out)).toBe(plain.out);
  vi.stubEnv("NO_COLOR", "1");
  expect((await ran("serve", "--help")).out).toBe(plain.out);
  vi.unstubAllEnvs();
});

test("a group without a subcommand shows its help as an error", async () => {
  const { code, out, err } = await ran("config");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("Usage: vitrine config ");
});

test.each([
  { args: ["serv"], says: "unknown command 'serv'\n(Did you mean serve?)" },
  { args: ["help", "serv"], says: "unknown command 'serv'" },
  { args: ["help", "config", "chek"], says: "unknown command 'chek'" },
  { args: ["config", "chek"], says: "unknown command 'chek'\n(Did you mean check?)" },
  { args: ["config", "print", "x"], says: "too many arguments for 'print'" },
  { args: ["config", "check"], says: "config check: expected a file, or VITRINE_CONFIG, or" },
  { args: ["config", "check", "absent"], says: "expected a configuration file at" },
  { args: ["config", "check", "--config", "absent"], says: "expected a configuration file at" },
  { args: ["config", "check", "a", "--config", "b"], says: "FILE or --config FILE, got both" },
  { args: ["config", "check", "."], says: "is not a regular file" },
  { args: ["inspect"], says: "expected a file or --identifier ID" },
  { args: ["inspect", "."], says: "inspect: expected a file, but '.' is a folder" },
  { args: ["inspect", "absent"], says: "inspect: there is no file 'absent'" },
  { args: ["delegate", "check", "absent.ts"], says: "there is no file 'absent.ts'" },
  { args: ["delegate", "check", "a.py"], says: "expected a file that ends in .ts, .mts, .js, " },
  { args: ["delegate", "init", "a.rb"], says: "expected a file in TypeScript or JavaScript" },
  {
    args: ["delegate", "call", "autorize"],
    says: "there is no method 'autorize'. Is authorize meant?",
  },
  {
    args: ["delegate", "call", "source", "--identifier", "a", "--header", "x"],
    says: "Expected 'Name: value'.",
  },
  {
    args: ["delegate", "call", "source", "--identifier", "a", "--cookie", "x"],
    says: "Expected name=value.",
  },
  { args: ["delegate", "init", "a.py"], says: "expected a file that ends in .ts, .mts, .js" },
  { args: ["explain"], says: "explain: expected a URL, or --budget" },
  { args: ["explain", "/", "absent"], says: "explain: there is no folder 'absent'" },
  { args: ["serve", "absent"], says: "serve: there is no folder 'absent'" },
  {
    args: ["serve", "package.json"],
    says: "serve: expected a folder, but 'package.json' is a file",
  },
  { args: ["serve", "a", "b"], says: "too many arguments for 'serve'" },
  { args: ["serve", "--prot", "80"], says: "unknown option '--prot'\n(Did you mean --port?)" },
  { args: ["serve", "--port", "99999"], says: "Expected a whole number from 0 to 65535." },
  { args: ["serve", "--config"], says: "option '-c, --config <file>' argument missing" },
  { args: ["serve", "--config", "absent"], says: "expected a configuration file at" },
  {
    args: ["serve", ".", "--config", "package.json"],
    says: "expected a folder or a configuration, got both",
  },
])("vitrine $args is refused with a message and exit code 2", async ({ args, says }) => {
  vi.stubEnv("VITRINE_CONFIG", undefined);
  const { code, out, err } = await ran(...args);
  vi.unstubAllEnvs();
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^vitrine: /);
  expect(err).toContain(says);
});
