import type { App } from "../../app/app.ts";
import { sleep } from "../../core/abort.ts";
import type { Version } from "../../iiif/version.ts";
import {
  type MakePyramids,
  maxText,
  retryAfterSeconds,
  Unreachable,
  WarmFailure,
  type WarmTarget,
} from "./target.ts";

/** The parts of the app that answer. */
export type WarmedApp = Pick<App, "listeners" | "derivatives" | "pyramids" | "close">;

/** Further parts. */
export interface OwnTargetOptions {
  readonly versions: readonly Version["number"][];
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests wait while more bytes than this are still to be written: a full queue drops entries. */
const maxWaitingBytes = 16_777_216;
/** Milliseconds between two checks of the queue. */
const lookMs = 20;

/** The app in this process, which writes to the configured caches itself. */
export const ownTarget = (app: WarmedApp, { versions, headers }: OwnTargetOptions): WarmTarget => {
  const back = app.derivatives?.back;
  let isSettling = false;
  let lost = lossesOf(app);
  const room = async (signal: AbortSignal): Promise<void> => {
    while (isSettling || (back?.backlog.bytes ?? 0) > maxWaitingBytes) await sleep(lookMs, signal);
  };
  return {
    name: "this process",
    isOneLogin: false,
    versions: async () => versions,
    async get(url, signal) {
      await room(signal);
      signal.throwIfAborted();
      const [listener] = app.listeners;
      if (listener === undefined)
        throw new Unreachable(
          "the configuration has no listener; set http.enabled or https.enabled to true",
        );
      const response = await listener.server.inject({
        method: "GET",
        url,
        headers: { ...headers, host: "localhost" },
        signal,
      });
      const { statusCode: status, rawPayload } = response;
      const isText = status >= 400 || /json/i.test(String(response.headers["content-type"] ?? ""));
      const retryAfter = retryAfterSeconds(response.headers["retry-after"]);
      return {
        status,
        bytes: rawPayload.length,
        text: isText ? rawPayload.subarray(0, maxText).toString("utf8") : "",
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    },
    makePyramids: app.pyramids && pyramidsBy(app.pyramids),
    async settle(signal) {
      isSettling = true;
      try {
        // Entries are queued after their responses.
        do await sleep(lookMs, signal);
        while ((back?.backlog.entries ?? 0) > 0);
        const before = lost;
        lost = lossesOf(app);
        return lost === before;
      } finally {
        isSettling = false;
      }
    },
    close: () => app.close(),
  };
};

/** Entries that were not written, or may not have been. */
const lossesOf = ({ derivatives }: WarmedApp): number => {
  const { back } = derivatives ?? {};
  return back === undefined ? 0 : back.tally.failures + back.tally.spared + back.backlog.dropped;
};

const pyramidsBy =
  ({ make }: NonNullable<WarmedApp["pyramids"]>): MakePyramids =>
  async (identifier, onProgress, signal) => {
    const { refused } = await make(identifier, { onProgress }, signal);
    const [first, ...more] = refused;
    if (first !== undefined)
      throw new WarmFailure(
        `pyramids: ${first}${more.length > 0 ? ` (and ${more.length} more pages)` : ""}`,
      );
  };
