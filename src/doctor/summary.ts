import { area } from "../core/geometry.ts";
import { factsOf } from "../formats/registry.ts";
import type { ObjectFacts } from "./facts.ts";
import {
  extensionOf,
  type Finding,
  type FindingCode,
  gainOf,
  isImage,
  type JudgingRules,
  type Severity,
  slowZoomOf,
} from "./judging.ts";

/** The images of one format. */
export interface FormatSummary {
  readonly format: string;
  /** The format's display name. */
  readonly name: string;
  readonly images: number;
  readonly bytes: number;
  /** Of the first pages. */
  readonly pixels: number;
  readonly tiled: number;
  readonly slow: number;
  readonly unreadable: number;
}

/** An object named in a summary. */
export interface NamedObject {
  readonly identifier: string;
  readonly text: string;
}

/** A slow image named in a summary. */
export interface NamedSlow {
  readonly identifier: string;
  /** Of its slowest page; estimated, in pixels. */
  readonly pixels: number;
  /** Cost of a tile divided by its cost with a pyramid. */
  readonly gain: number;
  readonly pyramidBytes: number;
}

/** Totals of a collection. */
export interface Summary {
  readonly objects: number;
  readonly images: number;
  readonly bytes: number;
  /** Of the first pages. */
  readonly pixels: number;
  readonly pages: number;
  /** The most frequent first. */
  readonly formats: readonly FormatSummary[];
  /** Objects that are not images, by extension, the most frequent first. */
  readonly others: readonly { readonly extension: string; readonly objects: number }[];
  readonly findings: Readonly<Partial<Record<FindingCode, number>>>;
  /** Estimated size of the pyramids of all slow images. */
  readonly pyramidBytes: number;
  /** The first of each kind, at most `maxNamed`. */
  readonly named: Readonly<Partial<Record<FindingCode, readonly NamedObject[]>>>;
  /** The slowest first, at most `maxNamed`. */
  readonly slowest: readonly NamedSlow[];
}

/** Maximum number of objects of a kind that a summary names. */
export const maxNamed = 50;

/** Maximum number of extensions that are counted separately. */
const maxExtensions = 200;

interface FormatCount {
  images: number;
  bytes: number;
  pixels: number;
  tiled: number;
  slow: number;
  unreadable: number;
}

/** Adds up objects one by one; its memory does not grow with their number. */
export class Tally {
  readonly #rules: Pick<JudgingRules, "pyramids">;
  readonly #formats = new Map<string, FormatCount>();
  readonly #others = new Map<string, number>();
  readonly #findings = new Map<FindingCode, number>();
  readonly #named = new Map<FindingCode, NamedObject[]>();
  #slowest: NamedSlow[] = [];
  #sums = { objects: 0, images: 0, bytes: 0, pixels: 0, pages: 0, pyramidBytes: 0 };

  constructor(rules: Pick<JudgingRules, "pyramids">) {
    this.#rules = rules;
  }

  add(facts: ObjectFacts, findings: readonly Finding[]): void {
    const sums = this.#sums;
    sums.objects++;
    for (const { code, text } of findings) {
      this.#findings.set(code, (this.#findings.get(code) ?? 0) + 1);
      const named = this.#named.get(code) ?? [];
      if (named.length < maxNamed) named.push({ identifier: facts.identifier, text });
      this.#named.set(code, named);
    }
    if (!isImage(facts)) {
      this.#addOther(facts);
      return;
    }
    sums.images++;
    sums.bytes += facts.bytes;
    sums.pages += facts.image?.pages ?? 0;
    sums.pixels += facts.image ? area(facts.image.size) : 0;
    this.#addFormat(facts, findings);
    this.#addSlow(facts);
  }

  get summary(): Summary {
    return {
      ...this.#sums,
      formats: [...this.#formats]
        .map(([format, counts]) => ({ format, name: nameOf(format), ...counts }))
        .sort((one, other) => other.images - one.images),
      others: [...this.#others]
        .map(([extension, objects]) => ({ extension, objects }))
        .sort((one, other) => other.objects - one.objects),
      findings: Object.fromEntries(this.#findings),
      named: Object.fromEntries(this.#named),
      slowest: this.#slowest,
    };
  }

  #addOther({ identifier }: ObjectFacts): void {
    const extension = extensionOf(identifier);
    const key = this.#others.has(extension) || this.#others.size < maxExtensions ? extension : "…";
    this.#others.set(key, (this.#others.get(key) ?? 0) + 1);
  }

  #addFormat({ format = "", bytes, image }: ObjectFacts, findings: readonly Finding[]): void {
    const isFound = (wanted: FindingCode): boolean => findings.some(({ code }) => code === wanted);
    const none = { images: 0, bytes: 0, pixels: 0, tiled: 0, slow: 0, unreadable: 0 };
    const counts = this.#formats.get(format) ?? none;
    this.#formats.set(format, counts);
    counts.images++;
    counts.bytes += bytes;
    counts.pixels += image ? area(image.size) : 0;
    counts.tiled += image?.tile ? 1 : 0;
    counts.slow += isFound("slow") ? 1 : 0;
    counts.unreadable += isFound("unreadable") ? 1 : 0;
  }

  #addSlow(facts: ObjectFacts): void {
    const zoom = slowZoomOf(facts, this.#rules);
    if (zoom === undefined) return;
    const { pyramidBytes } = zoom;
    this.#sums.pyramidBytes += pyramidBytes;
    const slow = {
      identifier: facts.identifier,
      pixels: zoom.tile.now,
      gain: gainOf(zoom),
      pyramidBytes,
    };
    const last = this.#slowest.at(-1);
    if (this.#slowest.length === maxNamed && last !== undefined && last.pixels >= slow.pixels)
      return;
    this.#slowest = [...this.#slowest, slow]
      .sort((one, other) => other.pixels - one.pixels)
      .slice(0, maxNamed);
  }
}

/** The display name of a format; "" is an unknown one. */
export const nameOf = (format: string): string =>
  format === "" ? "unknown" : factsOf(format).name;

/** The highest severity; undefined without findings. */
export const gravestOf = (findings: readonly Finding[]): Severity | undefined =>
  (["error", "warning", "note"] as const).find((severity) =>
    findings.some((finding) => finding.severity === severity),
  );
