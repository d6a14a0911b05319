import { describe, expect, it } from "vitest";
import { Config } from "../config/store.ts";
import { type Logger, silent } from "../core/log.ts";
import { accessFaults, createPolicy } from "./policy.ts";

const good = { "access.rules.1.action": "deny" };
const open = { "access.rules.1.action": "allow" };

const faultsOf = (
  values: Readonly<Record<string, unknown>>,
  { names = [], variables = [] }: { names?: readonly string[]; variables?: readonly string[] } = {},
) => accessFaults({ values, names, variables }).map(({ message }) => message);

describe("what is wrong with access rules", () => {
  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ "access.rules.7.identifier": "^a" }, "access.rules.7.action: expected allow or deny"],
    [
      { ...good, "access.rules.1.identifier": "(?!a)" },
      "access.rules.1.identifier: expected a regular",
    ],
    [
      { ...good, "access.rules.1.address": ["10.0.0.0/33"] },
      "access.rules.1.address: expected addresses",
    ],
    [{ ...good, "access.rules.1.address": ["10.0.0.1", "example.org"] }, "got example.org."],
    [{ ...good, "access.rules.1.address": ["10.0.0.0/"] }, "got 10.0.0.0/."],
    [
      { ...good, "access.rules.1.token": "short" },
      "access.rules.1.token: expected tokens of at least 16",
    ],
    [{ ...good, "access.rules.1.token": "sha256:00" }, "access.rules.1.token: expected tokens"],
    [
      { ...good, "access.rules.1.header_value": "x" },
      "access.rules.1.header_value: expected a name",
    ],
    [
      { ...good, "access.rules.1.watermark": "a.png" },
      "access.rules.1.watermark: belongs to rules with action = allow.",
    ],
    [
      { ...open, "access.rules.1.watermark_position": "center" },
      "access.rules.1.watermark_position: expected watermark as well",
    ],
    [
      { ...open, "access.rules.1.watermark": "a.png", "access.rules.1.watermark_position": "up" },
      "access.rules.1.watermark_position: expected a position",
    ],
    [{ ...open, "access.rules.1.watermark": "text: " }, "expected a text of 1 to 2000 characters"],
    [
      {
        ...open,
        "access.rules.1.watermark": "text: a",
        "access.rules.1.watermark_position": "repeat",
      },
      "repeat is for images only",
    ],
    [{ ...good, "access.rules.1.header": "a b" }, "access.rules.1.header: expected the name"],
    [
      { ...good, "access.rules.1.max_size": 5 },
      "access.rules.1.max_size: belongs to rules with action = allow.",
    ],
    [
      { "access.rules.1.action": "allow", "access.rules.1.status": "404" },
      "access.rules.1.status: belongs to rules with action = deny.",
    ],
    [{ "access.signatures.keys": "k1:short" }, "access.signatures.keys: expected id:secret"],
    [
      { "access.signatures.keys": "a:0123456789abcdef a:fedcba9876543210" },
      "access.signatures.keys: expected a different id",
    ],
    [{ "access.signatures.required": "all" }, "access.signatures.required: expected off, since"],
    [{ "access.signatures.required": "(" }, "access.signatures.required: expected off, all or"],
  ])("%j", (values, message) => {
    expect(faultsOf(values)).toEqual([expect.stringContaining(message)]);
  });

  it("never reveals a secret", () => {
    const secret = "s3cr:t";
    const told = faultsOf({
      ...good,
      "access.rules.1.token": secret,
      "access.signatures.keys": secret,
    });
    expect(told).toHaveLength(2);
    expect(told.join()).not.toContain(secret);
  });

  it("is every unknown key, in files and in the environment", () => {
    const names = [
      "access.rules.1.adress",
      "access.rules.0.action",
      "access.defualt",
      "max_pixels",
    ];
    expect(faultsOf(good, { names })).toEqual([
      expect.stringContaining("access.rules.1.adress: there is no such key"),
      expect.stringContaining("access.rules.0.action: there is no such key"),
      expect.stringContaining("access.defualt: there is no such key"),
    ]);
    const variables = ["ACCESS_RULES_1_ADDRESS", "ACCESS_RULES_1_ADRESS", "PATH"];
    expect(faultsOf(good, { variables })).toEqual([
      expect.stringContaining("ACCESS_RULES_1_ADRESS:"),
    ]);
  });

  it("is nothing where everything is right, or nothing is configured", () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf(good, { names: Object.keys(good) })).toEqual([]);
  });
});

describe("the policy of a configuration", () => {
  it("is none where nothing is configured", () => {
    expect(createPolicy(new Config(), silent)()).toBeUndefined();
  });

  it("refuses to start with invalid rules", () => {
    const config = new Config({ "access.rules.3.identifier": "a" });
    expect(() => createPolicy(config, silent)).toThrow(
      "access.rules.3.action: expected allow or deny",
    );
  });

  it("follows changes, and keeps the previous rules where new ones are invalid", () => {
    const config = new Config(good);
    const errors: string[] = [];
    const log: Logger = { ...silent, error: (message) => errors.push(message) };
    const policy = createPolicy(config, log);
    expect(policy()?.rules.map(({ number }) => number)).toEqual([1]);
    config.replace({ ...good, "access.rules.2.action": "allow" });
    expect(policy()?.rules.map(({ number }) => number)).toEqual([1, 2]);
    config.replace({ "access.rules.1.identifier": "(" });
    expect(policy()?.rules.map(({ number }) => number)).toEqual([1, 2]);
    expect([policy()?.rules.length, errors.length]).toEqual([2, 1]);
    config.replace({});
    expect(policy()).toBeUndefined();
  });
});
