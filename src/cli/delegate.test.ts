import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startHttpDelegate } from "../../test/servers/http-delegate.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
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

describe("vitrine delegate init", () => {
  test.each(["d.ts", "d.mts", "d.mjs", "d.cjs"])("writes %s, which can be loaded", async (name) => {
    const folder = await temporaryFolder();
    const file = join(folder, name);
    const written = await ran("delegate", "init", file);
    expect([written.code, written.err]).toEqual([0, ""]);
    expect(written.out).toContain(`delegate_script.pathname = ${file}`);
    const checked = await ran("delegate", "check", file);
    expect(checked).toEqual({
      code: 0,
      out: expect.stringMatching(/^methods {2}pre_authorize\n {9}authorize\n/),
      err: "",
    });
  });

  test("never replaces a file", async () => {
    const folder = await temporaryFolder({ "d.ts": "precious" });
    const { code, out, err } = await ran("delegate", "init", join(folder, "d.ts"));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("the file exists already; nothing was written");
    expect(await readFile(join(folder, "d.ts"), "utf8")).toBe("precious");
  });

  test("writes TypeScript that the published types accept", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "d.ts");
    await ran("delegate", "init", file);
    const types = fileURLToPath(new URL("../delegate/types.ts", import.meta.url));
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: [],
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
      paths: { vitrine: [types] },
    });
    const problems = ts.getPreEmitDiagnostics(program);
    expect(problems.map(({ messageText }) => messageText)).toEqual([]);
  });
});

const rules = `
export default class {
  context: any;
  pre_authorize(): unknown {
    const { client_ip, cookies, identifier, request_headers } = this.context;
    if (identifier === "broken") throw new TypeError("no rule");
    if (identifier === "odd") return { status_code: "200" };
    return identifier === "secret" && cookies.key !== "1" && request_headers["X-Key"] !== "1"
      ? client_ip === "10.0.0.1"
      : true;
  }
  deserializeMetaIdentifier(text: string) { return { identifier: text.slice(1) }; }
  metadata() { return null; }
  autorize() { return false; }
}`;

describe("vitrine delegate call", () => {
  const call = async (method: string, identifier: string, ...more: readonly string[]) => {
    const folder = await temporaryFolder({ "d.ts": rules });
    return ran("delegate", "call", method, "-i", identifier, ...more, join(folder, "d.ts"));
  };

  test("prints the result and its interpretation, and warns", async () => {
    expect(await call("pre_authorize", "open")).toEqual({
      code: 0,
      out: 'answer      true\nunderstood  {"kind":"allow"}\n',
      err: "warning: The delegate's method autorize is never called. Is authorize meant?\n",
    });
  });

  test.each([
    [[], '{"kind":"deny","status":403}'],
    [["--client-ip", "10.0.0.1"], '{"kind":"allow"}'],
    [["--cookie", "a=b", "--cookie", "key=1"], '{"kind":"allow"}'],
    [["--header", "X-Key: 1", "--header", "Accept: */*"], '{"kind":"allow"}'],
  ])("tells the delegate of the client: %j", async (options, understood) => {
    const { code, out } = await call("preAuthorize", "secret", ...options);
    expect([code, out.split("understood  ")[1]]).toEqual([0, `${understood}\n`]);
  });

  test("hands meta-identifiers over", async () => {
    const { out } = await call("deserialize_meta_identifier", "xa");
    expect(out).toContain('understood  {"identifier":"a","page_number":null');
  });

  test("shows the meaning of null", async () => {
    expect((await call("metadata", "a")).out).toBe("answer      null\nunderstood  null\n");
  });

  test.each([
    ["broken", "threw TypeError: no rule", "d.ts:6:"],
    ["odd", "should answer true, false, or an object", 'answer      {"status_code":"200"}'],
  ])("fails with 1 where the server would: %s", async (identifier, says, more) => {
    const { code, out, err } = await call("pre_authorize", identifier);
    expect(code).toBe(1);
    expect(err).toContain(says);
    expect(out + err).toContain(more);
  });
});

describe("a delegate over HTTP", () => {
  const secret = "a secret of 16 or more";
  const served = async () => {
    const server = await startHttpDelegate(({ name, body }) => ({
      json:
        name === "methods"
          ? {
              methods: { pre_authorize: { context: ["identifier", "cookies.key"] }, authorize: {} },
            }
          : JSON.parse(body).context.cookies?.key === "1" || null,
    }));
    onTestFinished(() => server.close());
    vi.stubEnv("DELEGATE_HTTP_SECRET", secret);
    onTestFinished(() => void vi.unstubAllEnvs());
    return server;
  };

  test("is checked by its address", async () => {
    const { url } = await served();
    expect(await ran("delegate", "check", url)).toEqual({
      code: 0,
      out: `methods  pre_authorize (is sent identifier, cookies.key)\n         authorize (is sent all of the context)\naddress  ${url}\n`,
      err: "",
    });
  });

  test("is called by its address, or by that of the configuration", async () => {
    const { url } = await served();
    const call = ["delegate", "call", "pre_authorize", "-i", "a"];
    const allowed = { code: 0, out: 'answer      true\nunderstood  {"kind":"allow"}\n', err: "" };
    expect(await ran(...call, url, "--cookie", "key=1")).toEqual(allowed);
    const refused = await ran(...call, url);
    expect([refused.code, refused.out]).toEqual([1, "answer      null\n"]);
    expect(refused.err).toContain("should answer true, false");
    const folder = await temporaryFolder({ "v.properties": `delegate.http.url = ${url}\n` });
    const config = ["--config", join(folder, "v.properties")];
    expect(await ran(...call, ...config, "--cookie", "key=1")).toEqual(allowed);
  });

  test("fails with 2 where it cannot be reached", async () => {
    const server = await served();
    await server.close();
    const { code, err } = await ran("delegate", "check", server.url);
    expect(code).toBe(2);
    expect(err).toMatch(/The delegate http:\S+ could not be asked: .*ECONNREFUSED/);
  });

  test("needs a secret, and a valid URL", async () => {
    const { url } = await served();
    expect((await ran("delegate", "check", `${url}?a=1`)).err).toContain("expected an address");
    vi.unstubAllEnvs();
    const { code, err } = await ran("delegate", "check", url);
    expect([code, err]).toEqual([2, expect.stringContaining("DELEGATE_HTTP_SECRET")]);
  });

  test("is tried by config check --connect", async () => {
    const server = await served();
    const folder = await temporaryFolder();
    const file = join(folder, "v.properties");
    await writeFile(
      file,
      `delegate.http.url = ${server.url}\nFilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/\n`,
    );
    const found = await ran("config", "check", "--connect", file);
    expect([found.code, found.out]).toEqual([
      0,
      expect.stringMatching(/delegate\.http\.url \(delegate\.http\): reachable \(\d+ ms\)/),
    ]);
    await server.close();
    const lost = await ran("config", "check", "--connect", file);
    expect([lost.code, lost.out]).toEqual([
      2,
      expect.stringContaining("the server refuses connections"),
    ]);
  });
});

describe("the delegate of a configuration", () => {
  const configured = async (script: string) => {
    const folder = await temporaryFolder({
      "v.properties": "delegate_script.enabled = true\ndelegate_script.pathname = rules/d.ts\n",
      "rules/d.ts": script,
    });
    return join(folder, "v.properties");
  };

  test("is checked and called without its name", async () => {
    const path = await configured(rules);
    expect((await ran("delegate", "check", "--config", path)).out).toContain("rules/d.ts");
    const called = await ran("delegate", "call", "pre_authorize", "-i", "a", "--config", path);
    expect(called.out).toContain("allow");
  });

  test("is loaded by config check, which warns of odd names", async () => {
    const { code, out } = await ran("config", "check", await configured(rules));
    expect(code).toBe(0);
    expect(out).toContain("The delegate's method autorize is never called. Is authorize meant?");
  });

  test.each([
    ["\nconst a: = 3", "d.ts:2:10: Unexpected token"],
    ["export default class { authorize = true }", "authorize: expected a method, got true"],
  ])(
    "keeps the server from starting where it is broken, says config check",
    async (script, says) => {
      const path = await configured(script);
      const { code, out } = await ran("config", "check", path);
      expect(code).toBe(2);
      expect(out).toContain(says);
      expect(out).toContain("the server would not start");
      const checked = await ran("delegate", "check", "--config", path);
      expect(checked.code).toBe(2);
      expect(checked.err).toContain(says);
    },
  );
});
