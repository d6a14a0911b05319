import { fileURLToPath } from "node:url";
import { freePort, type Rival, startServer } from "./server.ts";

/**
 * A `node:http` server that does the same file work for stored JPEG tiles and nothing else, with as
 * many processes as IIPImage.
 */
export const bare = (): Rival => ({
  name: "bare",
  async start({ pictures, processes, ...setup }) {
    const port = await freePort();
    const script = fileURLToPath(new URL("../bare-tiles.mjs", import.meta.url));
    const command = [process.execPath, script, pictures, String(port), String(processes)] as const;
    return startServer("bare", command, {
      port,
      prefix: "/iiif/2",
      setup: { pictures, processes, ...setup },
    });
  },
});
