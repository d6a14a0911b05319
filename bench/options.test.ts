import { describe, expect, it } from "vitest";
import { benchOptions, serverBase } from "./options.ts";

describe("the command line of a benchmark", () => {
  it("needs a list and nothing else", () => {
    expect(benchOptions(["--urls", "a.txt"])).toMatchObject({
      urls: ["a.txt"],
      clients: 8,
      seconds: 10,
      warmup: 2,
      once: false,
      json: false,
    });
    expect(() => benchOptions([])).toThrow("--urls");
  });

  it("does not warm up what is to be asked once", () => {
    expect(benchOptions(["--urls", "a.txt", "--once"])).toMatchObject({ once: true, warmup: 0 });
  });

  it.each([
    ["--clients", "0"],
    ["--clients", "257"],
    ["--clients", "many"],
    ["--seconds", "1e3"],
    ["--seconds", "3601"],
    ["--requests", "-1"],
    ["--name", "../../elsewhere"],
  ])("refuses %s %s", (name, value) => {
    expect(() => benchOptions(["--urls", "a.txt", `${name}=${value}`])).toThrow(name);
  });

  it.each(["http://127.0.0.1:8182", "http://localhost", "http://[::1]:9000", "http://127.9.9.9"])(
    "takes %s for this machine",
    (base) => {
      expect(serverBase(base, { remote: false }).href).toContain(base);
    },
  );

  it.each(["http://example.org", "http://10.0.0.1", "http://localhost.example.org"])(
    "loads %s only when that is allowed",
    (base) => {
      expect(() => serverBase(base, { remote: false })).toThrow("--allow-remote");
      expect(serverBase(base, { remote: true }).href).toContain(base);
    },
  );

  it("refuses what is no http address", () => {
    expect(() => serverBase("127.0.0.1:8182", { remote: false })).toThrow("http://");
    expect(() => serverBase("ftp://127.0.0.1", { remote: false })).toThrow("http://");
  });
});
