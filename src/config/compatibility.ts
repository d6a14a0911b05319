import { explain } from "./cantaloupe.ts";
import { defineKeys } from "./keys.ts";

/** Whose defaults hold. */
export const compatibilityKeys = defineKeys({
  compatibility: {
    type: "choice",
    choices: ["auto", "cantaloupe", "none"],
    default: "auto",
    fileOnly: "trust",
    doc: "Whether keys that are not set have the values that sites moved over from Cantaloupe rely on, as the keys' own explanations say: always with `cantaloupe`, never with `none`, and with `auto` where a configuration file sets keys that only Cantaloupe has a use for, such as `processor.selection_strategy`.",
  },
});

/** Whether there are any among these keys that only Cantaloupe ever had a use for. */
export const areOfCantaloupe = (keys: Iterable<string>): boolean => {
  for (const key of keys) {
    const reason = explain(key)?.reason;
    // Keys of parts that are to come will be Vitrine's own.
    if (reason !== undefined && reason !== "later") return true;
  }
  return false;
};
