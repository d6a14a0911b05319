import { describe, expect, it } from "vitest";
import { loggable } from "../clients/loggable-error.ts";
import { ServerError } from "../core/errors.ts";
import { diagnose } from "./diagnosis.ts";
import { StoreFailure } from "./remote/failures.ts";

const coded = (code: string, message = "it failed"): Error =>
  Object.assign(new Error(message), { code });
const named = (name: string, message = "it failed"): Error =>
  Object.assign(new Error(message), { name });

describe("the diagnosis of a source", () => {
  it.each([
    [coded("ENOTFOUND"), "resolved"],
    [named("Error", "getaddrinfo EAI_AGAIN images.example.org"), "resolved"],
    [coded("ECONNREFUSED"), "refuses connections"],
    [coded("ERR_TLS_CERT_ALTNAME_INVALID"), "TLS"],
    [coded("DEPTH_ZERO_SELF_SIGNED_CERT"), "TLS"],
    [coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "TLS"],
    [coded("UND_ERR_CONNECT_TIMEOUT"), "in time"],
    [new ServerError("late", "The storage did not answer in time."), "in time"],
    [coded("ECONNRESET"), "closes connections"],
    [named("NoSuchBucket"), "no such bucket"],
    [coded("ContainerNotFound"), "no such container"],
    [named("InvalidAccessKeyId"), "credentials are refused"],
    [Object.assign(new Error("no"), { statusCode: 401 }), "credentials are refused"],
    [named("CredentialsProviderError"), "no credentials"],
    [named("AccessDenied"), "access is denied"],
    [new ServerError("denied", "It may not be read."), "access is denied"],
    [named("PermanentRedirect"), "another region"],
    [coded("28P01"), "credentials are refused"],
    [coded("42P01"), "statement"],
    [named("ForbiddenAddress"), "may not read"],
    [named("BadRedirect"), "redirects"],
    [new Error("https://a.example/ answered 401."), "credentials are refused"],
    [new Error("https://a.example/ answered 503."), "answers with an error"],
    [loggable(coded("ECONNREFUSED", "")), "refuses connections"],
    [coded("ERR_MODULE_NOT_FOUND"), "not installed"],
    [coded("ENOENT"), "no such folder"],
    [
      Object.assign(new Error("no"), { $metadata: { httpStatusCode: 503 } }),
      "answers with an error",
    ],
    [new Error("what?"), "as expected"],
    ["not even an error", "as expected"],
  ])("is found behind %s", (error, found) => {
    expect(diagnose(error).found).toContain(found);
    const wrapped = new StoreFailure("a place", { retry: true, cause: error });
    if (error instanceof Error && !(error instanceof ServerError)) {
      expect(diagnose(wrapped).found).toContain(found);
      // From name and message alone, also once the rest is lost.
      if (!("code" in error || "statusCode" in error || "$metadata" in error))
        expect(diagnose(new Error("about it", { cause: loggable(error) })).found).toContain(found);
    }
  });

  it("is found behind one of several attempts, and in a circle of causes", () => {
    const both = new AggregateError([coded("ENETUNREACH"), coded("ENETUNREACH")], "all failed");
    expect(diagnose(new Error("no", { cause: both })).found).toContain("no route");
    const one = new Error("one");
    one.cause = new Error("other", { cause: one });
    expect(diagnose(one).found).toContain("as expected");
  });

  it("reveals no names or addresses", () => {
    const error = coded("ENOTFOUND", "getaddrinfo ENOTFOUND secret.internal");
    expect(JSON.stringify(diagnose(error))).not.toContain("secret");
  });
});
