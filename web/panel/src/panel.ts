import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createDraft, type Draft } from "./configuration/draft.ts";
import { createNotices, type Notices } from "./notices.ts";
import { parseRoute, type Route } from "./routes.ts";
import { type Api, createApi, RequestError } from "./server/api.ts";
import type { Session } from "./server/wire.ts";
import { createTheme, type Theme } from "./theme.ts";

/** State shared by the whole panel. */
export interface Panel {
  readonly api: Api;
  /** Undefined until the server has said whether the user is logged in; null where not. */
  readonly session: Signal<Session | null | undefined>;
  readonly route: Signal<Route>;
  readonly theme: Theme;
  readonly notices: Notices;
  /** Unsaved configuration changes; they survive navigation and a login. */
  readonly draft: Draft;
  /** The time, every second, in milliseconds since 1970. */
  readonly now: Signal<number>;
  /** The server's base URL, with a trailing slash. */
  readonly server: string;
  /** Asks the server for the current session. */
  recall(): Promise<void>;
}

/** Creates the panel and starts its background tasks. */
export const createPanel = (): Panel => {
  const base = document.baseURI.split("#")[0] ?? "";
  // Links are hashes relative to the base: the page must be at the base.
  history.replaceState(null, "", base + location.hash);
  const session = signal<Session | null | undefined>(undefined);
  const route = signal(parseRoute(location.hash));
  const now = signal(Date.now());
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1000);
  const api = createApi({
    base,
    token: () => session.value?.token,
    onLogout: () => {
      session.value = null;
    },
    fetch: (...request) => fetch(...request),
  });
  const notices = createNotices();
  return {
    api,
    session,
    route,
    now,
    notices,
    theme: createTheme(),
    draft: createDraft(),
    server: new URL("../", base).href,
    async recall() {
      try {
        session.value = await api<Session>("session");
      } catch (error) {
        session.value = null;
        if (!(error instanceof RequestError && error.status === 401)) throw error;
      }
    },
  };
};

export const PanelContext = createContext<Panel | undefined>(undefined);

/** The panel that a component belongs to. */
export const usePanel = (): Panel => {
  const panel = useContext(PanelContext);
  if (panel === undefined) throw new Error("A component stands outside the panel.");
  return panel;
};
