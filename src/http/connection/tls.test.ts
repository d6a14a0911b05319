import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeImages } from "../../../test/fake-images.ts";
import { Config } from "../../config/store.ts";
import { silent } from "../../core/log.ts";
import { createServer } from "../server.ts";
import { httpKeys } from "./keys.ts";
import { loadKeyStore } from "./tls.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-tls-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const load = (path: string, password = "") =>
  loadKeyStore(
    new Config({
      "https.key_store_path": path,
      "https.key_store_password": password,
      "https.key_password": password,
    }).view(httpKeys)(),
  );

describe("a key store", () => {
  it("explains what to do when it is missing, a Java key store or invalid", async () => {
    await expect(load("")).rejects.toThrow("expected the path of a key store");
    await expect(load(join(folder, "none.p12"))).rejects.toThrow("cannot be read");
    const file = join(folder, "store");
    await writeFile(file, Buffer.from("feedfeed00000002", "hex"));
    await expect(load(file)).rejects.toThrow("keytool -importkeystore");
    await writeFile(file, "nonsense");
    await expect(load(file)).rejects.toThrow("cannot be opened");
  });

  const openssl = spawnSync("openssl", ["version"]).status === 0;
  it.skipIf(!openssl)(
    "in PKCS12 or PEM serves HTTPS (skipped without the openssl program)",
    async () => {
      const [key, pem, p12] = ["key.pem", "both.pem", "both.p12"].map((name) => join(folder, name));
      const run = (command: string): Buffer =>
        execFileSync("openssl", command.split(" "), { cwd: folder, stdio: "pipe" });
      run(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost",
      );
      run("pkcs12 -export -inkey key.pem -in cert.pem -out both.p12 -passout pass:open");
      await writeFile(pem ?? "", Buffer.concat([run(`pkey -in ${key}`), run("x509 -in cert.pem")]));
      run("pkcs12 -export -legacy -inkey key.pem -in cert.pem -out old.p12 -passout pass:open");
      await expect(load(join(folder, "old.p12"), "open")).rejects.toThrow(
        "openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem",
      );
      run("pkcs12 -legacy -in old.p12 -out new.pem -passin pass:open -passout pass:pem");
      await expect(load(join(folder, "new.pem"), "pem")).resolves.toBeDefined();
      await expect(load(p12 ?? "", "wrong")).rejects.toThrow("is its password right?");
      for (const [path, password] of [
        [p12, "open"],
        [pem, ""],
      ] as const) {
        const app = createServer(
          {
            config: new Config(),
            images: fakeImages(),
            outputs: () => ["jpg"],
            log: silent,
            access: () => {},
            productVersion: "1",
          },
          await load(path ?? "", password),
        );
        const url = await app.listen({ host: "127.0.0.1", port: 0 });
        const answer = await fetchUnverified(
          `${url.replace(/^http:/, "https:")}/iiif/3/a/info.json`,
        );
        expect(answer).toContain('"id":"https://127.0.0.1:');
        await app.close();
      }
    },
  );
});

const fetchUnverified = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve(body));
    })
      .on("error", reject)
      .end();
  });
