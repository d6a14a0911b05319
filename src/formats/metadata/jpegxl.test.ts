import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { exifParts, tiffOf, xmpPacket, xmpProperties } from "../../../test/metadata-files.ts";
import { random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import { ServerError } from "../../core/errors.ts";
import { readMetadata } from "../embedded-metadata.ts";
import { createProfileThreads, type ProfileReading } from "./jpegxl-profile.ts";
import type { Metadata } from "./values.ts";

const signal = new AbortController().signal;
setMaxListeners(0, signal);

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

const profiles = createProfileThreads();
afterAll(() => profiles.close());

const read = (bytes: Uint8Array, by: ProfileReading | undefined = profiles): Promise<Metadata> =>
  readMetadata(memoryReader(bytes), { format: "jxl" }, signal, { profiles: by });

const box = (type: string, ...contents: readonly (string | Uint8Array)[]): Buffer => {
  const data = Buffer.concat(contents.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data]);
};

const start = box("JXL ", Buffer.from("\r\n\x87\n", "latin1"));

const fileOf = (...boxes: readonly Buffer[]): Buffer =>
  Buffer.concat([start, ...boxes, box("jxlc", plain)]);

/**
 * Codestreams by libjxl 0.11: a pixel of sRGB without a profile, and 8 x 8 with one of 480 bytes.
 */
const plain = Buffer.from("/woAEBBQXAgIAgEAOABLGIsVjhdMiIQPsNc8Aw==", "base64");
const profiled = Buffer.from(
  "/wpBQAhfChIOkA3ZeioU/B6ZFVr+d6SEEylKfPo49lZY4HvAzrO886x+z2jtOzIajZa+RQibMW1mBwCA/4q9lkyMbUMaQOaEuTNnDB05LAAAQPn1f41XUHFRkbuo4n7vV843V0ndR2qtCwAAACBlKgCfYdxMBpYzB7qZAVKmAvgM42byazlDhoNQe60+6PSabxiBv3r777/zK/x3QvuF9N9/9w3133/9cXirocAlOuiX6/0BUfqjsbuMWuPQYTZGFBnciydmUirviWkydgpllA0IAgEAXABLGIsVwknC5QUiAJiwthUAAAAAAAAAAA==",
  "base64",
);

const exif = (): Buffer => tiffOf(exifParts(false));

const noOffset = Buffer.alloc(4);

test("reads Exif and XMP of a JPEG XL", async () => {
  const {
    exif: found,
    xmp,
    problems,
  } = await read(fileOf(box("Exif", noOffset, exif()), box("xml ", xmpPacket())));
  expect(found?.image?.["Make"]).toBe("Vitrine");
  expect(xmp?.properties).toEqual(xmpProperties);
  expect(problems).toEqual([]);
});

test("decompresses Brotli boxes", async () => {
  const {
    exif: found,
    xmp,
    problems,
  } = await read(
    fileOf(
      box("brob", "Exif", brotliCompressSync(Buffer.concat([noOffset, exif()]))),
      box("brob", "xml ", brotliCompressSync(Buffer.from(xmpPacket()))),
    ),
  );
  expect(found?.image?.["Make"]).toBe("Vitrine");
  expect(xmp?.properties).toEqual(xmpProperties);
  expect(problems).toEqual([]);
});

test("skips and reports corrupt or oversized blocks", async () => {
  const damaged = await read(fileOf(box("brob", "xml ", "this is no Brotli at all")));
  expect(damaged.xmp).toBeUndefined();
  expect(damaged.problems).toEqual([
    "Cannot decompress xmp of the JPEG XL (Brotli): it is damaged. It is skipped.",
  ]);
  const bomb = brotliCompressSync(Buffer.alloc(5_000_000));
  expect((await read(fileOf(box("brob", "Exif", bomb)))).problems).toHaveLength(1);
  expect((await read(fileOf(box("Exif", Buffer.from([0, 0, 1, 0]))))).problems).toEqual([
    "Expected exif after the header of the JPEG XL; there is none.",
  ]);
});

const profile = {
  colourSpace: "RGB",
  connectionSpace: "XYZ",
  deviceClass: "mntr",
  bytes: 480,
};

test("reads the profile of a bare codestream, if it has one", async () => {
  expect((await read(profiled)).icc).toMatchObject(profile);
  expect(await read(plain)).toEqual({ problems: [] });
});

test("finds a profile in a codestream split by other boxes", async () => {
  const part = (number: number, from: number, to?: number): Buffer =>
    box("jxlp", Buffer.from([0, 0, 0, number]), profiled.subarray(from, to));
  const { icc, xmp, problems } = await read(
    Buffer.concat([start, part(0, 0, 30), box("xml ", xmpPacket()), part(1, 30, 40), part(2, 40)]),
  );
  expect(icc).toMatchObject(profile);
  expect(xmp?.properties).toEqual(xmpProperties);
  expect(problems).toEqual([]);
});

test("reports a codestream that is truncated before its profile or invalid", async () => {
  const told = (length: number): string =>
    `Corrupt or truncated colour description in the first ${length} bytes of the JPEG XL codestream.`;
  expect(await read(profiled.subarray(0, 60))).toEqual({ problems: [told(60)] });
  expect(await read(Buffer.concat([start, box("jxlc", Buffer.alloc(9, 255))]))).toEqual({
    problems: [told(9)],
  });
});

test("rejects with the abort reason when already aborted", async () => {
  const gone = AbortSignal.abort(new Error("gone"));
  await expect(
    readMetadata(memoryReader(profiled), { format: "jxl" }, gone, { profiles }),
  ).rejects.toThrow("gone");
});

test("reads a few profiles, queues a few and rejects the rest as busy", async () => {
  const threads = createProfileThreads();
  const job = { beginning: profiled, max: 1_000_000 };
  const ends = await Promise.allSettled(Array.from({ length: 40 }, () => threads.run(job, signal)));
  await threads.close();
  const read = ends.filter(({ status }) => status === "fulfilled");
  expect(read).toHaveLength(18);
  for (const end of read) expect(end).toMatchObject({ value: { bytes: 480 } });
  for (const end of ends.slice(18)) expect(end).toMatchObject({ reason: { failure: "busy" } });
});

const xybTold =
  "The ICC profile of the JPEG XL cannot be read here: its samples are stored in XYB. It is skipped.";

const busyTold = "The ICC profile of the JPEG XL is skipped: too many others are being read.";

/** Waits for a thread that never becomes free. */
const neverInTurn: ProfileReading["run"] = (_, until) =>
  new Promise((_resolve, reject) => {
    until.addEventListener("abort", () => reject(until.reason));
  });

test.each<[string, ProfileReading]>([
  ["is refused", { run: async () => Promise.reject(new ServerError("busy", "Too many wait.")) }],
  ["waits too long", { run: neverInTurn, patienceMs: 1 }],
])("skips a profile whose job %s and returns everything else", async (_, by) => {
  const file = Buffer.concat([start, box("xml ", xmpPacket()), box("jxlc", profiled)]);
  const { xmp, icc, problems } = await read(file, by);
  expect(xmp?.properties).toEqual(xmpProperties);
  expect(icc).toBeUndefined();
  expect(problems).toEqual([busyTold]);
});

test("rejects with the abort reason while a profile waits for its turn", async () => {
  const leaving = new AbortController();
  const by: ProfileReading = {
    run(job, until) {
      setImmediate(() => leaving.abort(new Error("gone")));
      return neverInTurn(job, until);
    },
  };
  await expect(
    readMetadata(memoryReader(profiled), { format: "jxl" }, leaving.signal, { profiles: by }),
  ).rejects.toThrow("gone");
});

test("ignores the profile when no profile reader is given", async () => {
  expect(await readMetadata(memoryReader(profiled), { format: "jxl" }, signal)).toEqual({
    problems: [],
  });
});

test.skipIf(!corpusIsHere)(
  "reads the profiles that libjxl finds in real images, except those in XYB",
  async () => {
    // Where the manifest has a column for their colours.
    const told = corpusFiles("jxl").filter(({ info = "" }) => info.includes("Color space:"));
    for (const file of told) {
      const { icc, problems } = await read(await readFile(corpusPath(file)));
      const bytes = /Color space: (\d+)-byte ICC profile/.exec(file.info ?? "")?.[1];
      const isInXyb = bytes !== undefined && file.info?.includes("lossy") === true;
      const expected = bytes === undefined || isInXyb ? undefined : Number(bytes);
      expect(icc?.bytes, file.path).toBe(expected);
      expect(problems, file.path).toEqual(isInXyb ? [xybTold] : []);
    }
    expect(told.length).toBeGreaterThan(8);
  },
  60_000,
);

test("reads a profile from a corrupt codestream or finds none", async () => {
  const { whole } = random(1);
  const threads = createProfileThreads();
  const ends = { read: 0, none: 0 };
  for (let round = 0; round < 400; round++) {
    const bytes = Uint8Array.from(profiled);
    for (let change = whole(1, 4); change > 0; change--)
      bytes[whole(2, bytes.length - 1)] = whole(0, 255);
    const found = await threads.run({ beginning: bytes, max: 1_000_000 }, signal);
    ends[found === undefined ? "none" : "read"]++;
  }
  await threads.close();
  expect(ends.read).toBeGreaterThan(0);
  expect(ends.none).toBeGreaterThan(0);
}, 60_000);
