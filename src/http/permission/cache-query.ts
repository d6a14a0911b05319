import { defineKeys } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { apiKeys } from "../api/keys.ts";
import { basicCredentials } from "../request/basic.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { logIn } from "../request/login.ts";
import { refuseOtherSites } from "../request/origin.ts";

/** Who may have an image drawn although it is cached. */
export const cacheQueryKeys = defineKeys({
  "http.cache_control_query": {
    type: "choice",
    choices: ["everybody", "trusted", "credentials"],
    default: "everybody",
    doc: "Who may use `?cache=nocache` and `?cache=recache`, which cost a render each time: `everybody`, like Cantaloupe; `trusted`, clients whose own address is in http.trusted_proxies, and those with the API's name and password (HTTP Basic); `credentials`, only the latter. Others get 403.",
  },
});

/**
 * Refuses a request that asks for more than caches have, as `denied`, where the client may not;
 * wrong passwords as `logIn` does.
 */
export type CacheQueryGuard = (exchange: Exchange) => Promise<void>;

/** Returns what looks at each request with `cache=nocache` or `cache=recache`. */
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
    // A browser may have the address, and know the password, and be sent here by a page of
    // anybody's.
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
