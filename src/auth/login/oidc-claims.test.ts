import { describe, expect, test } from "vitest";
import { identityIn, isIncomplete } from "./oidc-claims.ts";

describe("claims", () => {
  test("name a person and groups", () => {
    const names = { nameClaim: "email", groupsClaim: "https://example.org/groups" };
    const claims = {
      sub: "1",
      email: " ada@example.org ",
      "https://example.org/groups": ["a", 7, "", "a"],
    };
    expect(identityIn(claims, names)).toEqual({ name: "ada@example.org", groups: ["a"] });
    expect(isIncomplete(claims, names)).toBe(false);
    expect(identityIn({ email: "ada" }, { nameClaim: "email" })).toEqual({
      name: "ada",
      groups: [],
    });
    expect(
      identityIn({ sub: "1", roles: "b" }, { nameClaim: "sub", groupsClaim: "roles" }),
    ).toEqual({
      name: "1",
      groups: ["b"],
    });
  });

  test("are found within objects", () => {
    const names = { nameClaim: "user.name", groupsClaim: "realm_access.roles" };
    const claims = { user: { name: "ada" }, realm_access: { roles: ["staff"] } };
    expect(identityIn(claims, names)).toEqual({ name: "ada", groups: ["staff"] });
    expect(isIncomplete(claims, names)).toBe(false);
    expect(isIncomplete({ user: { name: "ada" }, realm_access: [] }, names)).toBe(true);
    expect(identityIn({ user: "ada" }, { nameClaim: "user.constructor" })).toBeUndefined();
  });

  test("that are no valid names name nobody", () => {
    for (const name of [undefined, 7, "", " ", "a\nb", "a".repeat(256), ["ada"]])
      expect(identityIn({ name }, { nameClaim: "name" })).toBeUndefined();
    expect(identityIn({}, { nameClaim: "constructor" })).toBeUndefined();
    const unverified = { email: "ada@example.org", email_verified: false };
    expect(identityIn(unverified, { nameClaim: "email" })).toBeUndefined();
  });

  test("are incomplete without one that is configured", () => {
    expect(isIncomplete({ sub: "1" }, { nameClaim: "name" })).toBe(true);
    expect(isIncomplete({ name: "a" }, { nameClaim: "name", groupsClaim: "groups" })).toBe(true);
    expect(isIncomplete({ name: "a" }, { nameClaim: "name", groupsClaim: "" })).toBe(false);
  });
});
