import { ManyFaults } from "../errors.ts";
import type { ApiAnswer, ApiRequest } from "./exchange.ts";
import { jsonObject } from "./json.ts";

/** `GET /configuration`: every key that the files set, with its value as text. */
export const showConfiguration = async ({
  office,
  showsSecrets,
}: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: await office.administration.written({ secrets: showsSecrets }),
});

/** `PUT /configuration`: changes the keys that are given, all of them or none. */
export const changeConfiguration = async ({ office, body }: ApiRequest): Promise<ApiAnswer> => {
  const outcome = await office.administration.change(jsonObject(body));
  if (!outcome.ok) throw new ManyFaults(outcome.problems.map(({ message }) => message));
  const { changed, pending, overridden, warnings, written } = outcome;
  return { status: 200, body: { changed, restart: pending, overridden, warnings, written } };
};
