import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

/** An OpenID Connect issuer in this process. */
export interface OidcServer {
  readonly issuer: string;
  /**
   * Like a browser: follows an authorization URL, logs in and consents; returns the URL that leads
   * back.
   */
  logIn(location: string, user: string): Promise<URL>;
  /** How often a path was requested. */
  asked(path: string): number;
  close(): Promise<void>;
}

/** The client that the issuer knows. */
export const oidcClient = { clientId: "vitrine", clientSecret: "a-secret-of-the-client" };

/** Starts an issuer on a port of its own; people are in the groups `staff` and `maps`. */
export const startOidcServer = async (
  redirectUri: string,
  more: Configuration = {},
): Promise<OidcServer> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.clientId,
        client_secret: oidcClient.clientSecret,
        redirect_uris: [redirectUri],
      },
    ],
    claims: {
      profile: ["preferred_username"],
      groups: ["groups"],
    },
    cookies: { keys: ["a key of this test"] },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, preferred_username: sub, groups: ["staff", "maps"] }),
    }),
    ...more,
  });
  const asked: string[] = [];
  const answer = provider.callback();
  server.on("request", (request, response) => {
    asked.push(new URL(request.url ?? "", issuer).pathname);
    answer(request, response);
  });
  return {
    issuer,
    logIn: (location, user) => logIn(location, user, issuer),
    asked: (path) => asked.filter((one) => one === path).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const logIn = async (location: string, user: string, issuer: string): Promise<URL> => {
  const cookies = new Map<string, string>();
  let next: Asked = { url: location };
  for (let steps = 0; steps < 20; steps++) {
    const { url, form } = next;
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form ? { method: "POST", body: form } : {}),
      signal: AbortSignal.timeout(10_000),
    });
    keepCookies(cookies, response);
    const target = response.headers.get("location");
    next =
      target === null
        ? formIn(await response.text(), url, user)
        : { url: new URL(target, url).href };
    if (new URL(next.url).origin !== issuer) return new URL(next.url);
  }
  throw new Error("The login does not end.");
};

interface Asked {
  readonly url: string;
  readonly form?: URLSearchParams;
}

const keepCookies = (cookies: Map<string, string>, { headers }: Response): void => {
  for (const cookie of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }
};

/** The form of a page, for login or consent, as filled in. */
const formIn = (html: string, url: string, login: string): Asked => {
  const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(html) ?? [];
  if (action === "") throw new Error(`No form in ${html}`);
  const [, prompt = ""] = /name="prompt" value="([^"]+)"/.exec(html) ?? [];
  return {
    url: new URL(action, url).href,
    form: new URLSearchParams({ prompt, login, password: "any" }),
  };
};
