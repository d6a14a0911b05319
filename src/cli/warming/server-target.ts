import { BadRedirect, createHttpClient, type HttpClient } from "../../clients/http.ts";
import type { Version } from "../../iiif/version.ts";
import { callTarget } from "./calls.ts";
import { type ApiLogin, pyramidTasks } from "./pyramid-tasks.ts";
import {
  maxText,
  retryAfterSeconds,
  type WarmAnswer,
  WarmFailure,
  type WarmTarget,
} from "./target.ts";

/** How a running server is reached. */
export interface ServerTargetOptions {
  /** Its base URL, including a path before `/iiif`. */
  readonly url: URL;
  /** Sent with every request to the server, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum concurrent connections. */
  readonly connections: number;
  /** For its HTTP API; absent where there is none. */
  readonly login?: ApiLogin | undefined;
  /** Reports that the HTTP API does not make pyramids. */
  readonly warn: (message: string) => void;
}

/** Time limits in milliseconds: of connecting, and of a whole response. */
const connectMs = 10_000;
const maxMs = 180_000;

/** A running server, by HTTP. */
export const serverTarget = (options: ServerTargetOptions): WarmTarget => {
  const { url, headers, connections, login, warn } = options;
  const name = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  const client = createHttpClient({
    connectMs,
    connections,
    insecure: false,
    // The user named it.
    isTrusted: () => true,
  });
  const send = { client, name, headers };
  return {
    name,
    isOneLogin: true,
    get: (path, signal) => get(send, path, signal),
    async versions(signal) {
      const enabled: Version["number"][] = [];
      for (const number of [3, 2, 1] as const)
        if ((await get(send, `/iiif/${number}`, signal)).status === 200) enabled.push(number);
      return enabled;
    },
    makePyramids: pyramidTasks({ client, name, headers, login, warn }),
    // Servers store their responses themselves.
    settle: async () => true,
    close: () => client.close(),
  };
};

interface Sending {
  readonly client: HttpClient;
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

const get = async (
  { client, name, headers }: Sending,
  path: string,
  signal: AbortSignal,
): Promise<WarmAnswer> => {
  const receive = async (limited: AbortSignal): Promise<WarmAnswer> => {
    const response = await client.get(new URL(name + path), {
      headers: { "user-agent": "vitrine-warm" },
      ownHeaders: headers,
      signal: limited,
    });
    const isText =
      response.status >= 400 || /json/i.test(String(response.headers["content-type"] ?? ""));
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (isText && bytes <= maxText) chunks.push(chunk);
    }
    const retryAfter = retryAfterSeconds(response.headers["retry-after"]);
    return {
      status: response.status,
      bytes,
      text: Buffer.concat(chunks).toString("utf8"),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  };
  const isOther = (error: unknown): boolean => error instanceof BadRedirect;
  try {
    return await callTarget({ name, maxMs, signal }, receive, isOther);
  } catch (error) {
    throw error instanceof BadRedirect ? new WarmFailure(error.message) : error;
  }
};
