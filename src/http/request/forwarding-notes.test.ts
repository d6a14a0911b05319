import { describe, expect, it } from "vitest";
import { type Logger, silent } from "../../core/log.ts";
import { forwardingNotes } from "./forwarding-notes.ts";

const noting = () => {
  const said: string[] = [];
  const log: Logger = { ...silent, warn: (message) => void said.push(message) };
  return { said, note: forwardingNotes(log) };
};

const headers = { "x-forwarded-host": "images.example.org" };
const local = { headers, peer: "127.0.0.1", trusted: true, baseUri: "" };
const container = { headers, peer: "172.18.0.2", trusted: false, baseUri: "" };

describe("forwarding headers", () => {
  it("are reported once when they are used, and once when they are ignored", () => {
    const { said, note } = noting();
    for (let n = 0; n < 3; n++) {
      note(local);
      note(container);
    }
    expect(said).toHaveLength(2);
    expect(said[0]).toContain("is taken from forwarding headers");
    expect(said[1]).toContain("are ignored");
  });

  it("are not reported when absent, when base_uri is set, or from an untrusted peer", () => {
    const { said, note } = noting();
    note({ ...local, headers: { host: "a", "x-forwarded-for": "192.0.2.1" } });
    note({ ...local, baseUri: "https://images.example.org" });
    note({ ...container, baseUri: "https://images.example.org" });
    note({ ...container, peer: "203.0.113.9" });
    expect(said).toEqual([]);
  });
});
