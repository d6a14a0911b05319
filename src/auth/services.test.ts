import { describe, expect, test } from "vitest";
import { authFaults, isOrigin, readAuth } from "./services.ts";

const secret = { "auth.secret": "a-secret-of-32-characters-or-more" };
const terms = {
  "auth.services.1.name": "terms",
  "auth.services.1.provider": "click-through",
  "auth.services.1.label": "Agree",
};

const faultsOf = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  authFaults({ values, names: Object.keys(values), variables: [] }).map(({ key }) => key);

describe("auth services", () => {
  test("are read in the order of their numbers", () => {
    const { settings, faults } = readAuth({
      ...secret,
      "auth.services.20.name": "room",
      "auth.services.20.profile": "external",
      ...terms,
      "auth.services.1.note": "",
    });
    expect(faults).toEqual([]);
    expect([...(settings?.services.keys() ?? [])]).toEqual(["terms", "room"]);
    expect(settings?.services.get("terms")).toEqual({
      name: "terms",
      profile: "active",
      provider: "click-through",
      users: "",
      header: { name: "", groups: "" },
      label: "Agree",
      sessionSeconds: 28_800,
    });
  });

  test("are none where none is configured", () => {
    expect(readAuth({})).toEqual({ settings: undefined, faults: [] });
  });

  test.each([
    ["auth.secret", terms],
    ["auth.secret", { ...terms, "auth.secret": "short" }],
    ["auth.secret", { ...terms, "auth.secret": `${secret["auth.secret"]}, short` }],
    ["auth.services.1.label", { ...secret, ...terms, "auth.services.1.label": "" }],
    ["auth.services.1.provider", { ...secret, ...terms, "auth.services.1.provider": "" }],
    ["auth.services.1.provider", { ...secret, ...terms, "auth.services.1.profile": "kiosk" }],
    ["auth.services.1.name", { ...secret, ...terms, "auth.services.1.name": "a b" }],
    [
      "auth.services.2.name",
      { ...secret, ...terms, "auth.services.2.name": "terms", "auth.services.2.profile": "kiosk" },
    ],
    ["auth.services.1.users", { ...secret, ...terms, "auth.services.1.provider": "users" }],
    ["auth.services.1.users", { ...secret, ...terms, "auth.services.1.users": "users.txt" }],
    ["auth.services.1.header", { ...secret, ...terms, "auth.services.1.provider": "header" }],
    ["auth.services.1.oidc.issuer", { ...secret, ...terms, "auth.services.1.oidc.issuer": "x" }],
    [
      "auth.services.1.oidc.client_id",
      {
        ...secret,
        ...terms,
        "auth.services.1.provider": "oidc",
        "auth.services.1.oidc.issuer": "https://login.example.org",
      },
    ],
    ["auth.services.1.note", { ...secret, ...terms, "auth.services.1.note": "A note" }],
    ["auth.services.1.labels", { ...secret, ...terms, "auth.services.1.labels": "A" }],
    ["auth.secrets", { ...secret, ...terms, "auth.secrets": "A" }],
    ["auth.origins", { ...secret, ...terms, "auth.origins": ["example.org"] }],
    ["auth.language", { ...secret, ...terms, "auth.language": "<en>" }],
    ["access.rules.3.auth", { ...secret, ...terms, "access.rules.3.auth": "nobody" }],
    ["access.rules.3.auth", { "access.rules.3.auth": "nobody" }],
  ])("are refused by %s", (key, values) => {
    expect(faultsOf(values)).toEqual([key]);
  });

  test("know an issuer of OpenID Connect", () => {
    const { settings, faults } = readAuth({
      ...secret,
      ...terms,
      "auth.services.1.provider": "oidc",
      "auth.services.1.oidc.issuer": "https://login.example.org",
      "auth.services.1.oidc.client_id": "vitrine",
      "auth.services.1.oidc.scopes": ["openid", "groups"],
    });
    expect(faults).toEqual([]);
    expect(settings?.services.get("terms")?.oidc).toEqual({
      issuer: "https://login.example.org",
      clientId: "vitrine",
      clientSecret: "",
      scopes: "openid groups",
      nameClaim: "preferred_username",
      groupsClaim: "groups",
    });
  });

  test("leave Cantaloupe's keys to the report on missing protection", () => {
    expect(faultsOf({ "auth.basic.enabled": false, "auth.basic.secret": "x" })).toEqual([]);
  });

  test("know origins as browsers write them", () => {
    expect(["https://a.example", "http://localhost:8080"].every(isOrigin)).toBe(true);
    for (const text of [
      "",
      "null",
      "*",
      "https://a.example/",
      "https://A.example",
      "a.example",
      "ftp://a.example",
      "https://a.example:443",
      "javascript:alert(1)",
    ])
      expect(isOrigin(text), text).toBe(false);
  });
});
