import { readNetworks } from "../../core/networks.ts";

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
  return remembered((address) => networks.has(address));
};

/**
 * Matching an address takes longer than the rest of the request, and the same addresses return, so
 * results are cached.
 */
const remembered = (trust: Trust): Trust => {
  const answers = new Map<string, boolean>();
  return (address) => {
    const known = answers.get(address);
    if (known !== undefined) return known;
    if (answers.size >= maxRemembered) answers.clear();
    const answer = trust(address);
    answers.set(address, answer);
    return answer;
  };
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
