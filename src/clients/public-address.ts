import ipaddr from "ipaddr.js";

/**
 * Whether an IP address is on the public internet. Everything else counts as not public: loopback,
 * link-local, private, shared (CGNAT), multicast and reserved addresses, and all IPv6 addresses
 * that embed an IPv4 address, since they may lead to any of these.
 */
export const isPublicAddress = (address: string): boolean => {
  // A zone id belongs to link-local addresses.
  if (address.includes("%") || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  // Programs interpret IPv4 in forms like `127.1` and `0x7f000001` differently.
  if (parsed instanceof ipaddr.IPv4) return ipaddr.IPv4.isValidFourPartDecimal(address);
  const [first = 0, , , , fifth = 0, sixth = 0] = parsed.parts;
  const isGlobal = first >> 13 === 1;
  const isIsatap = sixth === 0x5efe && (fifth & ~0x200) === 0;
  return isGlobal && !isIsatap;
};
