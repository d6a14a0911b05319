import { expect, it } from "vitest";
import { numbered } from "./sql-placeholders.ts";

it.each([
  ["SELECT a FROM t WHERE b = ? AND c = ?", "SELECT a FROM t WHERE b = $1 AND c = $2"],
  ["SELECT '?', 'it''s ?' WHERE a = ?", "SELECT '?', 'it''s ?' WHERE a = $1"],
  ['SELECT "a?" FROM t -- why?\nWHERE b = ?', 'SELECT "a?" FROM t -- why?\nWHERE b = $1'],
  ["SELECT /* ? */ ?::float8", "SELECT /* ? */ $1::float8"],
  ["SELECT 1", "SELECT 1"],
])("the placeholders of %j are numbered", (text, expected) => {
  expect(numbered(text)).toBe(expected);
});
