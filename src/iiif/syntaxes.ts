import type { Settings } from "../config/keys.ts";
import type { dialectKeys } from "./dialect.ts";
import type { Syntax, Version } from "./version.ts";

type Dialect = Settings<typeof dialectKeys>["endpoint.iiif.dialect"];

/** What a version's URLs allow in each dialect. */
export const dialectsOf = ({ syntax }: Version): Readonly<Record<Dialect, Syntax>> => ({
  exact: syntax,
  cantaloupe: { ...syntax, anyCase: true, decimals: true, unknownFormat: "unsupported" },
});
