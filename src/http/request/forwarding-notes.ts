import type { IncomingHttpHeaders } from "node:http";
import type { Logger } from "../../core/log.ts";
import { trustIn } from "./proxies.ts";

/** The parts of a request that concern forwarding headers. */
interface Forwarding {
  readonly headers: IncomingHttpHeaders;
  /** The peer's address, and whether `http.trusted_proxies` names it. */
  readonly peer: string;
  readonly trusted: boolean;
  readonly baseUri: string;
}

/**
 * Returns a function that inspects the forwarding headers of requests and logs each of two facts
 * once: that the public address is taken from them, and that a proxy in a private network, such as
 * a container's, is not trusted.
 */
export const forwardingNotes = (log: Logger): ((forwarding: Forwarding) => void) => {
  const isPrivate = trustIn(["private"]);
  let followed = false;
  let ignored = false;
  return ({ headers, peer, trusted, baseUri }) => {
    if (baseUri !== "" || (followed && ignored)) return;
    if (naming.every((name) => headers[name] === undefined)) return;
    if (trusted && !followed) {
      followed = true;
      log.warn(
        "The server's public address is taken from forwarding headers, since base_uri is blank: where the proxy passes on what clients send in them, clients decide under which address info.json names the server, and caches keep that. Set base_uri.",
        { proxy: peer },
      );
    }
    if (!trusted && !ignored && isPrivate(peer)) {
      ignored = true;
      log.warn(
        "Forwarding headers are ignored, since http.trusted_proxies does not name the address they come from. Where that is your proxy, add it there, or set base_uri.",
        { peer },
      );
    }
  };
};

/** The headers that name the server. */
const naming = ["x-forwarded-host", "x-forwarded-proto", "x-forwarded-path", "forwarded"] as const;
