import { hkdfSync } from "node:crypto";
import { resolve } from "node:path";
import { expandHome } from "../config/parse.ts";
import type { Config, Snapshot } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { createClickThrough } from "./login/click-through.ts";
import { createHeaderProvider } from "./login/header.ts";
import { createOidcProvider } from "./login/oidc.ts";
import type { LoginProvider } from "./login/provider.ts";
import { createUsersProvider, type UsersLogin } from "./login/users.ts";
import { UsersFileFault } from "./login/users-file.ts";
import { type AuthService, type AuthSettings, readAuth } from "./services.ts";
import { createSessions, type Sessions } from "./sessions.ts";

/** The auth services currently configured. */
export interface Auth extends AuthSettings {
  readonly sessions: Sessions;
  /** The login provider of a service; undefined where there is none. */
  provider(service: AuthService): LoginProvider | undefined;
}

/** Returns the current auth services; undefined where none are configured. */
export interface CurrentAuth {
  (): Auth | undefined;
  close(): void;
}

/** The configuration, and the log of logins. */
export interface AuthPlace {
  /** The folder that relative paths refer to. */
  readonly folder: string;
  readonly log: Logger;
}

/**
 * Reads the configured auth services, and again after each change; an invalid configuration does
 * not replace a valid one. Throws `malformed` where the first is invalid.
 */
export const createAuth = (config: Config, place: AuthPlace): CurrentAuth => {
  let seen = config.current;
  let auth = read(seen, place);
  const current = (): Auth | undefined => {
    if (seen === config.current) return auth;
    const before = seen;
    seen = config.current;
    if (settingsOf(before) === settingsOf(seen)) return auth;
    try {
      const next = read(seen, place, auth);
      auth?.close();
      auth = next;
    } catch (error) {
      place.log.error("The auth services are invalid; the previous ones stay in effect.", {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
    return auth;
  };
  return Object.assign(current, { close: () => auth?.close() });
};

/** All settings of auth services, for comparison. */
const settingsOf = (values: Snapshot): string =>
  JSON.stringify(Object.entries(values).filter(([key]) => /^(?:auth|access\.rules)\./.test(key)));

interface OpenedAuth extends Auth {
  close(): void;
}

/** Throws `malformed`. */
const read = (values: Snapshot, place: AuthPlace, before?: OpenedAuth): OpenedAuth | undefined => {
  const { settings, faults } = readAuth(values);
  if (faults.length > 0) fail("malformed", faults.map(({ message }) => message).join("\n"));
  if (settings === undefined) return undefined;
  // Existing sessions stay valid.
  const isSame = before?.secrets.join() === settings.secrets.join();
  const sessions = before && isSame ? before.sessions : createSessions(settings.secrets);
  const providers = new Map<string, LoginProvider>();
  for (const service of settings.services.values()) {
    const provider = providerOf(service, settings, place);
    if (provider) providers.set(service.name, provider);
  }
  return {
    ...settings,
    sessions,
    provider: ({ name }) => providers.get(name),
    close() {
      for (const provider of providers.values()) provider.close?.();
    },
  };
};

const providerOf = (
  service: AuthService,
  { secrets: [secret = ""] }: AuthSettings,
  { folder, log }: AuthPlace,
): LoginProvider | undefined => {
  const { name, label = name, heading, note, confirmLabel = label } = service;
  const texts = { label, ...(heading ? { heading } : {}), ...(note ? { note } : {}) };
  switch (service.provider) {
    case "users":
      return usersProvider({ file: resolve(folder, expandHome(service.users)), texts, log });
    case "header": {
      const { name: field, groups } = service.header;
      return createHeaderProvider({ name: field, texts, ...(groups === "" ? {} : { groups }) });
    }
    case "oidc": {
      const cookieKey = new Uint8Array(hkdfSync("sha256", secret, "", "vitrine auth oidc", 32));
      return service.oidc && createOidcProvider({ ...service.oidc, cookieKey, texts, log });
    }
    case "click-through":
      return createClickThrough(texts, confirmLabel);
    case "":
      return undefined;
  }
};

const usersProvider = (login: UsersLogin): LoginProvider => {
  try {
    return createUsersProvider(login);
  } catch (error) {
    if (!(error instanceof UsersFileFault)) throw error;
    return fail("malformed", `The users file cannot be used: ${error.message}`, error);
  }
};
