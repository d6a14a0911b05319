import { describe, expect, it } from "vitest";
import type { ImageInfo } from "../core/info.ts";
import { type InfoRecord, readRecord, writeRecord } from "./info-record.ts";

const info: ImageInfo = {
  format: "tif",
  pages: [
    {
      size: { width: 300, height: 200 },
      orientation: 6,
      levels: [
        { size: { width: 300, height: 200 }, tile: { width: 128, height: 128 } },
        { size: { width: 150, height: 100 }, tile: { width: 128, height: 128 } },
      ],
      colour: { bits: 8, model: "rgb", alpha: false, profile: "kept" },
    },
  ],
};
const record: InfoRecord = {
  info,
  version: "v1",
  size: 12_345,
  lastModified: new Date(86_400_000),
};
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe("a record of an image", () => {
  it("restores the info", () => {
    expect(readRecord(writeRecord(record))).toEqual(record);
    const { lastModified: _, ...undated } = record;
    expect(readRecord(writeRecord(undated))).toEqual(undated);
  });

  // When this fails because infos contain more or other fields: increment `schema`, then change it
  // here.
  it("has the layout of its schema number", () => {
    expect(text(writeRecord(record))).toBe(
      '{"schema":5,"version":"v1","size":12345,"modified":86400000,"info":{"format":"tif","pages":[{"size":{"width":300,"height":200},"orientation":6,"levels":[{"size":{"width":300,"height":200},"tile":{"width":128,"height":128}},{"size":{"width":150,"height":100},"tile":{"width":128,"height":128}}],"colour":{"bits":8,"model":"rgb","alpha":false,"profile":"kept"}}]}}',
    );
  });

  it.each([
    ["of another schema", text(writeRecord(record)).replace('"schema":5', '"schema":0')],
    ["of a format that is not known", text(writeRecord(record)).replace('"tif"', '"xyz"')],
    ["without pages", '{"schema":5,"version":"v","size":1,"info":{"format":"tif","pages":[]}}'],
    ["that is no object", "7"],
    ["that is nothing", "null"],
    ["that is no JSON", "{"],
    ["that is empty", ""],
  ])("%s is a miss", (_, written) => {
    expect(readRecord(bytes(written))).toBeUndefined();
  });
});
