import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";
import type { PresentationVersion } from "./views.ts";

/** Every version of the Presentation API, oldest first. */
export const presentationVersions: readonly PresentationVersion[] = [v2, v3];
