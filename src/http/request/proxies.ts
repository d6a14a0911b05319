import { readNetworks } from "../../core/networks.ts";
import { remembered } from "../../core/remembered.ts";

/** Whether a peer's forwarding headers are trusted. */
export type Trust = (address: string) => boolean;

/**
 * Parses the list of trusted proxies: addresses, networks in CIDR form, and the words `loopback`,
 * `private`, `all` and `none`. Invalid entries trust nobody.
 */
export const trustIn = (entries: readonly string[]): Trust => {
  const words = entries.map((entry) => entry.trim().toLowerCase());
  if (words.includes("all")) return () => true;
  const { networks } = readNetworks(words.flatMap((word) => namedNetworks.get(word) ?? [word]));
  // Matching an address takes longer than the rest of the request, and addresses recur.
  return remembered(maxRemembered, (address) => networks.has(address));
};

const maxRemembered = 1_000;

const namedNetworks: ReadonlyMap<string, readonly string[]> = new Map([
  ["none", []],
  ["loopback", ["127.0.0.0/8", "::1"]],
  [
    "private",
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
  ],
]);
