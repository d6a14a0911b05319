import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { hashSync } from "bcrypt";
import sharp from "sharp";
import { type RunningServer, startServer } from "./server.ts";

/** The colour of the image that requires a login: nothing else on the pages has it. */
export const secretColour = { r: 30, g: 140, b: 220 };

/**
 * A server with an image for readers, `lent/map.png`, and a site on another port that shows it in
 * viewers.
 */
export interface AuthSite {
  readonly server: RunningServer;
  /** Of the site with the viewers, without a slash at the end. */
  readonly pages: string;
  /** The URI of the image in a version of the Image API. */
  image(version: 2 | 3): string;
  stop(): Promise<void>;
}

/** The folder of an unpacked Mirador (from `npm pack`), if any. */
export const findMirador = (version: string): string | undefined =>
  [process.env["VITRINE_MIRADOR"] ?? "", join(homedir(), ".cache/vitrine-ci/mirador")]
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, version, "package/dist/mirador.min.js"))
    .find((file) => existsSync(file));

/** Why Mirador cannot be tested. */
export const miradorMissing =
  "it is not in the folder that VITRINE_MIRADOR names, nor in ~/.cache/vitrine-ci/mirador";

const configuration = (pictures: string): string => `
FilesystemSource.BasicLookupStrategy.path_prefix = ${pictures}/
http.host = 127.0.0.1
http.workers = 1
auth.secret = a-secret-of-more-than-32-characters
auth.services.1.name = readers
auth.services.1.provider = users
auth.services.1.users = users.txt
auth.services.1.label = Library card
auth.services.1.heading = Reading room
auth.services.1.note = Log in with your library card.
auth.services.1.error_heading = For readers only
auth.services.1.logout_label = Leave
access.rules.1.identifier = ^lent/
access.rules.1.auth = readers
access.rules.1.action = allow
`;

/** Starts both. The site serves files by path, and pages that are written for each request. */
export const startAuthSite = async (
  files: Readonly<Record<string, string>>,
  pagesOf: (site: Pick<AuthSite, "image" | "pages">) => Readonly<Record<string, string>>,
): Promise<AuthSite> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-auth-site-"));
  const pictures = join(folder, "pictures");
  await mkdir(join(pictures, "lent"), { recursive: true });
  await sharp({ create: { width: 1_600, height: 1_200, channels: 3, background: secretColour } })
    .png()
    .toFile(join(pictures, "lent/map.png"));
  await writeFile(join(folder, "users.txt"), `ada:${hashSync("open sesame", 4)}\n`);
  await writeFile(join(folder, "vitrine.properties"), configuration(pictures));
  const server = await startServer(join(folder, "vitrine.properties"));
  const image = (version: 2 | 3): string => `${server.base}iiif/${version}/lent%2Fmap.png`;
  const site = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const type = typeOf(pathname);
    const text = pagesOf({ image, pages: `http://${request.headers.host}` })[pathname];
    const file = files[pathname];
    const body = text === undefined && file ? readFile(file) : Promise.resolve(text);
    void body.then((found) =>
      response.writeHead(found === undefined ? 404 : 200, { "content-type": type }).end(found),
    );
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  return {
    server,
    pages: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    image,
    async stop() {
      site.closeAllConnections();
      site.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const typeOf = (path: string): string => {
  if (path.endsWith(".js")) return "text/javascript";
  return path.endsWith(".json") ? "application/json" : "text/html; charset=utf-8";
};

/** OpenSeadragon as npm has it. */
export const openSeadragonFile = (): string =>
  createRequire(import.meta.url).resolve("openseadragon/build/openseadragon/openseadragon.min.js");

/** Whether a screenshot shows the image in its middle. */
export const showsSecret = async (shot: Buffer): Promise<boolean> => {
  const { width, height } = await sharp(shot).metadata();
  const middle = { left: width >> 1, top: height >> 1, width: 1, height: 1 };
  const [red = 0, green = 0, blue = 0] = await sharp(shot).extract(middle).raw().toBuffer();
  const { r, g, b } = secretColour;
  return Math.max(Math.abs(red - r), Math.abs(green - g), Math.abs(blue - b)) < 8;
};
