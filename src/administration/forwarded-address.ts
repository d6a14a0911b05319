import type { Config } from "../config/store.ts";

/**
 * Warns, in a sentence, where other hosts may set the server's public address; undefined where none
 * may, or `base_uri` fixes it.
 */
export const forwardedAddressWarning = ({ current }: Config): string | undefined => {
  const uri = current["base_uri"];
  const proxies = current["http.trusted_proxies"];
  if ((typeof uri === "string" && uri !== "") || !Array.isArray(proxies)) return undefined;
  const others = proxies.map(String).filter((entry) => !here.test(entry.trim()));
  if (others.length === 0) return undefined;
  return `base_uri is blank, and http.trusted_proxies believes ${others.join(", ")}: a client there, or behind a proxy that passes X-Forwarded-Host on, decides under which address info.json names the server, and caches keep that. Set base_uri.`;
};

/** None, or this machine alone. */
const here = /^(none|loopback|127(\.\d+){3}(\/\d+)?|::1)?$/i;
