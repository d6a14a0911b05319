import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { drawnPage, pdfOf } from "../pdf.ts";
import { startServer } from "./app.ts";
import { drawSmall } from "./pictures.ts";

const packages = join(homedir(), ".cache/vitrine-ci/prezi");
const isThere = existsSync(packages);
if (!isThere)
  console.warn(
    "The test with iiif-prezi3 and iiif-prezi is skipped: they are not in ~/.cache/vitrine-ci/prezi.",
  );

const script = fileURLToPath(new URL("../servers/presentation-validators.py", import.meta.url));

const validate = (files: readonly string[]) =>
  spawnSync("python3", [script], {
    input: files.join("\n"),
    env: { ...process.env, PYTHONPATH: packages },
    encoding: "utf8",
  });

const sideFile = `
label: {fr: Cartes, en: [Maps, Plans]}
summary: Streets
metadata: {Creator: [Ada, Ben]}
rights: https://creativecommons.org/publicdomain/mark/1.0/
requiredStatement: City archive
provider: {id: "https://archive.example.org/", label: Archive, homepage: "https://archive.example.org/about", logo: "https://archive.example.org/logo.png"}
homepage: {id: "https://archive.example.org/maps", label: {en: Maps}}
behavior: continuous
viewingDirection: right-to-left
images: {a.png: {label: First, rights: "http://rightsstatements.org/vocab/InC/1.0/"}}
`;

test.skipIf(!isThere)(
  "documents are valid by the models of the Presentation API's schema",
  { timeout: 180_000 },
  async () => {
    const server = await startServer(
      async (folder) => {
        await mkdir(join(folder, "maps"));
        for (const name of ["maps/a.png", "maps/b.png", "maps/old/c.png"])
          await drawSmall(folder, name);
        await writeFile(join(folder, "maps/manifest.yml"), sideFile);
        await writeFile(join(folder, "book.pdf"), pdfOf([drawnPage, drawnPage]));
      },
      {
        "endpoint.presentation.enabled": true,
        "endpoint.presentation.attribution": "Held by the archive",
        "endpoint.presentation.homepage": "https://example.org/",
        "endpoint.presentation.provider.id": "https://example.org/",
        "endpoint.presentation.provider.label": "Example",
        "endpoint.presentation.provider.logo": "https://example.org/logo.svg",
      },
    );
    try {
      const files: string[] = [];
      for (const version of [2, 3])
        for (const path of [
          "collection.json",
          "maps/collection.json",
          "maps/manifest.json",
          "maps%2Fa.png/manifest.json",
          "maps%2Fold%2Fc.png/manifest.json",
          "book.pdf/manifest.json",
        ]) {
          const ask = () => server.ask(`/presentation/${version}/${path}`);
          // A machine under load may refuse to open a PDF for a while.
          await expect.poll(async () => (await ask()).status, { timeout: 60_000 }).toBe(200);
          const { body } = await ask();
          const file = join(server.folder, `${files.length}.json`);
          await writeFile(file, body);
          files.push(file);
        }
      const { status, stdout, stderr } = validate(files);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout.match(/^valid: /gm)).toHaveLength(files.length);
      const wrong = join(server.folder, "wrong.json");
      await writeFile(wrong, '{"type":"Manifest","id":"https://example.org/m","items":[]}');
      expect(validate([wrong]).status).toBe(1);
    } finally {
      await server.close();
    }
  },
);
