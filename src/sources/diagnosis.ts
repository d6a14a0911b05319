import { ServerError } from "../core/errors.ts";

/** Why a source cannot be reached, in plain words. */
export interface Diagnosis {
  /** The finding, as a clause without names, paths and URLs: anybody may read it. */
  readonly found: string;
  /** The remedy, as a sentence for operators; absent where unknown. */
  readonly advice?: string;
}

/** What identifies an error: codes, names, and statuses of responses, as in `HTTP 403`. */
interface Cause extends Diagnosis {
  readonly signs: readonly (string | RegExp)[];
}

/** The first match counts. */
const causes: readonly Cause[] = [
  {
    signs: ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"],
    found: "a package that it needs is not installed",
    advice: "'vitrine config check' says which, and how to install it.",
  },
  {
    signs: ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"],
    found: "the name of the server cannot be resolved (DNS)",
    advice: "Check the host name in the configuration, and the name servers of this machine.",
  },
  {
    signs: [/^CERT_/, /CERT/, /^ERR_(?:TLS|SSL)_/, /^UNABLE_TO_/, "EPROTO", "HOSTNAME_MISMATCH"],
    found: "the encrypted connection cannot be trusted or established (TLS)",
    advice:
      "Check the certificate of the server and the scheme of its address; NODE_EXTRA_CA_CERTS names a file of further authorities.",
  },
  {
    signs: ["ForbiddenAddress"],
    found: "it leads to an address that this server may not read",
    advice: "If that is meant, name its origin in HttpSource.allowed_origins.",
  },
  {
    signs: ["BadRedirect"],
    found: "it redirects in circles, or to an address that is not http or https",
    advice: "Check the address in the configuration with a browser.",
  },
  {
    signs: ["ECONNREFUSED"],
    found: "the server refuses connections",
    advice: "Check that it runs, and its address and port in the configuration.",
  },
  {
    signs: ["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN"],
    found: "there is no route to the server",
    advice: "Check the network, its firewalls and its proxies.",
  },
  {
    signs: ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"].concat([
      "TokenRefreshRequired",
      "AuthenticationFailed",
      "InvalidAuthenticationInfo",
      "ER_ACCESS_DENIED_ERROR",
      "28P01",
      "28000",
      "HTTP 401",
    ]),
    found: "the credentials are refused",
    advice: "Check the name or key, and the password or secret, and that they have not expired.",
  },
  {
    signs: [
      "CredentialsProviderError",
      "CredentialUnavailableError",
      "AuthenticationRequiredError",
    ],
    found: "there are no credentials",
    advice: "Set them in the configuration, or let the environment of the server provide them.",
  },
  {
    signs: ["RequestTimeTooSkewed"],
    found: "the clock of this machine is wrong",
    advice: "Set it: signatures are valid for a few minutes only.",
  },
  {
    signs: [
      "PermanentRedirect",
      "AuthorizationHeaderMalformed",
      "IllegalLocationConstraintException",
    ],
    found: "the source is in another region",
    advice: "Set the region or the endpoint of the source.",
  },
  {
    signs: ["NoSuchBucket", "InvalidBucketName"],
    found: "there is no such bucket",
    advice: "Check the name of the bucket, the region and the endpoint.",
  },
  {
    signs: ["ContainerNotFound", "ContainerBeingDeleted"],
    found: "there is no such container",
    advice: "Check the names of the container and of the account.",
  },
  {
    signs: ["3D000", "ER_BAD_DB_ERROR", "SQLITE_CANTOPEN"],
    found: "there is no such database",
    advice: "Check the URL of the database.",
  },
  {
    signs: ["42P01", "42703", "42601", "ER_NO_SUCH_TABLE", "ER_BAD_FIELD_ERROR", "ER_PARSE_ERROR"],
    found: "the database does not understand the statement",
    advice: "Check the names of tables and columns in the statements of the configuration.",
  },
  {
    signs: ["AccessDenied", "AllAccessDisabled", "Forbidden", /^Authorization(?:Failure|Perm|Res)/]
      .concat(["InsufficientAccountPermissions", "PublicAccessNotPermitted", "AccountIsDisabled"])
      .concat(["ER_DBACCESS_DENIED_ERROR", "ER_TABLEACCESS_DENIED_ERROR", "42501"])
      .concat(["EACCES", "EPERM", "HTTP 403", "denied"]),
    found: "access is denied",
    advice: "Grant the server's user or role permission to read the images.",
  },
  {
    signs: [/TIMEDOUT$/, /^UND_ERR_\w*TIMEOUT$/, "TimeoutError", "late"],
    found: "there is no answer in time",
    advice: "Check the address, and whether a firewall drops the requests.",
  },
  {
    signs: ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"],
    found: "the server closes connections without an answer",
    advice: "Check the scheme and the port of the address, and the log of the server.",
  },
  {
    signs: ["ENOENT", "ENOTDIR"],
    found: "there is no such folder",
    advice: "Create it, or correct the path in the configuration.",
  },
  {
    signs: [/^HTTP 5\d\d$/],
    found: "the server answers with an error",
    advice: "Look into its log.",
  },
];

/** Diagnoses the error that a source's `reach` threw. */
export const diagnose = (error: unknown): Diagnosis => {
  const signs = signsOf(error);
  const cause = causes.find((one) =>
    one.signs.some((sign) =>
      typeof sign === "string" ? signs.has(sign) : [...signs].some((found) => sign.test(found)),
    ),
  );
  return cause
    ? { found: cause.found, ...(cause.advice === undefined ? {} : { advice: cause.advice }) }
    : { found: "it does not answer as expected" };
};

/** An error and its causes, outermost first; a bounded number of them. */
export const chainOf = (error: unknown): readonly Error[] => {
  const chain: Error[] = [];
  const add = (one: unknown): void => {
    if (!(one instanceof Error) || chain.includes(one) || chain.length >= longest) return;
    chain.push(one);
    if (one instanceof AggregateError) for (const part of one.errors) add(part);
    add(one.cause);
  };
  add(error);
  return chain;
};

const longest = 20;

/** Codes found in messages where the errors themselves were not passed on. */
const codes = /\b(?:[A-Z][A-Z\d]*_[A-Z\d_]+|E[A-Z]{4,}|[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b/g;

const signsOf = (error: unknown): ReadonlySet<string> => {
  const signs = new Set<string>();
  for (const one of chainOf(error)) {
    const { code, name, message } = one as Error & { code?: unknown };
    if (typeof code === "string") signs.add(code);
    const status = statusOf(one) ?? /\banswered (\d{3})\b/.exec(message)?.[1];
    if (status !== undefined) signs.add(`HTTP ${status}`);
    if (one instanceof ServerError) signs.add(one.failure);
    else signs.add(name);
    for (const found of message.match(codes) ?? []) signs.add(found);
  }
  return signs;
};

/** The status that client libraries attach to their errors. */
const statusOf = (error: Error): number | undefined => {
  const { status, statusCode, $metadata } = error as {
    readonly status?: unknown;
    readonly statusCode?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: unknown };
  };
  return [status, statusCode, $metadata?.httpStatusCode].find(
    (one): one is number => typeof one === "number",
  );
};
