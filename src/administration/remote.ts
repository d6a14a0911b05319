import type { Calls, Served } from "./calls.ts";
import { hubDeadlines, memberDeadlines } from "./deadlines.ts";
import type { Hub, RemoteHub } from "./hub.ts";
import type { Member } from "./member.ts";

/** A remote object's functions by name, each with its deadline. */
type Functions<T> = { readonly [K in keyof T]: (...given: never[]) => Promise<unknown> };

/** A worker as the supervisor sees it. */
export const remoteMember = (calls: Pick<Calls, "call">): Member =>
  remote<Member>(calls, memberDeadlines);

/** The hub as a worker sees it. */
export const remoteHub = (calls: Pick<Calls, "call">): RemoteHub =>
  remote<RemoteHub>(calls, hubDeadlines);

/** The functions that the supervisor may call in a worker. */
export const servedMember = (member: Member): Served => served(member, memberDeadlines);

/** The functions that workers may call in the supervisor. */
export const servedHub = (hub: Hub): Served => served<RemoteHub>(hub, hubDeadlines);

const remote = <T extends Functions<T>>(
  calls: Pick<Calls, "call">,
  deadlines: Readonly<Record<keyof T & string, number>>,
): T =>
  Object.fromEntries(
    Object.entries<number>(deadlines).map(([name, ms]) => [
      name,
      (...given: unknown[]) => calls.call(name, given, ms),
    ]),
  ) as unknown as T;

const served = <T extends Functions<T>>(
  thing: T,
  deadlines: Readonly<Record<keyof T & string, number>>,
): Served =>
  Object.fromEntries(
    (Object.keys(deadlines) as (keyof T & string)[]).map((name) => [
      name,
      (...given: never[]) => thing[name](...given),
    ]),
  );
