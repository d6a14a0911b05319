// Regenerates the files beside this one with the installed versions of Zstandard and XZ. Needs
// Node.js 24, which has a Zstandard encoder, and `xz`: node test/packed/make.mjs
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import zlib from "node:zlib";
import { bytesOfKind } from "./bytes.ts";
import { xzExamples, zstdExamples } from "./examples.ts";

const keep = (name, bytes) => writeFileSync(new URL(name, import.meta.url), bytes);

const skipped = Buffer.from("5f2a4d180300000000ff00", "hex");

for (const { name, kind, length, parameters, isTwofold } of zstdExamples) {
  const params = Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => [zlib.constants[`ZSTD_c_${key}`], value]),
  );
  const frame = zlib.zstdCompressSync(bytesOfKind(kind, length), { params });
  keep(name, isTwofold ? Buffer.concat([frame, skipped, frame]) : frame);
}

for (const { name, kind, length, options } of xzExamples) {
  const { stdout, status } = spawnSync("xz", ["--stdout", "--keep", ...options], {
    input: bytesOfKind(kind, length),
  });
  if (status !== 0) throw new Error(`xz could not make ${name}`);
  keep(name, stdout);
}
