import { describe, expect, it } from "vitest";
import { ServerError } from "../core/errors.ts";
import { library } from "./library.ts";

const failureOf = (load: () => Promise<unknown>): Promise<unknown> =>
  library("some-client@1.2.3", { load, purpose: "SomeCache" }).catch((error: unknown) => error);

describe("a client library", () => {
  it("is loaded", async () => {
    const loaded = library("x@1.0.0", { load: async () => ({ a: 1 }), purpose: "X" });
    expect(await loaded).toEqual({ a: 1 });
  });

  it("that is not installed is reported with the command that installs it", async () => {
    const absent = "no-such-package-anywhere";
    const error = await failureOf(() => import(absent));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({
      failure: "malformed",
      message: "SomeCache needs a package that is not installed: npm install some-client@1.2.3",
    });
  });

  it("that fails while loading is reported with the cause", async () => {
    const cause = new Error("no binary for this machine");
    const error = await failureOf(() => Promise.reject(cause));
    expect(error).toMatchObject({ failure: "internal", cause });
  });
});
