import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { pdfOf } from "../../../test/pdf.ts";
import {
  coloursAt,
  corners,
  decoderFor,
  endless,
  openedBy,
  red,
} from "../../../test/pdf-decoder.ts";
import { memoryReader } from "../../../test/readers.ts";
import { DecoderLost } from "../../core/errors.ts";

it("of two PDFs that take too long, the first fails as late and the waiting one as busy", async () => {
  const decoder = await decoderFor({ "processor.pdf.timeout": 5 });
  const good = await openedBy(decoder, memoryReader(pdfOf([corners])));
  const bad = [
    await openedBy(decoder, memoryReader(endless())),
    await openedBy(decoder, memoryReader(endless())),
  ];
  const ends = await Promise.allSettled(bad.map(({ read }) => read()));
  const failures = ends.map((end) => (end.status === "rejected" ? end.reason : undefined));
  expect(failures.map((failure) => failure?.failure)).toEqual(["late", "busy"]);
  expect(failures.map((failure) => failure instanceof DecoderLost)).toEqual([true, false]);
  expect(await coloursAt(await good.read(), [10, 10])).toEqual([red]);
});

it("a PDF that waited to be opened and then takes too long fails as busy", async () => {
  const decoder = await decoderFor({ "processor.pdf.timeout": 8 });
  const bad = await openedBy(decoder, memoryReader(endless()));
  const leaving = new AbortController();
  const left = bad.read({}, leaving.signal);
  left.catch(() => undefined);
  // Until it has the thread, which it then keeps for another second.
  await delay(500);
  leaving.abort(new Error("gone"));
  const waited = openedBy(decoder, memoryReader(endless())).then(({ read }) => read());
  await expect(left).rejects.toThrow("gone");
  const failure = await waited.catch((error: unknown) => error);
  expect(failure).toMatchObject({ failure: "busy" });
  expect(failure).not.toBeInstanceOf(DecoderLost);
});
