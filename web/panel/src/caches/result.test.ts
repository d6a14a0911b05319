import { expect, test } from "vitest";
import { resultText } from "./result.ts";

const none = { images: 0, made: 0, ready: 0, unneeded: 0, refused: 0, failed: 0, reasons: [] };

test("says what a purge removed, and nothing of one that waits", () => {
  const removed = { entries: 1 };
  const verb = "PurgeCache";
  expect(resultText({ verb, status: "SUCCEEDED", removed })).toBe("1 entry removed");
  expect(resultText({ verb, status: "QUEUED", removed })).toBe("");
});

test("says what came of making pyramids, without what is none", () => {
  const told = (pyramids: Partial<typeof none> & { readonly of?: number }) =>
    resultText({
      verb: "MakePyramids",
      status: "RUNNING",
      removed: { entries: 0 },
      pyramids: { ...none, ...pyramids },
    });
  expect(resultText({ verb: "MakePyramid", status: "FAILED", removed: { entries: 0 } })).toBe("");
  expect(told({})).toBe("0 images: 0 made");
  expect(told({ images: 3, of: 9, made: 2, unneeded: 4, refused: 1 })).toBe(
    "3 of 9 images: 2 made, 4 not needed, 1 refused",
  );
  expect(told({ images: 1, of: 1, ready: 1, failed: 1 })).toBe(
    "1 of 1 image: 0 made, 1 made before, 1 file not readable as an image",
  );
});
