import { loggable } from "../clients/loggable-error.ts";
import { ServerError } from "../core/errors.ts";
import { type Meaning, refuseListing, refuseObject } from "./remote/failures.ts";

/** Azure's error codes for a known client that may not read a blob. */
const denied = new Set([
  "AuthorizationFailure",
  "AuthorizationPermissionMismatch",
  "AuthorizationResourceTypeMismatch",
  "InsufficientAccountPermissions",
  "PublicAccessNotPermitted",
  "AccountIsDisabled",
]);
/** Statuses caused by the request itself, so that a retry would get them, too. */
const lasting = new Set([400, 401, 403, 405, 409]);

/** Whether an error means that blobs may not be listed; they may still be readable. */
export const isListingDenied = (error: unknown): boolean => {
  const { code = "" } = error as { code?: string };
  return code === "AuthorizationPermissionMismatch" || code === "AuthorizationResourceTypeMismatch";
};

/** Classifies an error of Azure's client. */
export const azureMeaning = (error: unknown): Meaning => {
  const { code = "", statusCode, name } = error as Error & { code?: string; statusCode?: number };
  if (denied.has(code)) return "denied";
  if (statusCode === 404 || code === "InvalidUri" || code === "InvalidResourceName")
    return "missing";
  if (statusCode === 412) return "changed";
  if (statusCode === 416) return "unsatisfiable";
  if (statusCode !== undefined && lasting.has(statusCode)) return "lasting";
  return name.includes("Credential") || name.includes("Authentication") ? "lasting" : "passing";
};

/**
 * Throws what an error of Azure's client means for the image with this identifier; `place` is for
 * the log.
 */
export const refuseAzure = (
  error: unknown,
  { identifier, place }: { readonly identifier: string; readonly place: string },
): never => {
  if (error instanceof ServerError) throw error;
  const cause = loggable(error);
  const { code = cause.name } = error as { code?: string };
  const detail = `${place}: ${code}: ${firstLine(cause.message)}`;
  return refuseObject(azureMeaning(error), { identifier, detail, cause });
};

/** Throws what an error of Azure's client means for a listing; `place` is for the log. */
export const refuseAzureListing = (
  error: unknown,
  { place, isContinued }: { readonly place: string; readonly isContinued: boolean },
): never => {
  if (error instanceof ServerError) throw error;
  const cause = loggable(error);
  const { code = cause.name, statusCode } = error as { code?: string; statusCode?: number };
  const detail = `${place}: ${code}: ${firstLine(cause.message)}`;
  const isForeign = isContinued && statusCode === 400;
  return refuseListing(isForeign ? "foreign" : azureMeaning(error), { detail, cause });
};

/** The service appends details of the request to its messages. */
export const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
