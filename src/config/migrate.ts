import { assess } from "./assess.ts";
import { explain } from "./cantaloupe.ts";
import { type Chain, type ChainSetting, find, textsIn } from "./chain.ts";
import { wrapped } from "./describe.ts";
import type { Definition, KeyGroup } from "./keys.ts";
import { definitionsOf } from "./layers.ts";
import { missingParts } from "./missing-parts.ts";
import { numberOf } from "./numbered.ts";
import { blankValue, expectation, formatValue } from "./parse.ts";
import { type ConfigurationProblem, type Problems, sorted } from "./problems.ts";

/** A converted Cantaloupe configuration, and the result for each key. */
export interface Migration {
  /** The new file: complete, with comments, by groups. */
  readonly text: string;
  /** The files it was made from. */
  readonly files: readonly string[];
  /** Why the file is Cantaloupe's; undefined where nothing in it says so. */
  readonly because: string | undefined;
  /** Set where the file declares itself Vitrine's own, so that there is nothing to do. */
  readonly isOurs: boolean;
  /** Every key of the new file that some part of the server reads. */
  readonly entries: readonly MigratedKey[];
  /** Keys that were omitted because they have no effect, each with its explanation. */
  readonly dropped: readonly { readonly key: string; readonly remark: string }[];
  /** Unknown keys. */
  readonly unknown: readonly string[];
  /** Remarks on the old file. */
  readonly problems: Problems;
}

/** One key of the new file. */
export interface MigratedKey {
  readonly key: string;
  readonly definition: Definition;
  /** As written. */
  readonly text: string;
  /**
   * `kept`: set in the old file; `default`: Cantaloupe's own default, made explicit; `corrected`: in
   * place of an invalid value.
   */
  readonly how: "kept" | "default" | "corrected";
}

/**
 * Converts a Cantaloupe configuration so that it means the same to Vitrine without compatibility
 * mode: Cantaloupe's defaults are made explicit, keys without effect are omitted, and extended
 * files are merged. The environment is ignored.
 */
export const migrate = (chain: Chain, groups: readonly KeyGroup[]): Migration => {
  const known = definitionsOf(groups);
  const layers = { given: {}, chain, env: {} };
  const asFound = assess(known, { ...layers, runtime: new Map() });
  const { evaluated, problems } =
    asFound.evaluated.compatible === undefined
      ? assess(known, { ...layers, runtime: new Map([["compatibility", "cantaloupe"]]) })
      : asFound;
  const { definitions } = evaluated;
  const invalid = new Set(problems.flatMap(({ key, givenWay }) => (givenWay ? [key] : [])));
  const entryOf = (key: string, definition: Definition): MigratedKey | undefined => {
    if (key === "compatibility") return { key, definition, text: "none", how: "kept" };
    const set = find(chain, key);
    const isInvalid = invalid.has(key);
    if (set !== undefined && set.value !== "" && !isInvalid)
      return { key, definition, text: set.value, how: "kept" };
    const value = evaluated.values[key];
    const isUsual = JSON.stringify(value) === JSON.stringify(definition.default);
    if (isUsual && definition.cantaloupe === undefined && !isInvalid && !hides(set, definition))
      return undefined;
    const text = formatValue(definition, value);
    return { key, definition, text, how: isInvalid ? "corrected" : "default" };
  };
  const written = groups.flatMap(({ title, keys, numbered }) => {
    const further = [...definitions].filter(
      ([key]) => numbered !== undefined && numberOf(numbered.prefix, key) !== undefined,
    );
    const entries = [...Object.entries(keys), ...further].flatMap(([key, definition]) => {
      const entry = entryOf(key, definition);
      return entry ? [entry] : [];
    });
    return entries.length === 0 ? [] : [{ title, entries }];
  });
  const others = [...textsIn(chain)].filter(
    ([key, text]) => text !== "" && key !== "extends" && !definitions.has(key),
  );
  const kept = others.filter(([key, text]) => isKept(key, text));
  const left = others.filter(([key, text]) => !isKept(key, text)).map(([key]) => key);
  return {
    text: [
      head(chain.paths),
      ...written.map(({ title, entries }) =>
        [rule(title), ...entries.map((entry) => entryText(entry, problems))].join("\n"),
      ),
      ...(kept.length === 0 ? [] : [keptText(kept)]),
    ].join("\n"),
    files: chain.paths,
    isOurs: asFound.evaluated.values["compatibility"] === "none",
    because: asFound.evaluated.compatible,
    entries: written.flatMap(({ entries }) => entries),
    dropped: left.flatMap((key) => {
      const remark = problems.find((problem) => problem.key === key)?.remark;
      return remark === undefined ? [] : [{ key, remark }];
    }),
    unknown: left.filter((key) => explain(key) === undefined),
    problems: sorted(problems),
  };
};

/** Whether an empty key keeps a value from applying by default. */
const hides = (set: ChainSetting | undefined, definition: Definition): boolean =>
  set !== undefined && blankValue(definition) !== definition.default;

/**
 * Whether a key that nothing reads yet asks for a future feature, and must not be forgotten until
 * then.
 */
const isKept = (key: string, text: string): boolean =>
  explain(key)?.reason === "later" ||
  missingParts.some((part) => part.key === key && part.asks(text));

const head = (
  files: readonly string[],
): string => `# Configuration of Vitrine, written by \`vitrine config migrate\` from
${files.map((file) => `# ${file}`).join("\n")}
# so that it means the same without any compatibility with Cantaloupe. What is marked as
# "Cantaloupe's default" was not set there; remove such a line to have Vitrine's own default.
# \`vitrine config print\` prints every key there is.
`;

const width = 96;

const rule = (title: string): string => `${"#".repeat(width)}\n# ${title}\n${"#".repeat(width)}\n`;

const entryText = (
  { key, definition, text, how }: MigratedKey,
  problems: readonly ConfigurationProblem[],
): string => {
  const remark =
    key === "compatibility"
      ? "Cantaloupe's defaults are spelled out below."
      : definition.doc.replace(/\s+/g, " ");
  const usual = formatValue(definition, definition.default);
  const bad = problems.find((problem) => problem.givenWay && problem.key === key);
  const why = {
    kept: undefined,
    default: `Cantaloupe's default; Vitrine's own is ${usual === "" ? "not set" : usual}.`,
    corrected: `In place of a value that is not ${expectation(definition)}: ${bad?.message ?? ""}`,
  }[how];
  const lines = [remark, ...(why === undefined ? [] : [why])];
  return [
    ...lines.flatMap((line) => wrapped(line, width - 2)).map((line) => `# ${line}`),
    `${key} = ${text}`.trimEnd(),
    "",
  ].join("\n");
};

const keptText = (kept: readonly (readonly [string, string])[]): string =>
  [
    rule("Parts of Cantaloupe's that Vitrine does not have yet"),
    ...kept.map(([key, text]) => `${key} = ${text}`),
    "",
  ].join("\n");
