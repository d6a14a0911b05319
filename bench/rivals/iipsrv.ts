import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, jpegQuality, type Rival, startServer } from "./server.ts";

/**
 * IIPImage behind lighttpd, one process per core, its caches at their defaults; `program` is the
 * FastCGI server.
 */
export const iipsrv = ({ program }: { readonly program: string }): Rival => ({
  name: "iipsrv",
  async start(setup) {
    const port = await freePort();
    const file = join(setup.folder, "lighttpd.conf");
    await writeFile(
      file,
      `server.modules = ("mod_fastcgi")
server.document-root = "${setup.folder}"
server.bind = "127.0.0.1"
server.port = ${port}
server.errorlog = "${join(setup.folder, "lighttpd.log")}"
server.max-keep-alive-requests = 100000000
fastcgi.server = ("/iiif/" => ((
  "bin-path" => "${program}",
  "socket" => "${join(setup.folder, "iipsrv.sock")}",
  "check-local" => "disable",
  "min-procs" => ${setup.processes},
  "max-procs" => ${setup.processes},
  "bin-environment" => (
    "FILESYSTEM_PREFIX" => "${setup.pictures}/",
    "JPEG_QUALITY" => "${jpegQuality}",
    "URI_MAP" => "iiif=>IIIF",
    "IIIF_VERSION" => "2",
    "VERBOSITY" => "0"
  )
)))
`,
    );
    return startServer("iipsrv", ["lighttpd", "-D", "-f", file], {
      port,
      prefix: "/iiif",
      setup,
      // Debian keeps it where only root's path looks.
      env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` },
    });
  },
});
