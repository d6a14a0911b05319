import { expect, it } from "vitest";
import { Config } from "../config/store.ts";
import { forwardedAddressWarning } from "./forwarded-address.ts";

const warned = (proxies: readonly string[], uri = ""): string | undefined =>
  forwardedAddressWarning(new Config({ base_uri: uri, "http.trusted_proxies": proxies }));

it.each([
  [["loopback", "private"], "private"],
  [["all"], "all"],
  [["10.0.0.0/8", "127.0.0.1"], "10.0.0.0/8"],
  [["loopback", "192.0.2.7", "fd00::/8"], "192.0.2.7, fd00::/8"],
])("warns that %j are believed while base_uri is blank", (proxies, named) => {
  expect(warned(proxies)).toContain(`believes ${named}:`);
  expect(warned(proxies, "https://images.example.org")).toBeUndefined();
});

it.each([[[]], [["none"]], [["loopback"]], [["127.0.0.1", "::1"]], [["127.0.0.0/8"]]])(
  "warns of nothing where only this machine is trusted: %j",
  (proxies) => {
    expect(warned(proxies)).toBeUndefined();
  },
);
