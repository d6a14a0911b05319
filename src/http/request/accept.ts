import Negotiator from "negotiator";

/** Maximum length read of a header, so that a hostile one takes less than 2 ms. */
const maxLength = 4_096;

/**
 * Returns the one of `offers` (media types, the server's favourite first) that an Accept header
 * prefers (RFC 9110 §12.5.1); undefined when none is acceptable, or there is no header.
 */
export const negotiate = <Offer extends string>(
  header: string | undefined,
  offers: readonly Offer[],
): Offer | undefined => {
  if (header === undefined) return undefined;
  const accept = withoutParameters(header.slice(0, maxLength));
  const [preferred] = new Negotiator({ headers: { accept } }).mediaTypes([...offers]);
  return offers.find((offer) => offer === preferred);
};

/**
 * Without parameters other than `q`: clients name the profile of info.json in them, which no offer
 * has, and a range with a parameter matches only an offer that has it too.
 */
const withoutParameters = (header: string): string =>
  header.replace(/;(?!\s*q\s*=)[^;,="]+=\s*(?:"[^"]*"|[^;,"]*)/gi, "");
