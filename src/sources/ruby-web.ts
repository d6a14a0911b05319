import { STATUS_CODES } from "node:http";
import type { HttpClient } from "../clients/http.ts";
import { httpTrouble } from "../clients/http-failures.ts";
import type { AskWeb, RubyWebAnswer } from "../delegate/ruby/web.ts";

/** Maximum bytes of a response's body; it is held in memory several times. */
const maxBodyBytes = 8 * 2 ** 20;

/** Sends requests of Ruby delegates under the client's rules on addresses. */
export const rubyWebClient =
  (client: HttpClient): AskWeb =>
  async ({ method, url: address, headers, body, seconds }, signal) => {
    if (!URL.canParse(address) || !/^https?:/i.test(address))
      return refused(`expected an address of http or https, got ${address}`);
    const url = new URL(address);
    const limit = seconds === null ? signal : AbortSignal.any([signal, timeoutOf(seconds)]);
    try {
      const response = await client.send(url, {
        method,
        headers,
        ...(body === null ? {} : { body: Buffer.from(body, "base64") }),
        signal: limit,
      });
      const bytes = await bodyOf(response.body);
      if (bytes === undefined) {
        response.discard();
        return refused(`the response of ${url.origin} has more than ${maxBodyBytes} bytes`);
      }
      const { status } = response;
      return {
        status,
        reason: STATUS_CODES[status] ?? "",
        headers: headersOf(response.headers),
        body: bytes.toString("base64"),
      };
    } catch (error) {
      if (limit.aborted) return { failure: "late", message: `${url.origin} took too long` };
      return failureOf(error, url);
    }
  };

const refused = (message: string): RubyWebAnswer => ({ failure: "refused", message });

const timeoutOf = (seconds: number): AbortSignal =>
  AbortSignal.timeout(Math.min(Math.max(1, seconds * 1_000), maxTimeoutMs));

const maxTimeoutMs = 600_000;

const bodyOf = async (body: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.byteLength;
    if (length > maxBodyBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts, length);
};

const headersOf = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): readonly (readonly [string, string])[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, one] as const),
  );

const failureOf = (error: unknown, { origin }: URL): RubyWebAnswer => {
  const message = error instanceof Error ? error.message : String(error);
  switch (httpTrouble(error)) {
    case "late":
      return { failure: "late", message: `${origin} took too long` };
    case "forbidden":
      return refused(message);
    default:
      return { failure: "unreachable", message: `${origin} cannot be reached: ${message}` };
  }
};
