import type { IncomingMessage } from "node:http";
import type { DelegateContext } from "../../core/delegate.ts";
import { turned } from "../../core/geometry.ts";
import type { MetaIdentifier } from "../../core/identifier.ts";
import { type ImageInfo, pageOf } from "../../core/info.ts";
import type { ImageRequest } from "../../core/request.ts";
import { factsOf } from "../../formats/registry.ts";
import { pageIndex } from "../../iiif/offer.ts";
import type { Prepared } from "../../service/prepared.ts";
import type { Target } from "../request/target.ts";
import type { PublicAddress } from "../request/urls.ts";
import { operationsOf } from "./delegate-operations.ts";

/** A request as a delegate sees it before its identifier is parsed. */
export interface UnresolvedRequest {
  readonly raw: IncomingMessage;
  readonly address: Pick<PublicAddress, "base" | "client">;
  readonly target: Target;
}

/** The delegate's context of a request before its identifier is parsed. */
export const requestFacts = (request: UnresolvedRequest): Partial<DelegateContext> => ({
  client_ip: request.address.client,
  cookies: sentFacts(request.raw).cookies,
  request_headers: sentFacts(request.raw).request_headers,
  local_uri: localUri(request),
  request_uri: `${request.address.base}${request.target.path}`,
});

/** The same with what its identifier names. One literal, since it is built for each tile. */
export const namedFacts = (
  request: UnresolvedRequest,
  { identifier, page, first, constraint }: MetaIdentifier,
): Partial<DelegateContext> => {
  const { cookies, request_headers } = sentFacts(request.raw);
  return {
    client_ip: request.address.client,
    cookies,
    identifier,
    local_uri: localUri(request),
    request_uri: `${request.address.base}${request.target.path}`,
    request_headers,
    page_number: page !== 1 || first ? page : null,
    scale_constraint: [constraint.numerator, constraint.denominator],
  };
};

const localUri = ({ raw: { socket, headers }, target }: UnresolvedRequest): string => {
  const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  const host = target.authority ?? headers.host ?? "";
  return `${scheme}://${host}${target.path}${target.query === undefined ? "" : `?${target.query}`}`;
};

/** The headers and cookies that a client sent. */
type SentFacts = Pick<DelegateContext, "cookies" | "request_headers">;

interface Sent extends SentFacts {
  readonly raw: readonly string[];
}

/** Clients send the same headers with each request of a connection, so they are parsed once. */
const lastSent = new WeakMap<object, Sent>();

const sentFacts = ({ socket, rawHeaders, headers }: IncomingMessage): SentFacts => {
  const last = lastSent.get(socket);
  if (last && isSame(last.raw, rawHeaders)) return last;
  const cookies = cookiesOf(headers.cookie);
  const sent = { cookies, request_headers: headersOf(rawHeaders), raw: rawHeaders };
  lastSent.set(socket, sent);
  return sent;
};

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);

/** The delegate's context of a parsed identifier. */
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

/** The delegate's context of an image whose facts are known. */
export const imageFacts = (info: ImageInfo, id: MetaIdentifier): Partial<DelegateContext> => {
  const page = pageOf(info, pageIndex(info, id));
  return {
    ...(page ? { full_size: page.size } : {}),
    page_count: info.pages.length,
  };
};

/** The delegate's context of a response before it is sent. */
export const responseFacts = (
  request: ImageRequest,
  { plan, image }: Prepared,
): Partial<DelegateContext> => ({
  ...imageFacts(image.info, request.id),
  operations: operationsOf(request, plan, image.info),
  output_format: factsOf(plan.format).mediaTypes[0],
  resulting_size: turned(plan.size, plan.rotation),
});

/** Clients choose the names: `__proto__` and the like must be names like any other. */
const emptyRecord = (): Record<string, string> => Object.create(null);

const noCookies: Readonly<Record<string, string>> = Object.freeze(emptyRecord());

/**
 * Cookies by name; of repeated ones the last (as in Cantaloupe). A value goes up to the next
 * semicolon.
 */
const cookiesOf = (header: string | undefined): Readonly<Record<string, string>> => {
  if (header === undefined) return noCookies;
  const cookies = emptyRecord();
  for (const part of header.split(";")) {
    const at = part.indexOf("=");
    const name = (at < 0 ? "" : part.slice(0, at)).trim();
    const value = part.slice(at + 1).trim();
    if (name !== "" || value !== "") cookies[name] = value;
  }
  return Object.freeze(cookies);
};

/** Header fields by name as received; of repeated ones the last. */
const headersOf = (raw: readonly string[]): Readonly<Record<string, string>> => {
  const headers = emptyRecord();
  for (let at = 0; at + 1 < raw.length; at += 2) headers[raw[at] ?? ""] = raw[at + 1] ?? "";
  return Object.freeze(headers);
};
