import { expect, test } from "vitest";
import { meaningOf } from "./meanings.ts";

const bytes = { type: "bytes", default: 0, doc: "" } as const;
const seconds = { type: "seconds", default: 0, doc: "" } as const;

test.each([
  [bytes, "1.5G", "1.5 GiB"],
  [bytes, "512 KB", "512 KiB"],
  [bytes, "1048576", "1 MiB"],
  [bytes, "100", undefined],
  [bytes, "many", undefined],
  [seconds, "86400", "1 d"],
  [seconds, "90", "1 min 30 s"],
  [seconds, "30", undefined],
  [seconds, "1m", undefined],
  [{ type: "integer", default: 0, doc: "" } as const, "86400", undefined],
])("describes %o %j: %j", (definition, text, meaning) => {
  expect(meaningOf(definition, text)?.replaceAll("\u202f", " ")).toBe(meaning);
});
