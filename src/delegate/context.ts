import type { DelegateContext } from "../core/delegate.ts";

/**
 * The context as a delegate sees it: all keys, null for what is not known, and nothing in it can be changed.
 * What `facts` holds is copied, but for `metadata`, of which there is one copy for all requests.
 */
export const contextOf = (facts: Partial<DelegateContext>): DelegateContext =>
  Object.freeze({
    client_ip: facts.client_ip ?? null,
    cookies: named(facts.cookies),
    identifier: facts.identifier ?? null,
    local_uri: facts.local_uri ?? null,
    request_uri: facts.request_uri ?? null,
    request_headers: named(facts.request_headers),
    page_number: facts.page_number ?? null,
    scale_constraint: facts.scale_constraint
      ? Object.freeze<[number, number]>([facts.scale_constraint[0], facts.scale_constraint[1]])
      : unconstrained,
    full_size: sizeOf(facts.full_size),
    metadata: facts.metadata ? metadataOf(facts.metadata) : null,
    page_count: facts.page_count ?? null,
    operations: facts.operations ? (frozenCopy(facts.operations) as Operations) : null,
    output_format: facts.output_format ?? null,
    resulting_size: sizeOf(facts.resulting_size),
  });

type Operations = NonNullable<DelegateContext["operations"]>;
type Metadata = NonNullable<DelegateContext["metadata"]>;
type Named = Readonly<Record<string, string>>;

const unconstrained = Object.freeze<[number, number]>([1, 1]);

/** A copy without a prototype: a cookie called `constructor` is there only where the client sent it. */
const named = (values: Named | undefined): Named =>
  values === undefined ? nothing : Object.freeze(Object.assign(Object.create(null), values));

const nothing: Named = Object.freeze(Object.create(null));

const sizeOf = (size: DelegateContext["full_size"] | undefined): DelegateContext["full_size"] =>
  size ? Object.freeze({ width: size.width, height: size.height }) : null;

/** Metadata may be large, and is the same for all requests for an image. */
const metadataOf = (metadata: Metadata): Metadata => {
  const known = copies.get(metadata);
  if (known !== undefined) return known;
  const copy = frozenCopy(metadata) as Metadata;
  copies.set(metadata, copy);
  return copy;
};

const copies = new WeakMap<Metadata, Metadata>();

/** A copy that nobody can change. Bytes are copied, since they cannot be frozen. */
const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  if (ArrayBuffer.isView(value)) return new Uint8Array(bytesOf(value));
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, frozenCopy(one)])),
  );
};

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
