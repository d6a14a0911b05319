import { explain } from "./cantaloupe.ts";
import { cantaloupeSample } from "./cantaloupe-sample.ts";
import { cantaloupeText, code, row } from "./describe.ts";
import { differences } from "./differences.ts";
import type { Definition, KeyGroup } from "./keys.ts";
import { definitionsOf } from "./layers.ts";
import { missingParts } from "./missing-parts.ts";
import { formatValue } from "./parse.ts";

/** Every key of Cantaloupe's sample file and its meaning here, as a Markdown table. */
export const keyComparison = (groups: readonly KeyGroup[]): string => {
  const definitions = definitionsOf(groups);
  return [
    "| Key | Here | Where it is not set: as Cantaloupe | Vitrine's own | Remark |",
    "|---|---|---|---|---|",
    ...cantaloupeSample.map((key) => {
      const definition = definitions.get(key);
      return definition ? definedRow(key, definition) : explainedRow(key);
    }),
  ].join("\n");
};

/**
 * The keys that make the server behave as Cantaloupe does, and that Cantaloupe does not have, as a
 * Markdown table.
 */
export const behaviourTable = (groups: readonly KeyGroup[]): string => {
  const sample = new Set(cantaloupeSample);
  return [
    "| Key | As Cantaloupe | Vitrine's own | What it decides |",
    "|---|---|---|---|",
    ...[...definitionsOf(groups)]
      .filter(([key, { cantaloupe }]) => cantaloupe !== undefined && !sample.has(key))
      .map(([key, definition]) =>
        row([
          code(key),
          cantaloupeText(definition) ?? "",
          usualText(definition),
          definition.doc.replace(/\s+/g, " "),
        ]),
      ),
  ].join("\n");
};

const definedRow = (key: string, definition: Definition): string => {
  const { verdict, remark } = differences[key] ?? { verdict: "same", remark: "" };
  const usual = usualText(definition);
  return row([code(key), verdict, cantaloupeText(definition) ?? usual, usual, remark]);
};

const explainedRow = (key: string): string => {
  const { reason, explanation } = explain(key) ?? { reason: "meaningless", explanation: "" };
  const protects = missingParts.some((part) => part.key === key && part.protects);
  const remark = protects
    ? `${explanation} Switched on, it keeps the server from starting (\`unsupported_protection\`).`
    : explanation;
  return row([code(key), reason === "later" ? "not yet" : "not needed", "", "", remark]);
};

const usualText = (definition: Definition): string => {
  const text = formatValue(definition, definition.default);
  if (text !== "") return code(text);
  return "share" in definition && definition.share !== undefined
    ? "a share of the memory"
    : "not set";
};
