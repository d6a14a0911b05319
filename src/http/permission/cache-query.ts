import { defineKeys } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { apiKeys } from "../api/keys.ts";
import { basicCredentials } from "../request/basic.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { logIn } from "../request/login.ts";
import { refuseOtherSites } from "../request/origin.ts";

/** Which clients may have a cached image rendered again. */
export const cacheQueryKeys = defineKeys({
  "http.cache_control_query": {
    type: "choice",
    choices: ["everybody", "trusted", "credentials"],
    default: "everybody",
    doc: "Who may use `?cache=nocache` and `?cache=recache`, which cost a render each time: `everybody`, like Cantaloupe; `trusted`, clients whose own address is in http.trusted_proxies, and those with the API's name and password (HTTP Basic); `credentials`, only the latter. Others get 403.",
  },
});

/**
 * Throws `denied` where the client may not bypass caches; fails as `logIn` does for wrong
 * passwords.
 */
export type CacheQueryGuard = (exchange: Exchange) => Promise<void>;

/** Returns the check of requests with `cache=nocache` or `cache=recache`. */
export const cacheQueryGuard = ({
  config,
  management,
  log,
}: Pick<HttpDeps, "config" | "management" | "log">): CacheQueryGuard => {
  const settings = config.view({ ...cacheQueryKeys, ...apiKeys });
  return async (exchange) => {
    const {
      "http.cache_control_query": whom,
      "endpoint.api.username": username,
      "endpoint.api.secret": secret,
    } = settings();
    if (whom === "everybody") return;
    // The browser of an authorised user sends its address and password with requests that any page
    // triggers.
    refuseOtherSites(exchange);
    if (whom === "trusted" && exchange.trusted) return;
    const given = basicCredentials(exchange.request.headers.authorization);
    if (given === undefined || !management)
      return fail(
        "denied",
        `cache: expected to be left out, or ${whom === "trusted" ? "a trusted address or " : ""}the name and password of the HTTP API (http.cache_control_query is ${whom})`,
      );
    const { administration } = management;
    const { address } = exchange;
    const door = "cache=nocache and cache=recache";
    await logIn({ given, right: { username, secret }, address, door }, { administration, log });
  };
};
