import type { DelegateContext } from "../core/delegate.ts";
import { formats } from "../core/formats.ts";
import type { MetaIdentifier } from "../core/identifier.ts";
import { type ImageInfo, pageOf } from "../core/info.ts";
import type { ImageRequest } from "../core/request.ts";
import { pageIndex } from "../iiif/offer.ts";
import { turned } from "../render/geometry.ts";
import type { Prepared } from "../service/prepared.ts";
import { operationsOf } from "./delegate-operations.ts";
import type { Exchange } from "./exchange.ts";

/** What a delegate may know of a request before its identifier is taken apart. */
export const requestFacts = ({
  request,
  address,
  target,
}: Pick<Exchange, "request" | "address" | "target">): Partial<DelegateContext> => {
  const { socket, rawHeaders } = request.raw;
  const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  const host = target.authority ?? request.headers.host ?? "";
  return {
    client_ip: address.client,
    cookies: cookiesOf(request.headers.cookie),
    local_uri: `${scheme}://${host}${target.path}${target.query === undefined ? "" : `?${target.query}`}`,
    request_uri: `${address.base}${target.path}`,
    request_headers: headersOf(rawHeaders),
  };
};

/** What a delegate may know of what an identifier names. */
export const identifierFacts = ({
  identifier,
  page,
  first,
  constraint,
}: MetaIdentifier): Partial<DelegateContext> => ({
  identifier,
  page_number: page !== 1 || first ? page : null,
  scale_constraint: [constraint.numerator, constraint.denominator],
});

/** What a delegate may know of an image once it was looked at. */
export const imageFacts = (info: ImageInfo, id: MetaIdentifier): Partial<DelegateContext> => {
  const page = pageOf(info, pageIndex(info, id));
  return {
    ...(page ? { full_size: page.size } : {}),
    page_count: info.pages.length,
  };
};

/** What a delegate may know of a response before it is sent. */
export const responseFacts = (
  request: ImageRequest,
  { plan, image }: Prepared,
): Partial<DelegateContext> => ({
  ...imageFacts(image.info, request.id),
  operations: operationsOf(request, plan, image.info),
  output_format: formats[plan.format].mediaTypes[0],
  resulting_size: turned(plan.size, plan.rotation),
});

/** Cookies by name; of repeated ones the last (as in Cantaloupe). A value goes up to the next semicolon. */
const cookiesOf = (header: string | undefined): Readonly<Record<string, string>> => {
  const cookies: [string, string][] = [];
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    const name = (at < 0 ? "" : part.slice(0, at)).trim();
    const value = part.slice(at + 1).trim();
    if (name !== "" || value !== "") cookies.push([name, value]);
  }
  return withoutPrototype(cookies);
};

/** Header fields by name as received; of repeated ones the last. */
const headersOf = (raw: readonly string[]): Readonly<Record<string, string>> =>
  withoutPrototype(
    Array.from({ length: raw.length / 2 }, (_, n) => [raw[2 * n] ?? "", raw[2 * n + 1] ?? ""]),
  );

/** Names come from the client: `__proto__` and the like are names as any other. */
const withoutPrototype = (
  entries: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> => {
  const record: Record<string, string> = Object.create(null);
  for (const [name, value] of entries) record[name] = value;
  return record;
};
