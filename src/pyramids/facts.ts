import type { Size } from "../core/geometry.ts";

/** Facts about the page of a pyramid or refusal, stored next to it. */
export interface PageFacts {
  readonly identifier: string;
  /** Counted from 1. */
  readonly page: number;
  /** Of the page, upright, in pixels. */
  readonly size: Size;
  /** Size of the image's file in bytes. */
  readonly sourceBytes: number;
  /** When the pyramid was made, or refused. */
  readonly made: Date;
  /** Why it was refused. */
  readonly reason?: string;
}

/** Maximum length of a stored reason. */
const maxReason = 500;

/** Maximum bytes of stored facts: identifiers are no longer than a URL. */
export const maxFactsBytes = 262_144;

/** The facts as they are stored: JSON. */
export const factsText = ({ reason, ...facts }: PageFacts): string =>
  JSON.stringify({ ...facts, ...(reason !== undefined && { reason: reason.slice(0, maxReason) }) });

/** Parses stored facts; undefined if they are damaged. */
export const parseFacts = (text: string): PageFacts | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { identifier, page, size, sourceBytes, made, reason } = value as Record<string, unknown>;
  const { width, height } = (size ?? {}) as Record<string, unknown>;
  const at = new Date(typeof made === "string" ? made : Number.NaN);
  if (typeof identifier !== "string" || !isCount(page) || !isCount(width) || !isCount(height))
    return undefined;
  if (typeof sourceBytes !== "number" || !(sourceBytes >= 0) || Number.isNaN(at.getTime()))
    return undefined;
  return {
    identifier,
    page,
    size: { width, height },
    sourceBytes,
    made: at,
    ...(typeof reason === "string" && { reason: reason.slice(0, maxReason) }),
  };
};

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
