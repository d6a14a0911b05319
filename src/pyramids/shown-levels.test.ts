import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { plan } from "../../test/plans.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { Page } from "../core/info.ts";
import { type Logger, silent } from "../core/log.ts";
import type { KnownImage } from "../service/known.ts";
import type { OverviewName, Overviews } from "../service/overviews.ts";
import { shownLevels } from "./shown-levels.ts";

const size = { width: 2_000, height: 1_200 };
const page: Page = {
  ...{ size, orientation: 1, levels: [{ size, tile: size }] },
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
};
const level = { width: 500, height: 300 };
const pixels = new Uint8Array([1, 2, 3]);

/** What is found of a page with so many bytes of overviews, what is asked for and logged. */
const finding = async (look: Overviews["look"], of = page, signal = AbortSignal.timeout(9_000)) => {
  const folder = await temporaryFolder();
  const logged: unknown[] = [];
  const log: Logger = { ...silent, debug: (_, fields) => logged.push(fields) };
  const image = { version: "7" } as KnownImage;
  const facts = { identifier: "a.jpg", page: 1, size, sourceBytes: 1 };
  const job = { image, page: of, facts };
  const find = shownLevels(
    job,
    { overviews: { look }, planOf: () => plan, log },
    { folder, signal },
  );
  return { folder, logged, found: await find(level) };
};

const overviewOf = (bytes: Uint8Array) => ({
  ...{ pixels: bytes, size: level },
  look: { space: "srgb" as const, keepsProfile: false },
  raster: { size, covers: { x: 0, y: 0, ...size } },
});

it("the level of an overview is put into the folder", async () => {
  const asked: OverviewName[] = [];
  const { folder, found } = await finding(async (name) => {
    asked.push(name);
    return overviewOf(pixels);
  });
  expect(found?.orientation).toBe(1);
  const path = found?.path ?? "";
  expect(dirname(path)).toBe(folder);
  expect([...(await readFile(path))]).toEqual([...pixels]);
  expect(asked).toMatchObject([{ identifier: "a.jpg", version: "7" }]);
  expect(asked[0]?.key).toMatch(/^0\/500x300\/lanczos3\//);
});

it("an overview is oriented as the page is stored", async () => {
  const asked: OverviewName[] = [];
  const { found } = await finding(
    async (name) => {
      asked.push(name);
      return overviewOf(pixels);
    },
    { ...page, orientation: 6 },
  );
  expect(found?.orientation).toBe(6);
  expect(asked[0]?.key).toMatch(/^0\/300x500\//);
});

it("without an overview there is none", async () => {
  expect((await finding(async () => undefined)).found).toBeUndefined();
});

it.each([
  { what: "has transparency", of: { ...page, colour: { ...page.colour, alpha: true } } },
  { what: "has 16 bits", of: { ...page, colour: { ...page.colour, bits: 16 } } },
] satisfies { what: string; of: Page }[])(
  "no overview of a page is used that $what",
  async ({ of }) => {
    const look = () => expect.unreachable("It was looked for.");
    expect((await finding(look, of)).found).toBeUndefined();
  },
);

it("an overview that cannot be had is logged and done without", async () => {
  const err = new Error("corrupt");
  const failed = await finding(() => Promise.reject(err));
  expect(failed.found).toBeUndefined();
  expect(failed.logged).toEqual([{ err }]);
  const late = await finding(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    page,
    AbortSignal.timeout(10),
  );
  expect(late.found).toBeUndefined();
  expect(late.logged).toHaveLength(1);
});
