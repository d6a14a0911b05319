import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import type { PyramidPage, PyramidRecord, PyramidsListed } from "../../service/pyramids.ts";
import { parseQuery } from "../request/query.ts";
import type { ApiAnswer, ApiRequest } from "./exchange.ts";

/** `GET /pyramids`: pages whose pyramid is made, being made, waiting or refused. */
export const listPyramids = async ({ management, exchange }: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: pyramidsJson(await management.administration.pyramids(pyramidQuery(exchange.target.query))),
});

/** The states of a page's pyramid. */
export const pyramidStates: readonly PyramidRecord["state"][] = [
  "ready",
  "making",
  "waiting",
  "refused",
];

/** Maximum and default number of records in a response. */
export const maxPyramids = 1_000;
export const usualPyramids = 100;

/** Maximum length of a cursor in characters. */
const longestCursor = 1_000;

/** The records that a query selects; throws `malformed`. */
export const pyramidQuery = (query: string | undefined): PyramidPage => {
  const given = parseQuery(query ?? "");
  const after = given.get("after") || undefined;
  const state = given.get("state") || undefined;
  const max = given.get("max") || String(usualPyramids);
  if (after !== undefined && after.length > longestCursor)
    return fail("malformed", "after: expected the `next` of the previous page, got a longer text");
  if (state !== undefined && !isState(state))
    return fail(
      "malformed",
      `state: expected one of ${pyramidStates.join(", ")}, got ${quoted(state)}`,
    );
  if (!/^\d{1,4}$/.test(max) || Number(max) < 1 || Number(max) > maxPyramids)
    return fail("malformed", `max: expected a number from 1 to ${maxPyramids}, got ${quoted(max)}`);
  return {
    max: Number(max),
    ...(after === undefined ? {} : { after }),
    ...(state === undefined ? {} : { state }),
  };
};

const isState = (text: string): text is PyramidRecord["state"] =>
  pyramidStates.some((state) => state === text);

/** `next` is null on the last page. */
const pyramidsJson = ({ records, next }: PyramidsListed) => ({
  pyramids: records,
  next: next ?? null,
});
