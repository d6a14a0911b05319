import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./public-address.ts";

/** Resolves all addresses of a host. */
export type Resolver = (
  host: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

/** A host has an address that connections are not allowed to. */
export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(
      `${host} has an address that is not public. Name its origin in HttpSource.allowed_origins to allow it.`,
    );
    this.name = "ForbiddenAddress";
  }
}

const systemResolver: Resolver = (host, options, done) =>
  lookup(host, { ...options, all: true }, done);

/**
 * A DNS lookup that fails where any of the addresses is not public. The connection uses one of the
 * addresses it returned, so that a second lookup cannot return others.
 */
export const guardedLookup =
  (resolve: Resolver = systemResolver): LookupFunction =>
  (host, options, done) => {
    resolve(host, options, (error, found) => {
      if (error) return done(error, []);
      const [first] = found;
      if (first === undefined || !found.every(({ address }) => isPublicAddress(address)))
        return done(new ForbiddenAddress(host), []);
      if (options.all) return done(null, [...found]);
      done(null, first.address, first.family);
    });
  };

/** Connects to public addresses only, whether literal or resolved. */
export const guardedConnector = (
  options: buildConnector.BuildOptions,
  resolve?: Resolver,
): buildConnector.connector => {
  const connect = buildConnector({ ...options, lookup: guardedLookup(resolve) } as typeof options);
  return (to, done) => {
    const host = to.hostname.replace(/^\[|\]$/g, "");
    // Literal addresses are not looked up.
    if (isIP(host) !== 0 && !isPublicAddress(host)) return done(new ForbiddenAddress(host), null);
    connect(to, done);
  };
};

/** Throws `ForbiddenAddress` where a host has an address that is not public. */
export const checkHost = (hostname: string, resolve?: Resolver): Promise<void> =>
  new Promise((done, reject) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0)
      return isPublicAddress(host) ? done() : reject(new ForbiddenAddress(host));
    guardedLookup(resolve)(host, { all: true }, (error) => (error ? reject(error) : done()));
  });
