import { fail } from "../core/errors.ts";
import type { PyramidPage, PyramidRecord, PyramidsListed } from "../service/pyramids.ts";
import { isCursor } from "./names.ts";
import type { PendingPyramid } from "./queue.ts";
import type { ListedPyramid, PyramidStore } from "./store.ts";

/** Maximum number of records of a page. */
const maxRecords = 1_000;

/** Maximum number of stored names that are scanned for one page. */
const maxLooked = 20_000;

/** Number of facts that are read at the same time. */
const batch = 16;

/** A cursor before all names. */
const start = "0";

/**
 * A page of records: pending ones first, then stored ones sorted by name. Throws `malformed` for an
 * invalid cursor or number.
 */
export const listPyramids = async (
  store: PyramidStore,
  pending: readonly PendingPyramid[],
  page: PyramidPage,
  signal: AbortSignal,
): Promise<PyramidsListed> => {
  checkPage(page);
  const { after, max, state } = page;
  const first =
    after === undefined
      ? pending.map(pendingRecord).filter((one) => state === undefined || one.state === state)
      : [];
  if (first.length >= max) return { records: first.slice(0, max), next: start };
  if (state === "waiting" || state === "making") return { records: first };
  const names = new Set(pending.map(({ name }) => name));
  const isWanted = (one: ListedPyramid): boolean =>
    (state === undefined || stateOf(one) === state) && !names.has(one.name);
  const rest = await storedRecords(
    store,
    { after: after ?? "", max: max - first.length, isWanted },
    signal,
  );
  return { ...rest, records: [...first, ...rest.records] };
};

const checkPage = ({ after, max }: PyramidPage): void => {
  if (!Number.isInteger(max) || max < 1 || max > maxRecords)
    fail("malformed", `Expected 1 to ${maxRecords} records of pyramids; got ${max}.`);
  if (after !== undefined && !isCursor(after))
    fail("malformed", "Expected 'after' to be the 'next' of a previous response.");
};

const storedRecords = async (
  store: PyramidStore,
  {
    after,
    max,
    isWanted,
  }: {
    readonly after: string;
    readonly max: number;
    readonly isWanted: (one: ListedPyramid) => boolean;
  },
  signal: AbortSignal,
): Promise<PyramidsListed> => {
  const records: PyramidRecord[] = [];
  let looked = 0;
  let listed: ListedPyramid[] = [];
  const readFacts = async (): Promise<void> => {
    const found = await Promise.all(listed.map((one) => recordOf(store, one, signal)));
    for (const record of found) if (record) records.push(record);
    listed = [];
  };
  for await (const one of store.list(after, signal)) {
    if (isWanted(one)) listed.push(one);
    looked++;
    if (records.length + listed.length >= max || listed.length >= batch) await readFacts();
    // Some may have been deleted in the meantime.
    if (records.length < max && looked < maxLooked) continue;
    await readFacts();
    return { records, next: one.name };
  }
  await readFacts();
  return { records };
};

const stateOf = ({ kind }: ListedPyramid): "ready" | "refused" =>
  kind === "pyramid" ? "ready" : "refused";

const pendingRecord = ({ facts, state, progress }: PendingPyramid): PyramidRecord => ({
  ...facts,
  state,
  ...(state === "making" && { progress }),
});

const recordOf = async (
  store: PyramidStore,
  listed: ListedPyramid,
  signal: AbortSignal,
): Promise<PyramidRecord | undefined> => {
  const facts = await store.facts(listed, signal);
  if (facts === undefined) return undefined;
  if (listed.kind === "refusal") return { ...facts, state: "refused" };
  const { reason: _, ...ready } = facts;
  return { ...ready, state: "ready", bytes: listed.bytes, used: new Date(listed.usedMs) };
};
