import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { corpusFiles, corpusFolder, corpusIsHere, corpusIsMissing } from "../corpus.ts";
import { hostileFiles } from "../malformed/files.ts";
import { slowPdf } from "../malformed/slow.ts";
import { pdfOf } from "../pdf.ts";
import { drawPictures, tile } from "./pictures.ts";
import { ask, haveServed, type Reply, type ServerProcess, startProcess, until } from "./server.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/** The guarantees: a response within ten seconds, and less than 1 GB. */
const patienceMs = 10_000;
const maxMemory = 2 ** 30;

const settings = { "http.workers": 1, "processor.svg.enabled": "true" };

const picture = (name: string): string =>
  `/iiif/3/${encodeURIComponent(name)}/full/!256,256/0/default.jpg`;

/** Requests an image, which must be answered in time, and not with a server error. */
const askHostile = async (base: string, name: string): Promise<Reply> => {
  const signal = AbortSignal.timeout(patienceMs);
  const reply = await ask(base, picture(name), { signal }).catch((error: unknown) => {
    throw new Error(`No answer for ${name} within ${patienceMs} ms`, { cause: error });
  });
  expect([name, reply.status]).not.toEqual([name, 500]);
  return reply;
};

/**
 * Keeps requesting good tiles while hostile files are requested, and measures the server's memory.
 */
const meanwhile = async (
  { base, memory }: ServerProcess,
  paths: readonly string[],
  work: () => Promise<void>,
): Promise<{ readonly good: readonly number[]; readonly memory: number }> => {
  const good: number[] = [];
  let max = 0;
  let isOver = false;
  const askOn = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const signal = AbortSignal.timeout(patienceMs);
      good.push((await ask(base, paths[n % paths.length] ?? "", { signal })).status);
      // Examining all pages takes the system some time.
      if (n % 10 === 0) max = Math.max(max, await memory());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await Promise.all([
    askOn(),
    work().finally(() => {
      isOver = true;
    }),
  ]);
  return { good, memory: max };
};

describe("hostile files made for this test", () => {
  let server: ServerProcess;
  let lure: Server;
  let lured = 0;
  let trap = "";
  let names: readonly string[] = [];

  beforeAll(async () => {
    lure = createServer((_, response) => {
      lured++;
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => lure.once("listening", resolve));
    const { port } = lure.address() as AddressInfo;
    server = await startProcess(async (folder) => {
      await drawPictures(folder);
      trap = join(folder, "trap");
      execFileSync("mkfifo", [trap]);
      const files = await hostileFiles({ url: `http://127.0.0.1:${port}/`, path: trap });
      names = Object.keys(files);
      for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
    }, settings);
    await haveServed(server, 1);
  });

  afterAll(async () => {
    await server.remove();
    lure.close();
  });

  /** Whether a process has a pipe open for reading: opening it for writing fails otherwise. */
  const isTrapped = (): boolean => {
    try {
      closeSync(openSync(trap, constants.O_WRONLY | constants.O_NONBLOCK));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENXIO") return false;
      throw error;
    }
  };

  it("are answered in time and in little memory, reach nothing, and delay nobody", async () => {
    const before = server.workers();
    const statuses: Record<string, number> = {};
    let trapped = 0;
    const { good, memory } = await meanwhile(server, [tile(0), tile(9), tile(17)], async () => {
      for (const name of names) {
        const watching = setInterval(() => {
          if (isTrapped()) trapped++;
        }, 20);
        statuses[name] = (await askHostile(server.base, name)).status;
        clearInterval(watching);
        if (isTrapped()) trapped++;
      }
    });
    expect(new Set(good)).toEqual(new Set([200]));
    expect(memory > 0).toBe(process.platform === "linux");
    expect(memory).toBeLessThan(maxMemory);
    expect(server.workers()).toEqual(before);
    expect({ lured, trapped }).toEqual({ lured: 0, trapped: 0 });
    const shown = Object.keys(statuses).filter((name) => statuses[name] === 200);
    // False claims, loops or truncated files are never images; external references may be.
    expect(shown.filter((name) => /claims|loop|broken-off|only|nothing/.test(name))).toEqual([]);
    expect(shown).toContain("pdf-actions.pdf");
  });
});

describe("a worker that decodes endlessly", () => {
  let server: ServerProcess;

  const start = async (
    more: Readonly<Record<string, string | number>>,
    workers = 1,
  ): Promise<void> => {
    server = await startProcess(
      async (folder) => {
        await drawPictures(folder);
        await writeFile(join(folder, "slow.pdf"), slowPdf());
        await writeFile(join(folder, "other.pdf"), slowPdf("0 0 1"));
        await writeFile(join(folder, "good.pdf"), pdfOf([{ content: "0 g 0 0 9 9 re f" }]));
      },
      { ...settings, "http.workers": workers, ...more },
    );
    await haveServed(server, workers);
  };

  it("continues to answer others: nothing of it runs on the event loop", async () => {
    await start({ "processor.pdf.timeout": 4, "processor.quarantine.after": 0 });
    try {
      let isOver = false;
      let answered = 0;
      const drawing = Promise.all(
        ["slow.pdf", "other.pdf"].map((name) => askHostile(server.base, name)),
      );
      const done = drawing.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        const [health, good] = await Promise.all([
          ask(server.base, "/health"),
          ask(server.base, tile(answered % 35)),
        ]);
        expect([health.status, good.status]).toEqual([200, 200]);
        if (!isOver) answered++;
      }
      expect((await done).map(({ status }) => status)).toEqual([504, 504]);
      // In four seconds; with a blocked event loop, there would be none until they are over.
      expect(answered).toBeGreaterThan(8);
    } finally {
      await server.remove();
    }
  });

  it("informs the others, so that together they quarantine the image after the limit", async () => {
    await start({ "processor.pdf.timeout": 1, "processor.quarantine.after": 2 }, 2);
    try {
      const statuses: number[] = [];
      // Each over a connection of its own, which the workers get in turn.
      for (let n = 0; n < 6; n++) statuses.push((await askHostile(server.base, "slow.pdf")).status);
      expect(statuses).toEqual([504, 504, 503, 503, 503, 503]);
      expect((await ask(server.base, picture("good.pdf"))).status).toBe(200);
    } finally {
      await server.remove();
    }
  });

  // A kill may have come from outside: it takes a third one, during the exclusive read, to prove
  // it.
  it.each([
    ["crashes twice", "SIGABRT", 2],
    ["is killed three times", "SIGKILL", 3],
  ] as const)("and %s is replaced by one that rejects the image", async (_what, signal, deaths) => {
    await start({
      "processor.pdf.timeout": 120,
      "processor.timeout": 120,
      "processor.quarantine.after": 2,
    });
    try {
      for (let died = 0; died < deaths; died++) {
        const [worker = 0] = server.workers();
        const drawing = ask(server.base, picture("slow.pdf")).then(
          ({ status }) => status,
          () => "cut off",
        );
        // Once the server has answered a later request, it has begun.
        await until(async () => (await ask(server.base, "/health")).status === 200);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        process.kill(worker, signal);
        expect(await drawing).toBe("cut off");
        await haveServed(server, died + 2);
      }
      const refused = await askHostile(server.base, "slow.pdf");
      expect(refused.status).toBe(503);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
      expect((await ask(server.base, picture("good.pdf"))).status).toBe(200);
      expect(server.said()).toMatch(/ended while it was reading images.*slow\.pdf/s);
    } finally {
      await server.remove();
    }
  });
});

describe.skipIf(!corpusIsHere)("hostile files of the corpus", () => {
  it("are answered in time and in little memory, and delay nobody", async () => {
    const server = await startProcess(async () => {}, {
      ...settings,
      "FilesystemSource.BasicLookupStrategy.path_prefix": corpusFolder,
    });
    try {
      await haveServed(server, 1);
      const before = server.workers();
      const good = ["0,0", "512,512", "1024,2048"].map(
        (at) => `/iiif/3/tiff%2Fpyramid%2Fcaillebotte.tif/${at},512,512/512,512/0/default.jpg`,
      );
      const shown: string[] = [];
      const seen = await meanwhile(server, good, async () => {
        for (const { path, expect: wanted } of corpusFiles("malformed")) {
          const { status } = await askHostile(server.base, path);
          if (status === 200 && wanted === "error") shown.push(basename(path));
        }
      });
      expect(new Set(seen.good)).toEqual(new Set([200]));
      expect(seen.memory).toBeLessThan(maxMemory);
      expect(server.workers()).toEqual(before);
      // JPEG 2000 with internal corruption, of which the intact part is shown, and a PDF with one
      // whole page.
      expect(shown.filter((name) => !/\.(jp2|j2k)$|^pdf-count-/.test(name))).toEqual([]);
    } finally {
      await server.remove();
    }
  });
});

if (!corpusIsHere) it(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
