import { afterEach, describe, expect, it } from "vitest";
import { contextOf } from "../../test/contract/source.ts";
import { remoteSettings } from "../../test/memory-store.ts";
import {
  type Http2Origin,
  opensslIsHere,
  startHttp2Origin,
} from "../../test/servers/http2-origin.ts";
import { Config } from "../config/store.ts";
import type { Source } from "../core/source.ts";
import { http } from "./http.ts";
import { createRemote } from "./remote/remote.ts";

const bytes = Uint8Array.from({ length: 900_001 }, (_, index) => (index * 7 + (index >> 8)) % 251);
const closing: (() => Promise<unknown> | undefined)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const start = async (): Promise<{ readonly origin: Http2Origin; readonly source: Source }> => {
  const origin = await startHttp2Origin(bytes);
  const config = new Config({
    "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/`,
    "HttpSource.allow_insecure": true,
  });
  const source = http.create(
    config.view(http.keys),
    undefined,
    createRemote(() => remoteSettings),
  );
  closing.push(
    () => source.close?.(),
    () => origin.close(),
  );
  return { origin, source };
};

/** Reads ranges in different blocks of the object, concurrently. */
const readParts = async (source: Source, offsets: readonly number[]): Promise<void> => {
  const object = await source.find("a.tif", contextOf("a.tif"));
  const reader = await object.open();
  const parts = await Promise.all(offsets.map((offset) => reader.read(offset, 1_000)));
  for (const [index, part] of parts.entries()) {
    const offset = offsets[index] ?? 0;
    expect(Buffer.from(part)).toEqual(Buffer.from(bytes.subarray(offset, offset + 1_000)));
  }
};

const some = [100_000, 250_000, 400_000, 550_000];
const others = [175_000, 325_000, 475_000, 625_000];

const skipped = opensslIsHere ? "" : " (skipped: the openssl program is absent)";

describe.skipIf(!opensslIsHere)(`a web server that offers HTTP/2${skipped}`, () => {
  it("is read by ranges over persistent sessions", async () => {
    const { origin, source } = await start();
    await readParts(source, some);
    const { sessions } = origin;
    expect(sessions).toBeLessThanOrEqual(some.length);
    await readParts(source, others);
    expect(origin.sessions).toBe(sessions);
    // The first request finds the object, and the one before `others` checks whether it changed.
    expect(origin.versions).toEqual(Array.from({ length: 10 }, () => "2.0"));
  });

  it("is asked again if it closes the session in mid-image", async () => {
    const { origin, source } = await start();
    let closed = 0;
    origin.interfere = ({ stream }) => {
      if (origin.versions.length !== 3) return false;
      closed++;
      stream.session?.destroy();
      return true;
    };
    await readParts(source, some);
    expect(closed).toBe(1);
  });

  it("is asked again if it announces the end of a session", async () => {
    const { origin, source } = await start();
    let announced = 0;
    origin.interfere = ({ stream }) => {
      if (origin.versions.length !== 1) return false;
      announced++;
      stream.session?.goaway();
      return false;
    };
    await readParts(source, some);
    await readParts(source, others);
    expect(announced).toBe(1);
  });

  it("is asked again if it refuses a stream", async () => {
    const { origin, source } = await start();
    let refused = 0;
    origin.interfere = ({ stream }) => {
      if (origin.versions.length !== 2) return false;
      refused++;
      stream.close(7);
      return true;
    };
    await readParts(source, some);
    expect(refused).toBe(1);
  });
});
