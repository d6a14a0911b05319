import type { DelegateContext } from "../core/delegate.ts";

/**
 * The context as a delegate sees it: all keys, null for unknown ones, and entirely read-only. Facts
 * are copied unless they are deeply frozen, and metadata once for all requests. `learned` overrides
 * `facts`.
 */
export const contextOf = (
  facts: Partial<DelegateContext>,
  learned: Partial<DelegateContext> = {},
): DelegateContext => {
  const { scale_constraint = facts.scale_constraint, metadata = facts.metadata } = learned;
  const { operations = facts.operations } = learned;
  return Object.freeze({
    client_ip: learned.client_ip ?? facts.client_ip ?? null,
    cookies: named(learned.cookies ?? facts.cookies),
    identifier: learned.identifier ?? facts.identifier ?? null,
    local_uri: learned.local_uri ?? facts.local_uri ?? null,
    request_uri: learned.request_uri ?? facts.request_uri ?? null,
    request_headers: named(learned.request_headers ?? facts.request_headers),
    page_number: learned.page_number ?? facts.page_number ?? null,
    scale_constraint: scale_constraint
      ? Object.freeze<[number, number]>([scale_constraint[0], scale_constraint[1]])
      : unconstrained,
    full_size: sizeOf(learned.full_size ?? facts.full_size),
    metadata: metadata ? metadataOf(metadata) : null,
    page_count: learned.page_count ?? facts.page_count ?? null,
    operations: operations ? (frozenCopy(operations) as Operations) : null,
    output_format: learned.output_format ?? facts.output_format ?? null,
    resulting_size: sizeOf(learned.resulting_size ?? facts.resulting_size),
  });
};

/** Facts that contexts need not copy. They are deeply frozen. */
export const frozenFacts = (facts: Partial<DelegateContext>): Partial<DelegateContext> =>
  frozenCopy(facts) as Partial<DelegateContext>;

type Operations = NonNullable<DelegateContext["operations"]>;
type Metadata = NonNullable<DelegateContext["metadata"]>;
type FactValues = Readonly<Record<string, string>>;

const unconstrained = Object.freeze<[number, number]>([1, 1]);

/**
 * A copy without a prototype: a cookie called `constructor` exists only where the client sent it.
 */
const named = (values: FactValues | undefined): FactValues => {
  if (values === undefined) return nothing;
  return Object.isFrozen(values) && Object.getPrototypeOf(values) === null
    ? values
    : Object.freeze(Object.assign(Object.create(null), values));
};

const nothing: FactValues = Object.freeze(Object.create(null));

const sizeOf = (size: DelegateContext["full_size"] | undefined): DelegateContext["full_size"] => {
  if (!size) return null;
  return Object.isFrozen(size) ? size : Object.freeze({ width: size.width, height: size.height });
};

/** Metadata may be large, and is the same for all requests for an image. */
const metadataOf = (metadata: Metadata): Metadata => {
  const known = copies.get(metadata);
  if (known !== undefined) return known;
  const copy = frozenCopy(metadata) as Metadata;
  copies.set(metadata, copy);
  return copy;
};

const copies = new WeakMap<Metadata, Metadata>();

/** A read-only copy. Bytes are copied, since they cannot be frozen. */
const frozenCopy = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  if (ArrayBuffer.isView(value)) return new Uint8Array(bytesOf(value));
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, frozenCopy(one)])),
  );
};

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
