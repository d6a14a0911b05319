import type { ChangeOutcome } from "../../administration/configuration.ts";
import { ManyFaults } from "../request/errors.ts";
import type { ApiAnswer, ApiRequest } from "./exchange.ts";
import { jsonObject } from "./json.ts";

/** `GET /configuration`: every key that the files set, with its value as text. */
export const showConfiguration = async ({
  management,
  showsSecrets,
}: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: await management.administration.written({ secrets: showsSecrets }),
});

/**
 * Whether the changes were rejected because only the file may set a key; takes precedence over
 * other faults.
 */
export const isDenied = (outcome: ChangeOutcome): boolean =>
  !outcome.ok && outcome.problems.some(({ fileOnly }) => fileOnly === true);

/** `PUT /configuration`: changes the given keys, all of them or none. */
export const changeConfiguration = async ({ management, body }: ApiRequest): Promise<ApiAnswer> => {
  const outcome = await management.administration.change(jsonObject(body));
  if (!outcome.ok)
    throw new ManyFaults(
      outcome.problems.map(({ message }) => message),
      isDenied(outcome) ? "denied" : "malformed",
    );
  const { changed, pending, overridden, warnings, written } = outcome;
  return { status: 200, body: { changed, restart: pending, overridden, warnings, written } };
};
