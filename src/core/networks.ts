import { BlockList, isIP } from "node:net";

/** A set of addresses. */
export interface Networks {
  /** Whether the set contains an address; false for an invalid one. */
  has(address: string): boolean;
}

/** Parses addresses and networks in CIDR form, IPv4 and IPv6; `wrong` lists invalid entries. */
export const readNetworks = (
  entries: readonly string[],
): { readonly networks: Networks; readonly wrong: readonly string[] } => {
  const list = new BlockList();
  const wrong = entries.filter((entry) => !addNetwork(list, entry));
  return {
    wrong,
    networks: {
      has(address) {
        const plain = withoutMapping(address);
        const family = isIP(plain);
        return family !== 0 && list.check(plain, family === 6 ? "ipv6" : "ipv4");
      },
    },
  };
};

/** Converts an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) to IPv4. */
export const withoutMapping = (address: string): string =>
  /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;

const addNetwork = (list: BlockList, network: string): boolean => {
  const [address = "", prefix, ...rest] = network.split("/");
  const family = isIP(address);
  // `%eth0` and the like name a link of this machine, not a network.
  if (family === 0 || rest.length > 0 || address.includes("%")) return false;
  const type = family === 6 ? "ipv6" : "ipv4";
  if (prefix === undefined) {
    list.addAddress(address, type);
    return true;
  }
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(bits <= (family === 6 ? 128 : 32))) return false;
  list.addSubnet(address, bits, type);
  return true;
};
