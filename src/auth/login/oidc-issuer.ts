import * as client from "openid-client";
import { untilAborted } from "../../core/abort.ts";
import type { OidcClient } from "./oidc-login.ts";
import { LoginProblem } from "./oidc-problems.ts";

/** Time limit of each request to the issuer. */
const deadlineSeconds = 10;
/** How long the issuer's metadata is cached, and a failure to read it. */
const freshMs = 3_600_000;
const failureMs = 5_000;
/** Maximum size of a response. */
const maxBytes = 1_048_576;

/** An OpenID Connect issuer. Its metadata is read on first use, and again after an hour. */
export class OpenIdIssuer {
  readonly #client: OidcClient;
  readonly #issuer: URL;
  readonly #now: () => number;
  #found: { readonly configuration: Promise<client.Configuration>; until: number } | undefined;

  /** `now` is in milliseconds. */
  constructor(given: OidcClient, now: () => number = () => performance.now()) {
    this.#client = given;
    this.#now = now;
    this.#issuer = new URL(given.issuer);
  }

  /** The configuration of requests. Rejects with the signal's reason, or as openid-client does. */
  configuration(signal: AbortSignal): Promise<client.Configuration> {
    return untilAborted(signal, () => this.#current());
  }

  #current(): Promise<client.Configuration> {
    if (this.#found && this.#found.until > this.#now()) return this.#found.configuration;
    const configuration = this.#discover();
    const found = { configuration, until: this.#now() + freshMs };
    this.#found = found;
    configuration.catch(() => {
      found.until = this.#now() + failureMs;
    });
    return configuration;
  }

  async #discover(): Promise<client.Configuration> {
    const { clientId, clientSecret } = this.#client;
    const isPlain = this.#issuer.protocol === "http:";
    const configuration = await client.discovery(
      this.#issuer,
      clientId,
      {},
      authenticationBy(clientSecret),
      {
        timeout: deadlineSeconds,
        [client.customFetch]: boundedFetch,
        execute: isPlain ? [client.allowInsecureRequests] : [],
      },
    );
    const { authorization_endpoint: endpoint = "" } = configuration.serverMetadata();
    const { protocol } = URL.canParse(endpoint) ? new URL(endpoint) : { protocol: "" };
    if (protocol !== "https:" && !(isPlain && protocol === "http:"))
      throw new LoginProblem("failed", "the issuer has no authorization endpoint by https");
    return configuration;
  }
}

/** The issuer's authentication method; Basic, the standard's default, where it offers several. */
const authenticationBy = (secret: string): client.ClientAuth => {
  if (secret === "") return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? [];
    const onlyPost = ways.includes("client_secret_post") && !ways.includes("client_secret_basic");
    (onlyPost ? post : basic)(server, ...rest);
  };
};

const boundedFetch: client.CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, ...(body ? { body } : {}) });
  const { status, headers } = response;
  return new Response(await bytesOf(response), { status, headers });
};

/** Null for a response without a body. */
const bytesOf = async ({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (body === null) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes)
      throw new LoginProblem("failed", `the issuer sent a response of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
};
