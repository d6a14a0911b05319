import type { DelegateSession } from "../../core/delegate.ts";
import { identifierSegment, unconstrained } from "../../core/identifier.ts";
import { sessionOf } from "../permission/gate.ts";
import { segmentFor } from "../permission/identifier.ts";
import type { Exchange } from "../request/exchange.ts";
import type { PresentationDeps } from "./deps.ts";

/** The raw segment that names a page of a listed image, counted from 1. */
export const entrySegment = async (
  identifier: string,
  page: number,
  session: DelegateSession | undefined,
  { exchange, deps }: { readonly exchange: Exchange; readonly deps: PresentationDeps },
): Promise<string> => {
  const id = { identifier, page, constraint: unconstrained };
  const { delegate } = deps;
  if (!deps.isTransformed() || delegate === undefined)
    return identifierSegment(id, deps.identifierSyntax());
  return segmentFor(id, session ?? sessionOf(delegate, exchange, id), exchange, deps);
};
