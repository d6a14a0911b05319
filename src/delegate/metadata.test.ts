import { describe, expect, it, test } from "vitest";
import { metadata } from "./metadata.ts";

const rdf = (content: string): string =>
  `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${content}</rdf:RDF>`;

describe("a metadata answer", () => {
  it("may be RDF, with or without a packet around it", () => {
    const meta = `<x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf("")}</x:xmpmeta>`;
    expect(metadata.read(rdf(""))).toBe(rdf(""));
    expect(
      metadata.read(
        `<?xml version="1.0"?>\uFEFF<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n${meta}\n<?xpacket end="w"?> \n`,
      ),
    ).toBe(meta);
    expect(metadata.read(null)).toBeNull();
    expect(metadata.read(undefined)).toBeNull();
  });

  test.each([
    ["a number", 5],
    ["another document", "<html/>"],
    ["XMP without RDF", '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'],
    ["a control character", rdf("\u0001")],
    ["half a character", rdf("\uD800")],
    ["too much", rdf("x".repeat(1_048_576))],
  ])("is invalid: %s", (_, answer) => {
    expect(metadata.read(answer)).toBeUndefined();
  });

  test.each([
    ["", "must contain a root element"],
    ["title: x", "text data outside of root node"],
    [rdf("<a>"), "unexpected close tag"],
    [rdf("<dc:title/>"), 'unbound namespace prefix: "dc"'],
    [`<!DOCTYPE r [<!ENTITY a "b">]>${rdf("&a;")}`, "document type declaration"],
    [rdf("") + rdf(""), "documents may contain only one root"],
    [`${rdf("")} rest`, "text data outside of root node"],
  ])("is not XML: %s", (answer, says) => {
    expect(() => metadata.read(answer)).toThrow(says);
  });
});
