import zlib from "node:zlib";

/** Undoes Zstandard into `length` bytes or fewer; throws where the data is damaged. */
export type Unzstd = (bytes: Uint8Array, length: number) => Uint8Array;

/** Node's own decoder where it has one (from 22.15), else one in WebAssembly. It works on the calling thread. */
export const zstdDecoder = async (): Promise<Unzstd> => {
  const own: unknown = Object.getOwnPropertyDescriptor(zlib, "zstdDecompressSync")?.value;
  if (isDecompress(own)) return (bytes, length) => own(bytes, { maxOutputLength: length });
  const { ZSTDDecoder } = await import("zstddec");
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return (bytes, length) => decoder.decode(bytes, length);
};

type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

const isDecompress = (value: unknown): value is Decompress => typeof value === "function";
