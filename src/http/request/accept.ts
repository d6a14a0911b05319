/** One media range of an Accept header. */
export interface MediaRange {
  /** Lower case; `*` for any. */
  readonly type: string;
  readonly subtype: string;
  /** 0 to 1. */
  readonly quality: number;
}

/** Ranges beyond this many are not read. */
const maxRanges = 50;

/**
 * The ranges of an Accept header, the most wanted first; those not wanted at all (`q=0`) stay in,
 * last.
 */
export const parseAccept = (header: string | undefined): readonly MediaRange[] => {
  if (header === undefined) return [];
  const ranges: MediaRange[] = [];
  for (const part of header.split(",").slice(0, maxRanges)) {
    const [range = "", ...parameters] = part.split(";");
    const found = /^\s*([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)\s*$/.exec(range);
    if (found?.[1] === undefined || found[2] === undefined) continue;
    ranges.push({
      type: found[1].toLowerCase(),
      subtype: found[2].toLowerCase(),
      quality: qualityOf(parameters),
    });
  }
  return ranges.sort((one, other) => other.quality - one.quality);
};

const qualityOf = (parameters: readonly string[]): number => {
  for (const parameter of parameters) {
    const found = /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter);
    const value = Number(found?.[1] ?? Number.NaN);
    if (!Number.isNaN(value)) return Math.min(Math.max(value, 0), 1);
  }
  return 1;
};

/**
 * The one of `offers` (media types, the server's favourite first) that is wanted most (RFC 9110
 * §12.5.1): the most specific range decides for each offer; among equals, the order in the header,
 * then the server's. Undefined when none is acceptable, or no header was sent.
 */
export const negotiate = <Offer extends string>(
  ranges: readonly MediaRange[],
  offers: readonly Offer[],
): Offer | undefined => {
  let best: (Match & { readonly offer: Offer }) | undefined;
  for (const offer of offers) {
    const match = rangeFor(ranges, offer);
    if (match === undefined || match.quality === 0) continue;
    const better =
      best === undefined ||
      match.quality > best.quality ||
      (match.quality === best.quality &&
        (match.specificity > best.specificity ||
          (match.specificity === best.specificity && match.place < best.place)));
    if (better) best = { offer, ...match };
  }
  return best?.offer;
};

interface Match {
  readonly quality: number;
  /** In the order of preference of the header. */
  readonly place: number;
  /** 2 for a full media type, 1 where only the type is named, 0 where neither is. */
  readonly specificity: number;
}

const rangeFor = (ranges: readonly MediaRange[], offer: string): Match | undefined => {
  let found: Match | undefined;
  for (const [place, range] of ranges.entries()) {
    const specificity = specificityFor(range, offer);
    if (specificity !== undefined && (found === undefined || specificity > found.specificity))
      found = { quality: range.quality, place, specificity };
  }
  return found;
};

const specificityFor = ({ type, subtype }: MediaRange, offer: string): number | undefined => {
  if (offer === `${type}/${subtype}`) return 2;
  if (subtype !== "*") return undefined;
  if (type === "*") return 0;
  return offer.startsWith(`${type}/`) ? 1 : undefined;
};
