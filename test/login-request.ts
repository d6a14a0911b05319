import type { LoginRequest } from "../src/auth/login/provider.ts";

/** A request to the access service, by GET by default. */
export const loginRequest = (given: Partial<LoginRequest> = {}): LoginRequest => ({
  method: "GET",
  path: "/auth/access",
  query: new URLSearchParams(),
  cookies: {},
  header: () => undefined,
  client: "192.0.2.1",
  secure: true,
  signal: new AbortController().signal,
  ...given,
});
