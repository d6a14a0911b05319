import { type LogLevel, type LogQuery, logLevels } from "../../administration/log-entry.ts";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import { parseQuery } from "../request/query.ts";

/** The log entries that a query selects; throws `malformed`. */
export const logQuery = (query: string | undefined): LogQuery => {
  const given = parseQuery(query ?? "");
  const level = given.get("level") || undefined;
  const text = given.get("text") || undefined;
  const after = wholeIn(given, "after");
  const limit = wholeIn(given, "limit");
  if (level !== undefined && !isLevel(level))
    return fail(
      "malformed",
      `level: expected one of ${logLevels.join(", ")}, got ${quoted(level)}`,
    );
  if (text !== undefined && text.length > longestText)
    return fail(
      "malformed",
      `text: expected at most ${longestText} characters, got ${text.length}`,
    );
  return {
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
    ...(level === undefined ? {} : { level }),
    ...(text === undefined ? {} : { text }),
  };
};

const longestText = 1_000;

const isLevel = (text: string): text is LogLevel => logLevels.some((level) => level === text);

const wholeIn = (given: ReadonlyMap<string, string>, name: string): number | undefined => {
  const text = given.get(name) || undefined;
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    return fail("malformed", `${name}: expected a whole number from 0 on, got ${quoted(text)}`);
  return Number(text);
};
