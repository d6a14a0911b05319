import { BlockList, isIP } from "node:net";

/** Whether a peer's forwarding headers are believed. */
export type Trust = (address: string) => boolean;

/**
 * Reads the list of trusted proxies: addresses, networks in CIDR form, and the words `loopback`,
 * `private`, `all` and `none`. Entries that are none of these trust nobody.
 */
export const trustIn = (entries: readonly string[]): Trust => {
  const words = entries.map((entry) => entry.trim().toLowerCase());
  if (words.includes("all")) return () => true;
  const trusted = new BlockList();
  for (const word of words)
    for (const network of namedNetworks.get(word) ?? [word]) addNetwork(trusted, network);
  return remembered((address) => {
    const plain = withoutMapping(address);
    const family = isIP(plain);
    return family !== 0 && trusted.check(plain, family === 6 ? "ipv6" : "ipv4");
  });
};

/** Looking an address up takes longer than anything else about a request, and the same ones return. */
const remembered = (trust: Trust): Trust => {
  const answers = new Map<string, boolean>();
  return (address) => {
    const known = answers.get(address);
    if (known !== undefined) return known;
    if (answers.size >= mostRemembered) answers.clear();
    const answer = trust(address);
    answers.set(address, answer);
    return answer;
  };
};

const mostRemembered = 1_000;

/** An IPv4 address that arrived in IPv6 clothing (`::ffff:10.0.0.1`) as IPv4. */
export const withoutMapping = (address: string): string =>
  /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;

const namedNetworks: ReadonlyMap<string, readonly string[]> = new Map([
  ["none", []],
  ["loopback", ["127.0.0.0/8", "::1"]],
  [
    "private",
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
  ],
]);

const addNetwork = (list: BlockList, network: string): void => {
  const [address = "", prefix] = network.split("/");
  const family = isIP(address);
  if (family === 0) return;
  const type = family === 6 ? "ipv6" : "ipv4";
  const bits = prefix === undefined ? undefined : Number(prefix);
  if (bits === undefined) list.addAddress(address, type);
  else if (Number.isInteger(bits) && bits >= 0 && bits <= (family === 6 ? 128 : 32))
    list.addSubnet(address, bits, type);
};
