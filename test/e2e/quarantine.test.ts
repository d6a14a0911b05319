import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { slowPdf } from "../malformed/slow.ts";
import { pdfOf } from "../pdf.ts";
import { startServer, type TestServer } from "./app.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      await writeFile(join(folder, "slow.pdf"), slowPdf());
      await writeFile(join(folder, "good.pdf"), pdfOf([{ content: "0 1 0 rg 0 0 120 90 re f" }]));
    },
    {
      "processor.pdf.timeout": 1,
      "processor.quarantine.after": 2,
      "cache.server.resolve_first": true,
    },
  );
});

afterAll(() => server.close());

const picture = (name: string): string => `/iiif/3/${name}/full/120,/0/default.png`;

test("quarantines an image after repeated decoder crashes, and no other", async () => {
  for (let n = 0; n < 2; n++) expect((await server.ask(picture("slow.pdf"))).status).toBe(504);
  const refused = await server.ask(picture("slow.pdf"));
  expect(refused.status).toBe(503);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(500);
  expect(refused.body.toString()).toMatch(/quarantined after repeated decoder crashes/);
  expect((await server.ask("/iiif/3/slow.pdf/info.json")).status).toBe(200);
  expect((await server.ask(picture("good.pdf"))).status).toBe(200);
});

test("tries it again once its file is replaced", async () => {
  const path = join(server.folder, "slow.pdf");
  await writeFile(`${path}.new`, pdfOf([{ content: "0 0 1 rg 0 0 120 90 re f" }]));
  await rename(`${path}.new`, path);
  expect((await server.ask(picture("slow.pdf"))).status).toBe(200);
});
