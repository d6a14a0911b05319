import type { Settings } from "../../config/keys.ts";
import type { landingKeys } from "./keys.ts";
import type { LandingEndpoint } from "./page.ts";
import { type LinkedViewer, linkedViewers } from "./viewers.ts";

/** Facts about the server that the page's script needs at start. */
export interface LandingFacts {
  readonly version: string;
  readonly endpoints: readonly LandingEndpoint[];
  /** The public address of the server, without a slash at its end. */
  readonly base: string;
  /** Whether the images are listed, and whether they can be: not all sources can. */
  readonly listed: boolean;
  readonly listable: boolean;
  readonly searched: boolean;
  /** Whether manifests are served. */
  readonly presentation: boolean;
  /** Viewers on other sites that open manifests; empty if manifests are switched off. */
  readonly viewers: readonly LinkedViewer[];
}

/** The facts according to the current settings. */
export const landingFacts = (
  settings: Settings<typeof landingKeys>,
  server: Pick<LandingFacts, "version" | "endpoints" | "base" | "listable" | "presentation">,
): LandingFacts => {
  const listed = settings["endpoint.landing.list"];
  return {
    ...server,
    listed,
    searched: listed && server.listable && settings["endpoint.landing.max_searched"] > 0,
    viewers: server.presentation ? linkedViewers(settings["endpoint.landing.viewers"]) : [],
  };
};
