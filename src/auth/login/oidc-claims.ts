import type { Identity } from "./identity.ts";

/** The claims that identify a person. */
export interface ClaimNames {
  /**
   * The claim of the name, such as `preferred_username`. Dots lead into objects where no claim has
   * the whole name.
   */
  readonly nameClaim: string;
  /** The claim of the groups, an array of strings or one string. Absent or empty: no groups. */
  readonly groupsClaim?: string;
}

const maxCharacters = 255;
const maxGroups = 1_000;

/**
 * The person that claims identify; undefined where the name is missing or invalid. An e-mail
 * address that the issuer has not verified is no name.
 */
export const identityIn = (
  claims: Readonly<Record<string, unknown>>,
  { nameClaim, groupsClaim = "" }: ClaimNames,
): Identity | undefined => {
  const name = nameIn(claims, nameClaim);
  return name === undefined ? undefined : { name, groups: groupsIn(claims, groupsClaim) };
};

/** Whether a configured claim is missing, so that userinfo has to be requested. */
export const isIncomplete = (
  claims: Readonly<Record<string, unknown>>,
  { nameClaim, groupsClaim = "" }: ClaimNames,
): boolean =>
  claimAt(claims, nameClaim) === undefined ||
  (groupsClaim !== "" && claimAt(claims, groupsClaim) === undefined);

/** A claim by its name, or by the path to it, as in `realm_access.roles`. */
const claimAt = (claims: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split(".")
        .reduce<unknown>(
          (at, part) =>
            typeof at === "object" && at !== null && Object.hasOwn(at, part)
              ? (at as Readonly<Record<string, unknown>>)[part]
              : undefined,
          claims,
        );

const nameIn = (
  claims: Readonly<Record<string, unknown>>,
  nameClaim: string,
): string | undefined => {
  const name = claimAt(claims, nameClaim);
  if (typeof name !== "string" || name.length > maxCharacters) return undefined;
  if (name.trim() === "" || /\p{Cc}/u.test(name)) return undefined;
  return nameClaim === "email" && claims["email_verified"] === false ? undefined : name.trim();
};

const groupsIn = (
  claims: Readonly<Record<string, unknown>>,
  groupsClaim: string,
): readonly string[] => {
  const groups = claimAt(claims, groupsClaim);
  const listed: readonly unknown[] = Array.isArray(groups) ? groups : [groups];
  const texts = listed.filter(
    (group): group is string => typeof group === "string" && group !== "",
  );
  return [...new Set(texts)].slice(0, maxGroups);
};
