import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerReader } from "./answer.ts";

const counted = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const chunked =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nX: 1\r\n\r\n";
const empty = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n";
const bare = "HTTP/1.0 200 OK\r\n\r\nhello";

/** Feeds a response in pieces; returns after how many bytes it was complete. */
const feed = (reader: AnswerReader, text: string, cuts: readonly number[]): number | undefined => {
  reader.begin({ keep: true });
  const places = [...new Set(cuts.map((cut) => cut % text.length))].toSorted((a, b) => a - b);
  let from = 0;
  for (const to of [...places, text.length]) {
    if (reader.take(Buffer.from(text.slice(from, to), "latin1"))) return to;
    from = to;
  }
  return undefined;
};

describe("reading answers", () => {
  it("finds the end of an answer and its body, however its bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(counted, chunked),
        fc.array(fc.nat({ max: 200 }), { maxLength: 8 }),
        (text, cuts) => {
          const reader = new AnswerReader();
          expect(feed(reader, text, cuts)).toBe(text.length);
          expect([reader.status, reader.bytes, String(reader.body)]).toEqual([200, 5, "hello"]);
          expect(reader.reusable).toBe(true);
        },
      ),
    );
  });

  it("waits for no body where there is none, and does not use a closing connection again", () => {
    const reader = new AnswerReader();
    expect(feed(reader, empty, [])).toBe(empty.length);
    expect([reader.status, reader.bytes, reader.reusable]).toEqual([304, 0, false]);
  });

  it("takes the connection's end for the answer's only where nothing else tells it", () => {
    const reader = new AnswerReader();
    expect(feed(reader, bare, [4, 17])).toBeUndefined();
    expect([reader.close(), String(reader.body)]).toEqual([true, "hello"]);
    expect(feed(reader, counted.slice(0, -1), [])).toBeUndefined();
    expect(reader.close()).toBe(false);
  });

  it("refuses what is no HTTP", () => {
    const reader = new AnswerReader();
    reader.begin({ keep: false });
    expect(() => reader.take(Buffer.from("SSH-2.0\r\n\r\n"))).toThrow("HTTP/1.1");
  });
});
