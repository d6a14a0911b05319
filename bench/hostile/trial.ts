import { setTimeout as pause } from "node:timers/promises";
import { type Answer, ask, pathOf } from "../corpus/client.ts";
import { childrenOf, shareOf } from "../memory.ts";
import { processorTimeOf } from "../processor-time.ts";

/** The server under test, and good images on it. */
export interface Tried {
  readonly base: URL;
  readonly pid: number;
  /** Paths of good images, which are requested continuously. */
  readonly good: readonly string[];
}

/** The result of one request for a hostile image. */
export interface Reply {
  readonly what: string;
  readonly status: number;
  readonly message: string;
  readonly milliseconds: number;
  /** Processor time of all of the server's processes until the response, and a moment beyond. */
  readonly processorMs: number;
}

/** The result of a hostile image. */
export interface Trial {
  readonly name: string;
  readonly replies: readonly Reply[];
  /** The longest that a good image took meanwhile, in milliseconds. */
  readonly worstWait: number;
  /** Good images with another status than 200. */
  readonly lost: number;
  /** Workers that ended meanwhile. */
  readonly deaths: number;
  /** Peak memory of all processes meanwhile in bytes; 0 where not measured. */
  readonly memory: number;
}

/** Requests an image in four ways beside good images. */
export const tryPicture = async (
  tried: Tried,
  name: string,
  { page = 1, memory = true, settleMs = usualSettleMs, patienceMs = 60_000 }: TrialOptions = {},
): Promise<Trial> => {
  const before = await childrenOf(tried.pid);
  const watch = watchGood(tried, memory);
  const replies = await askAll(tried, name, { page, settleMs, patienceMs }).finally(() =>
    watch.stop(),
  );
  const seen = await watch.seen;
  const after = await childrenOf(tried.pid);
  const deaths = before.filter((pid) => !after.includes(pid)).length;
  return { name, replies, deaths, ...seen };
};

/** How an image is requested. */
export interface TrialOptions {
  /** Counted from 1; the first where absent. */
  readonly page?: number;
  /** Whether to measure memory, which takes the system some time; true where absent. */
  readonly memory?: boolean;
  /** Milliseconds to wait after each response for remaining work; 50 where absent. */
  readonly settleMs?: number;
  /** Milliseconds to wait for each response; 60,000 where absent. */
  readonly patienceMs?: number;
}

const askAll = async (
  tried: Tried,
  name: string,
  { page, settleMs, patienceMs }: Required<Omit<TrialOptions, "memory">>,
): Promise<Reply[]> => {
  const replies: Reply[] = [];
  const asked = async (what: string): Promise<Answer> => {
    const before = (await processorTimeOf(tried.pid)) ?? 0;
    const answer = await ask(tried.base, pathOf(name, page, what), patienceMs);
    // Work after the response counts, too.
    await pause(settleMs);
    const processorMs = ((await processorTimeOf(tried.pid)) ?? 0) - before;
    const { status, message, milliseconds } = answer;
    replies.push({ what, status, message, milliseconds, processorMs });
    return answer;
  };
  const tile = tileIn(await asked("info.json"));
  for (const region of ["full/!500,500", tile, "full/max"]) await asked(`${region}/0/default.jpg`);
  return replies;
};

const usualSettleMs = 50;

/** The first tile that info.json offers; some of the image where there is none. */
const tileIn = ({ status, body }: Answer): string => {
  if (status !== 200) return "0,0,256,256/256,256";
  const { width, height, tiles } = JSON.parse(Buffer.from(body).toString()) as About;
  const { width: side = 512, height: down = side } = tiles?.[0] ?? {};
  const [w, h] = [Math.min(width, side), Math.min(height, down)];
  return `0,0,${w},${h}/${w},${h}`;
};

interface About {
  readonly width: number;
  readonly height: number;
  readonly tiles?: readonly { readonly width: number; readonly height?: number }[];
}

/** Between two good requests, in milliseconds. */
const everyMs = 50;

/** Requests good images until it is stopped. */
const watchGood = ({ base, pid, good }: Tried, looksAtMemory: boolean) => {
  let isOver = false;
  const askOn = async () => {
    let [worstWait, lost, memory] = [0, 0, 0];
    for (let n = 0; !isOver; n++) {
      const { status, milliseconds } = await ask(base, good[n % good.length] ?? "");
      worstWait = Math.max(worstWait, milliseconds);
      if (status !== 200) lost++;
      if (looksAtMemory && n % 4 === 0) memory = Math.max(memory, await shareOf(pid));
      await pause(everyMs);
    }
    return { worstWait, lost, memory };
  };
  return {
    seen: askOn(),
    stop(): void {
      isOver = true;
    },
  };
};
