import { expect, it } from "vitest";
import { type CallMessage, Calls } from "../administration/calls.ts";
import { silent } from "../core/log.ts";
import type { Overview, TakeGrowing } from "../render/overview.ts";
import { completeOverview } from "../service/overview-in-making.ts";
import { exchangeThrough, servedClaims } from "./overview-calls.ts";

const size = { width: 10, height: 10 };
const overview: Overview = {
  pixels: new Uint8Array([1, 2, 3]),
  size,
  look: { space: "srgb", keepsProfile: false },
  raster: { size, covers: { x: 0, y: 0, ...size } },
};
const { signal } = new AbortController();

/** The calls of two processes, between which only what can be cloned passes. */
const connected = (): readonly [Calls, Calls] => {
  const sending = (to: () => Calls) => (message: CallMessage) => {
    to().hear(structuredClone(message));
    return true;
  };
  const first: Calls = new Calls(sending(() => second));
  const second: Calls = new Calls(sending(() => first));
  return [first, second];
};

it.skipIf(process.platform !== "linux")(
  "workers get an overview from the one that claimed it first, through the supervisor",
  async () => {
    const pairs = new Map([1, 2].map((worker) => [worker, connected()] as const));
    const claims = servedClaims((worker) => pairs.get(worker)?.[0], silent);
    const [first, second] = [...pairs].map(([worker, [toWorker, toSupervisor]]) => {
      toWorker.serve(claims(worker));
      const own = exchangeThrough(toSupervisor, silent);
      toSupervisor.serve(own?.served ?? {});
      const lend = async (after: number) =>
        after === 0 ? { overview, final: { rows: 4, bytes: 2 } } : completeOverview(overview);
      own?.exchange.serve(async (_, after) => (worker === 1 ? lend(after) : undefined), 100);
      return own?.exchange;
    });
    const grown: number[] = [];
    const take: TakeGrowing = (_, { bytes }) => grown.push(bytes);
    expect(await first?.find("a", signal, take)).toBeUndefined();
    expect(await second?.find("a", signal, take)).toEqual(overview);
    expect(grown).toEqual([2]);
    expect(await second?.look("a", signal)).toEqual(overview);
    expect(await second?.look("b", signal)).toBeUndefined();
  },
);
