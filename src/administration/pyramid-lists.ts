import { fail } from "../core/errors.ts";
import type { PyramidPage, PyramidRecord, PyramidsListed } from "../service/pyramids.ts";
import type { Member } from "./member.ts";

/** The pyramids that processes make, and those in the store that they share. */
export const listEverywhere = async (
  members: readonly Pick<Member, "pyramids">[],
  query: PyramidPage,
): Promise<PyramidsListed> => {
  const [first] = members;
  if (first === undefined) return fail("busy", "No process is serving at the moment.");
  if (query.after !== undefined) return first.pyramids(query);
  const states = (["making", "waiting"] as const).filter(
    (state) => query.state === undefined || query.state === state,
  );
  const asked = await Promise.allSettled(
    members.flatMap((member) => states.map((state) => member.pyramids({ max: query.max, state }))),
  );
  const pending = asked
    .flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value.records : []))
    .sort((one, other) => rank(one) - rank(other));
  if (query.state === "making" || query.state === "waiting")
    return { records: once(pending).slice(0, query.max) };
  // At least one stored record, because its cursor leads to the next page.
  const shown = once(pending).slice(0, query.max - 1);
  const { records, next } = await first.pyramids({ ...query, max: query.max - shown.length });
  const isShown = ({ state, page, identifier }: PyramidRecord): boolean =>
    state !== "ready" && shown.some((one) => one.page === page && one.identifier === identifier);
  return {
    records: [...shown, ...records.filter((record) => !isShown(record))],
    ...(next === undefined ? {} : { next }),
  };
};

/** The first of the records of a page, since several processes may have one. */
const once = (records: readonly PyramidRecord[]): readonly PyramidRecord[] => {
  const known = new Map<string, PyramidRecord>();
  for (const record of records) {
    const page = `${record.page} ${record.identifier}`;
    if (!known.has(page)) known.set(page, record);
  }
  return [...known.values()];
};

const rank = ({ state }: PyramidRecord): number => (state === "making" ? 0 : 1);
