import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The samples of a component as OpenJPEG decodes them, with its header's fields. */
export interface ReferenceComponent {
  readonly width: number;
  readonly height: number;
  /** Pixels of the image per sample. */
  readonly across: number;
  readonly down: number;
  readonly bits: number;
  readonly signed: boolean;
  readonly data: Int32Array;
}

const program = "opj_decompress";
const run = promisify(execFile);

const found = (): boolean => {
  try {
    execFileSync(program, ["-h"], { stdio: "ignore" });
    return true;
  } catch (error) {
    // It exits with 1 after its help; ENOENT means that it is not installed.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
};

/** Whether OpenJPEG's own program is installed. */
export const openJpegIsHere = found();

/** The message of a test that needs it. */
export const openJpegIsMissing = `${program} is not installed: nothing was compared with OpenJPEG`;

/**
 * All components of a codestream, or of the first one in a JP2, as OpenJPEG decodes them, without
 * applying palettes, channel definitions and colour spaces. Undefined where OpenJPEG rejects it.
 */
export const decodedByOpenJpeg = async (
  bytes: Buffer,
): Promise<readonly ReferenceComponent[] | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-openjpeg-"));
  try {
    const codestream = bytes.subarray(bytes.indexOf(startThenSize));
    const input = join(folder, "in.j2k");
    await writeFile(input, codestream);
    const steps = stepsIn(codestream);
    const isHalved = steps.some(({ across, down }) => across > 1 || down > 1);
    // Subsampled colours would become RGB if they were decoded together.
    const parts = isHalved ? steps.map((_, index) => ["-c", `${index}`]) : [[]];
    const components: ReferenceComponent[] = [];
    for (const [part, chosen] of parts.entries()) {
      const output = join(folder, `${part}.pgx`);
      await run(program, ["-i", input, "-o", output, ...chosen]);
      const names = (await readdir(folder)).filter((name) => name.startsWith(`${part}_`));
      for (let number = 0; number < names.length; number++) {
        const own = steps[components.length] ?? { across: 1, down: 1 };
        const file = await readFile(join(folder, `${part}_${number}.pgx`));
        components.push({ ...own, ...componentIn(file) });
      }
    }
    return components;
  } catch (error) {
    // Its exit code; anything else is a bug of the test.
    if (typeof (error as { code?: unknown }).code === "number") return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** SOC, then SIZ (ISO/IEC 15444-1, A.4.1 and A.5.1). */
const startThenSize = Buffer.from("ff4fff51", "hex");

const stepsIn = (
  codestream: Buffer,
): readonly { readonly across: number; readonly down: number }[] =>
  Array.from({ length: codestream.readUInt16BE(40) }, (_, index) => ({
    across: codestream.readUInt8(43 + index * 3),
    down: codestream.readUInt8(44 + index * 3),
  }));

/**
 * PGX: a line such as `PG ML + 8 640 480`, then samples of 1, 2 or 4 bytes, the most significant
 * first.
 */
const componentIn = (file: Buffer): Omit<ReferenceComponent, "across" | "down"> => {
  const end = file.indexOf("\n");
  const [, , sign, ...numbers] = file.toString("latin1", 0, end).split(" ");
  const [bits = 0, width = 0, height = 0] = numbers.map(Number);
  const bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  const signed = sign === "-";
  const data = Int32Array.from({ length: width * height }, (_, at) => {
    const from = end + 1 + at * bytes;
    return signed ? file.readIntBE(from, bytes) : file.readUIntBE(from, bytes);
  });
  return { width, height, bits, signed, data };
};
