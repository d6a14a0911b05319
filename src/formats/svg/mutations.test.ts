import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { useDamaged } from "../../../test/mutating.ts";
import { Config } from "../../config/store.ts";
import { createSvgDecoder } from "./decoder.ts";
import { svgKeys } from "./keys.ts";
import { createSvgProcesses, svgProcessLimits } from "./processes.ts";

const count = amount(1_000);
const settings = new Config({ "processor.timeout": 0 }).view(svgKeys);
const processes = createSvgProcesses(() => svgProcessLimits(settings(), { threads: 1 }));
afterAll(() => processes.close());

/**
 * Random bytes that no text contains, letters and signs: otherwise damage would be no more than a
 * wrong character.
 */
const asText = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0x1f
    ? bytes
    : bytes.map((byte) => (byte < 32 || byte > 126 ? 33 + (byte % 94) : byte));

test(`${count} corrupt SVG documents are rendered or rejected`, { timeout: 300_000 }, async () => {
  const namespaces =
    'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const originals = [
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg [<!ENTITY c "#f00">]>\n<svg ${namespaces} width="40" height="30" viewBox="0 0 80 60"><rect x="2" y="2" width="44" height="34" fill="&c;"/><path d="M10 10 L20 30 Q 40 50 60 10 Z" stroke="blue" stroke-width="2"/></svg>`,
    `<svg ${namespaces} width="1in" height="20mm"><defs><linearGradient id="g"><stop offset="0" stop-color="lime"/><stop offset="1" stop-opacity="0"/></linearGradient><filter id="b"><feGaussianBlur stdDeviation="2"/></filter></defs><circle cx="40" cy="30" r="20" fill="url(#g)" filter="url(#b)"/><use xlink:href="#t" transform="rotate(20) scale(1.5)"/><text id="t" x="4" y="20" font-size="9">Aa &amp; &#x42;</text></svg>`,
    `<svg ${namespaces} viewBox="0 0 30 30"><style>.a { fill: #123; opacity: .5 }</style><g class="a" clip-path="url(#c)"><polygon points="1,1 29,3 15,28"/></g><clipPath id="c"><ellipse cx="15" cy="15" rx="12" ry="9"/></clipPath></svg>`,
  ].map((text) => Buffer.from(text));
  const [first = Buffer.alloc(0)] = originals;
  const decoder = createSvgDecoder(settings, processes);
  const outcomes = await useDamaged(decoder, [...originals, gzipSync(first)], {
    count,
    seed: 1_999,
    mend: asText,
  });
  expect(outcomes.read).toBeGreaterThan(count / 20);
  expect(outcomes.refused).toBeGreaterThan(count / 10);
});
