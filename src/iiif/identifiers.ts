import { defineKeys, type Settings } from "../config/keys.ts";
import type { IdentifierSyntax } from "../core/identifier.ts";
import { dialectKeys } from "./dialect.ts";

/** Keys of identifiers in URLs. */
export const identifierKeys = defineKeys({
  slash_substitute: {
    type: "string",
    default: "",
    doc: "Text that stands for a slash in identifiers in URLs, for proxies that do not pass `%2F`. Empty for none.",
  },
  "meta_identifier.transformer": {
    type: "choice",
    choices: ["StandardMetaIdentifierTransformer", "DelegateMetaIdentifierTransformer"],
    default: "StandardMetaIdentifierTransformer",
    doc: "How page number and scale constraint are read from an identifier: `StandardMetaIdentifierTransformer` reads `identifier;page;n:d`; with `DelegateMetaIdentifierTransformer` the delegate's methods `deserialize_meta_identifier` and `serialize_meta_identifier` read and write them.",
  },
  "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter": {
    type: "string",
    default: ";",
    doc: "Separator of page number and scale constraint in `identifier;page;n:d`, taken literally. Choose another if identifiers end in the separator and a number; empty for identifiers without either.",
  },
});

/** All keys that affect reading identifiers. */
export const identifierReadingKeys = { ...identifierKeys, ...dialectKeys };

/** Whether the delegate reads and writes identifiers. */
export const isTransformed = (settings: Settings<typeof identifierReadingKeys>): boolean =>
  settings["meta_identifier.transformer"] === "DelegateMetaIdentifierTransformer";

/** The settings in the form that the parser of identifiers needs. */
export const identifierSyntax = (
  settings: Settings<typeof identifierReadingKeys>,
): IdentifierSyntax => ({
  slashSubstitute: settings.slash_substitute,
  delimiter: settings["meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter"],
  formStyle: settings["endpoint.iiif.dialect"] === "cantaloupe",
});
