import type { AnswerCheck } from "../core/delegate.ts";
import { textOrNone } from "../delegate/answers.ts";
import { findsImages, isSelect } from "./jdbc-statement.ts";
import type { JdbcLookup } from "./jdbc-store.ts";
import { versionFacts } from "./jdbc-version.ts";
import { sessionOf } from "./script.ts";

/**
 * The delegate's facts about an image: its identifier in the database (null for none), the
 * statement that finds it, and its modification time where there is a method for that. The media
 * type is not needed: formats are detected from content.
 */
export const scriptLookup: JdbcLookup = async (_, context) => {
  const session = sessionOf(context);
  const identifier = await session.call("jdbcsource_database_identifier", textOrNone);
  if (identifier === null) return undefined;
  const lookup = await session.call("jdbcsource_lookup_sql", lookupStatement);
  const lastModified = session.has("jdbcsource_last_modified")
    ? await session.call("jdbcsource_last_modified", modification)
    : null;
  return { identifier, lookup, ...(lastModified === null ? {} : { lastModified }) };
};

/** Results of `jdbcsource_lookup_sql`. */
const lookupStatement: AnswerCheck<string> = {
  expected: "a SELECT with a ? for the identifier",
  read: (answer) => (typeof answer === "string" && findsImages(answer) ? answer : undefined),
};

/** Results of `jdbcsource_last_modified`: null where unknown. */
const modification: AnswerCheck<string | null> = {
  expected: "a date as in 2024-05-06T07:08:09Z (ISO 8601), a SELECT, or null",
  read(answer) {
    const text = textOrNone.read(answer);
    return text === undefined || text === null || isSelect(text) || isDate(text) ? text : undefined;
  },
};

const isDate = (text: string): boolean => versionFacts(text, 0).lastModified !== undefined;
