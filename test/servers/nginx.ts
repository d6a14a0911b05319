import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Database, findProgram, startDatabase } from "./database.ts";
import { listens } from "./listens.ts";

const command = findProgram("nginx");

/** Why there is no nginx for tests; undefined where there is one. */
export const noNginx =
  command === undefined ? "nginx is not installed: apt-get install nginx-light" : undefined;

/** Starts an nginx that serves files by their names. */
export const startNginx = (files: Readonly<Record<string, Uint8Array>>): Promise<Database> =>
  startDatabase({
    name: "nginx",
    command: command ?? "nginx",
    args: ({ folder }) => ["-p", folder, "-e", "error.log", "-c", join(folder, "nginx.conf")],
    prepare: async ({ folder, port }) => {
      const root = join(folder, "files");
      await mkdir(root);
      for (const [name, bytes] of Object.entries(files)) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await writeFile(join(root, name), bytes);
      }
      await writeFile(join(folder, "nginx.conf"), configuration(folder, port));
    },
    answers: ({ port }) => listens(port),
  });

const configuration = (folder: string, port: number): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  types {
    application/json json;
    image/jpeg jpg;
    image/svg+xml svg;
    text/css css;
    text/html html;
    text/javascript js;
  }
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location /forbidden { return 403; }
    location /moved/ { rewrite ^/moved/(.*)$ /$1 permanent; }
    location /whole/ { alias ${folder}/files/; max_ranges 0; }
  }
}
`;
