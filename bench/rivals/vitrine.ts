import { access, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { freePort, jpegQuality, type Rival, startServer } from "./server.ts";

/**
 * Vitrine as it is built, `main` being its `dist/cli/main.js`; `workers` is left to the server when
 * absent.
 */
export const vitrine = ({
  name = "vitrine",
  main,
  workers,
}: {
  /** What tells it from another build. */
  readonly name?: string;
  readonly main: string;
  readonly workers: number | undefined;
}): Rival => ({
  name,
  async start(setup) {
    await access(main).catch(() => {
      throw new Error(`Expected a built server at ${main}; 'npm run build' makes it.`);
    });
    const port = await freePort();
    const file = join(setup.folder, "vitrine.properties");
    const lines = [
      "http.host = 127.0.0.1",
      `http.port = ${port}`,
      "source.static = FilesystemSource",
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${setup.pictures}/`,
      "cache.server.derivative.enabled = false",
      `processor.jpg.quality = ${jpegQuality}`,
      "log.application.level = warn",
      ...(workers === undefined ? [] : [`http.workers = ${workers}`]),
    ];
    await writeFile(file, `${lines.join("\n")}\n`);
    return startServer(name, [process.execPath, resolve(main), "serve", "--config", file], {
      port,
      prefix: "/iiif/2",
      setup,
    });
  },
});
