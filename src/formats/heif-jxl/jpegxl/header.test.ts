import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../../test/corpus.ts";
import { box } from "../../../../test/jp2.ts";
import { random } from "../../../../test/random.ts";
import { codestreamOf } from "./codestream.ts";
import { readHeader } from "./header.ts";

const stored = async (name: string): Promise<Uint8Array> => {
  const file = await readFile(new URL(`../../../../test/tiles/${name}`, import.meta.url));
  return codestreamOf(file) ?? new Uint8Array();
};

describe("a JPEG XL header", () => {
  test.each([
    ["rgb8.jxl", { bits: 8, float: false, extras: [] }],
    ["light32.jxl", { bits: 32, float: true, extras: [] }],
    ["masked16.jxl", { bits: 16, float: false, extras: [{ isAlpha: true, premultiplied: false }] }],
  ])("describes the samples: %s", async (name, told) => {
    expect(readHeader(await stored(name))).toMatchObject({
      ...told,
      size: { width: 32, height: 32 },
      orientation: 1,
      animated: false,
      xyb: false,
      profiled: false,
    });
  });

  test("gives the size in all its encodings", () => {
    // In eighths and square; with a ratio of 3 to 2; both sides in 30 bits.
    expect(readHeader(Buffer.from("ff0a4b02", "hex"))?.size).toEqual({ width: 48, height: 48 });
    expect(readHeader(Buffer.from("ff0a18c0", "hex"))?.size).toEqual({ width: 6, height: 4 });
    const claims = readHeader(Buffer.from("ff0afeffffffffffffff", "hex"));
    expect(claims?.size.height).toBe(2 ** 30);
  });

  test("is undefined when truncated or invalid", async () => {
    const whole = await stored("masked16.jxl");
    for (let length = 0; length < 6; length++)
      expect(readHeader(whole.subarray(0, length))).toBeUndefined();
    expect(readHeader(Buffer.from("not a JPEG XL"))).toBeUndefined();
  });

  test("never throws, whatever the bytes", () => {
    const { whole } = random(18_181);
    for (let round = 0; round < 5_000; round++) {
      const bytes = Uint8Array.from({ length: 64 }, () => whole(0, 255));
      bytes.set([0xff, 0x0a]);
      expect(() => readHeader(bytes)).not.toThrow();
    }
  });

  test.skipIf(!corpusIsHere)("of real images agrees with the manifest", async () => {
    for (const file of corpusFiles("jxl").filter(({ expect }) => expect === "ok")) {
      const codestream = codestreamOf(await readFile(corpusPath(file)));
      const header = codestream && readHeader(codestream);
      const { width, height, orientation = 1, info = "" } = file;
      expect(header, file.path).toMatchObject({ size: { width, height }, orientation });
      expect(header?.bits, file.path).toBe(Number(/(\d+)-bit/.exec(info)?.[1] ?? header?.bits));
      expect(header?.animated, file.path).toBe(info.includes("animation"));
    }
  });
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

describe("a codestream", () => {
  const bare = Buffer.from("ff0a0102030405", "hex");
  const signature = box("JXL ", Buffer.from("0d0a870a", "hex"));
  const part = (number: number, from: number, to: number): Buffer =>
    box("jxlp", Buffer.from([0, 0, 0, number]), bare.subarray(from, to));

  test.each([
    ["bare", bare],
    ["in a box", Buffer.concat([signature, box("xml ", Buffer.alloc(9)), box("jxlc", bare)])],
    ["in parts", Buffer.concat([signature, part(0, 0, 3), box("jbrd"), part(1, 3, 7)])],
    [
      "in a box to the end",
      Buffer.concat([signature, Buffer.from("\0\0\0\0jxlc", "latin1"), bare]),
    ],
    [
      "in a box whose length has eight bytes",
      Buffer.concat([signature, Buffer.from("\0\0\0\x01jxlc\0\0\0\0\0\0\0\x17", "latin1"), bare]),
    ],
  ])("is found %s", (_, file) => {
    expect(Buffer.from(codestreamOf(file) ?? []).equals(bare)).toBe(true);
  });

  test.each([
    ["without any", signature],
    ["whose boxes have no length", Buffer.from("\0\0\0\x04jxlc", "latin1")],
    ["that ends within a box", Buffer.from("\0\0\0\x01jxlc", "latin1")],
    ["that is empty", Buffer.alloc(0)],
  ])("is undefined of a file %s", (_, file) => {
    expect(codestreamOf(file)).toBeUndefined();
  });
});
