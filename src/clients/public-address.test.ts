import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { checkHost, ForbiddenAddress, type Resolver } from "./guarded-connection.ts";
import { isPublicAddress } from "./public-address.ts";

const refused = [
  // This machine and this network.
  ...["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "255.255.255.255"],
  // Private, shared and link-local, including the metadata addresses of clouds.
  ...[
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
  ],
  ...[
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "169.254.0.1",
    "192.0.0.192",
    "100.100.100.200",
  ],
  // Reserved, documentation, test and multicast addresses.
  ...["192.0.2.1", "198.51.100.7", "203.0.113.9", "198.18.0.1", "198.19.255.255", "192.88.99.1"],
  ...["224.0.0.1", "239.255.255.250", "240.0.0.1", "254.1.1.1"],
  // Unusual spellings of addresses.
  ...["2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.1", "8.8", "134744072", "010.8.8.8"],
  ...["8.8.8.8.", " 8.8.8.8", "8.8.8.8/32", "8.8.8.08", ""],
  // IPv6: loopback, link-local, site-local, multicast and documentation.
  ...["::", "::1", "0:0:0:0:0:0:0:1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "fc00::1"],
  ...[
    "fd00:ec2::254",
    "fdff::1",
    "ff02::1",
    "ff0e::1",
    "2001:db8::1",
    "100::1",
    "3fff::1",
    "5f00::1",
  ],
  // IPv4 within IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo and ISATAP.
  ...[
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::8.8.8.8",
    "::7f00:1",
  ],
  ...[
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "2002:7f00:1::1",
  ],
  ...["2002:808:808::", "2001::1", "2001:0:7f00:1::", "2001:10::1", "2001:20::1"],
  ...["2600::5efe:127.0.0.1", "2600::200:5efe:10.0.0.1"],
  // Not addresses at all.
  ...["localhost", "example.org", "[::1]", "2606:4700::1%1", "4000::1"],
];

const allowed = ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "193.0.0.1", "11.0.0.1"].concat(
  ["2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"],
);

describe("addresses that clients may send the server to", () => {
  it.each(refused)("'%s' is refused", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(allowed)("%s is allowed", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

const tricks = [
  ...[
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0/",
  ],
  ...[
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
  ],
  ...[
    "http://\u2460\u2461\u2466.0.0.1/",
    "http://127\u30020\u30020\u30021/",
    "http://0x7f.0x0.0x0.0x1/",
  ],
  ...["http://example.org@127.0.0.1/", "http://017700000001/", "http://[64:ff9b::7f00:1]/"],
];

const resolving =
  (...addresses: string[]): Resolver =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map(
        (address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 }),
      ),
    );

describe("hosts", () => {
  it.each(tricks)("%s is refused in every notation", async (address) => {
    const { hostname } = new URL(address);
    await expect(checkHost(hostname, resolving("127.0.0.1"))).rejects.toBeInstanceOf(
      ForbiddenAddress,
    );
  });

  it("are refused where any of their addresses is not public", async () => {
    const found = checkHost("images.example", resolving("8.8.8.8", "10.0.0.1"));
    await expect(found).rejects.toBeInstanceOf(ForbiddenAddress);
    await expect(checkHost("images.example", resolving("8.8.8.8", "2606:4700::1"))).resolves.toBe(
      undefined,
    );
  });
});
