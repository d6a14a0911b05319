import { afterAll, beforeAll, expect, it } from "vitest";
import { random } from "../random.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(drawPictures, {
    "access.rules.1.identifier": "^small",
    "access.rules.1.action": "allow",
    "access.rules.2.identifier": "^large\\.tif$",
    "access.rules.2.token": "reader-token-0123456789",
    "access.rules.2.action": "allow",
    "access.rules.3.identifier": "^large\\.tif$",
    "access.rules.3.address": ["192.0.2.0/24"],
    "access.rules.3.action": "allow",
    "access.rules.3.max_size": 400,
    "access.rules.4.identifier": "^large\\.tif$",
    "access.rules.4.action": "deny",
    "access.rules.4.status": "401",
    "access.rules.5.identifier": "^large\\.png$",
    "access.rules.5.header": "X-Remote-User",
    "access.rules.5.action": "allow",
    // Every cache is on and trusted.
    "cache.server.derivative.enabled": true,
    "cache.server.derivative": "HeapCache",
    "cache.server.info.trust_seconds": 60,
  });
});
afterAll(() => server?.close());

/** What a client gets of an image: nothing, with a status, or everything up to a width. */
type Due = { readonly refused: number } | { readonly width: number; readonly confined?: true };

interface User {
  readonly headers: Readonly<Record<string, string>>;
  readonly due: Readonly<Record<string, Due>>;
}

const small = { width: 300 };
const users: readonly User[] = [
  {
    headers: {},
    due: { "small.png": small, "large.tif": { refused: 401 }, "large.png": { refused: 403 } },
  },
  {
    headers: { authorization: "Bearer reader-token-0123456789" },
    due: { "small.png": small, "large.tif": { width: 1500 }, "large.png": { refused: 403 } },
  },
  {
    headers: { "x-forwarded-for": "192.0.2.9" },
    due: {
      "small.png": small,
      "large.tif": { width: 400, confined: true },
      "large.png": { refused: 403 },
    },
  },
  {
    headers: { "x-forwarded-for": "203.0.113.1", "x-remote-user": "eve" },
    due: { "small.png": small, "large.tif": { refused: 401 }, "large.png": { width: 1500 } },
  },
];

const paths = {
  max: (id: string) => `/iiif/3/${id}/full/max/0/default.png`,
  tile: (id: string) => `/iiif/2/${id}/0,0,100,100/100,/0/default.jpg`,
  info: (id: string) => `/iiif/3/${id}/info.json`,
} as const;
type Kind = keyof typeof paths;

const statusOf = (due: Due, kind: Kind): number => {
  if ("refused" in due) return due.refused;
  return kind === "tile" && due.confined ? 400 : 200;
};

/** The allowed width that the body shows: in a PNG's header or in the information. */
const widthIn = ({ body }: Answer, kind: Kind): number => {
  if (kind === "max") return body.readUInt32BE(16);
  const { width, maxWidth } = JSON.parse(body.toString());
  return maxWidth ?? width;
};

/** What is wrong with a response; undefined for nothing. */
const faultOf = (answer: Answer, due: Due, kind: Kind): string | undefined => {
  const { status, headers, body } = answer;
  const expected = statusOf(due, kind);
  if ((status === 304 ? 200 : status) !== expected) return `${status} for ${expected}`;
  if (expected !== 200 && headers.etag !== undefined) return "a tag of what is refused";
  if (status !== 200 || body.length === 0 || kind === "tile" || "refused" in due) return undefined;
  const width = widthIn(answer, kind);
  return width === due.width ? undefined : `${width} pixels for ${due.width}`;
};

it("each of hundreds of mixed requests gets only what it may, with every cache enabled", async () => {
  const { whole: any } = random(16);
  const pick = <T>(list: readonly T[]): T => list[any(0, list.length - 1)] as T;
  const tags = new Set<string>(['"none"']);
  const wrong: string[] = [];
  const seen = { fresh: 0, refused: 0, whole: 0 };
  let sent = 0;
  const once = async (): Promise<void> => {
    const { headers, due } = pick(users);
    const [identifier, expected] = pick(Object.entries(due));
    const kind = pick(Object.keys(paths) as Kind[]);
    const path = paths[kind](identifier);
    const method = pick(["GET", "GET", "GET", "HEAD"]);
    const condition = any(0, 2) === 0 ? { "if-none-match": [...tags].join(", ") } : {};
    const answer = await server.ask(path, { method, headers: { ...headers, ...condition } });
    const fault = faultOf(answer, expected, kind);
    if (fault !== undefined) wrong.push(`${method} ${path} ${JSON.stringify(headers)}: ${fault}`);
    if (answer.headers.etag !== undefined) tags.add(answer.headers.etag);
    seen[answer.status === 304 ? "fresh" : answer.status === 200 ? "whole" : "refused"]++;
  };
  const lane = async (): Promise<void> => {
    while (sent++ < 900) await once();
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  expect(wrong).toEqual([]);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
}, 60_000);
