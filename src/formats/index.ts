import type { FormatName } from "../core/formats.ts";
import { demandReader } from "./availability.ts";
import type { Resources } from "./pool/index.ts";
import type { Format } from "./record/index.ts";
import { registry } from "./registry.ts";
import type { Codec, Decoder, Encoder } from "./shared/index.ts";
import { sampleEncoders } from "./write/samples/index.ts";

/**
 * The decoder and encoder of a format; loaded on first use. Rejects with `unreadable` where there
 * is no such format.
 */
export type Codecs = (format: FormatName) => Promise<Codec>;

/** The codecs of all formats, each created once, so that a decoder's caches persist. */
export const createCodecs = (
  resources: Resources,
  formats: readonly Format[] = registry,
): Codecs => {
  const created = new Map<FormatName, Promise<Codec>>();
  return (name) => {
    const before = created.get(name);
    if (before !== undefined) return before;
    const format = formats.find((one) => one.name === name);
    const codec = format ? createCodec(format, resources) : Promise.resolve({});
    codec.catch(() => created.delete(name));
    created.set(name, codec);
    return codec;
  };
};

const createCodec = async (format: Format, resources: Resources): Promise<Codec> => {
  const decoder = format.isOptional
    ? whereAvailable(format, resources)
    : await format.createDecoder(resources);
  const { encoder } = format;
  if (encoder === undefined) return { decoder };
  const encode: Encoder["encode"] = (image, plan, signal) =>
    encoder.encode(image, plan, signal, resources.get(sampleEncoders));
  const encodePixels = await format.pixelEncoder?.(resources);
  return { decoder, encoder: { ...encoder, encode, ...(encodePixels && { encodePixels }) } };
};

/**
 * A decoder created once its library or program is found; until then, reading fails with what to
 * install.
 */
const whereAvailable = (format: Format, resources: Resources): Decoder => {
  let creating: Promise<Decoder> | undefined;
  const decoder = async (): Promise<Decoder> => {
    await demandReader(format, resources.config);
    creating ??= format.createDecoder(resources).catch((error: unknown) => {
      creating = undefined;
      throw error;
    });
    return creating;
  };
  return {
    info: async (...asked) => (await decoder()).info(...asked),
    read: async (...asked) => (await decoder()).read(...asked),
  };
};
