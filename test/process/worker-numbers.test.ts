import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { drawPictures } from "./pictures.ts";
import { haveServed, startProcess, until } from "./server.ts";

const numberOf = async (pid: number): Promise<string | undefined> =>
  /(?:^|\0)VITRINE_WORKER=(\d+)/.exec(await readFile(`/proc/${pid}/environ`, "latin1"))?.[1];

it.skipIf(!existsSync("/proc/self/environ"))(
  "workers are numbered from 1, and a replacement keeps the number: there is always a first one",
  async () => {
    const server = await startProcess(drawPictures, { "http.workers": 2 });
    try {
      await haveServed(server, 2);
      const pids = server.workers();
      const numbers = await Promise.all(pids.map(numberOf));
      expect([...numbers].sort()).toEqual(["1", "2"]);
      const first = pids[numbers.indexOf("1")] ?? 0;
      process.kill(first, "SIGKILL");
      await until(() => !server.workers().includes(first));
      await haveServed(server, 3);
      const later = await Promise.all(server.workers().map(numberOf));
      expect([...later].sort()).toEqual(["1", "2"]);
    } finally {
      await server.remove();
    }
  },
  60_000,
);
