import { compileWasm } from "../src/core/wasm.ts";
import { type HeapCodec, newHeapCodec, withBytes } from "../src/formats/heap-codec.ts";

/** The samples of a component as OpenJPEG decodes them, with what stands in its header. */
export interface ReferenceComponent {
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture per sample. */
  readonly across: number;
  readonly down: number;
  readonly bits: number;
  readonly signed: boolean;
  readonly data: Int32Array;
}

/** All components of a codestream or a JP2, palettes and channel definitions left alone; undefined where it is refused. */
export type Reference = (bytes: Uint8Array) => readonly ReferenceComponent[] | undefined;

interface OpenJpeg extends HeapCodec {
  look(from: number, length: number): number;
  decode(): number;
  forget(): void;
  components(): number;
  componentWidth(index: number): number;
  componentHeight(index: number): number;
  componentAcross(index: number): number;
  componentDown(index: number): number;
  componentBits(index: number): number;
  componentSigned(index: number): number;
  componentAt(index: number): number;
}

/** OpenJPEG, which codecs/ has for tiles, as something to compare with. */
export const loadReference = async (): Promise<Reference> => {
  const codec = newHeapCodec<OpenJpeg>(await compileWasm("codecs", "jpeg2000"));
  const component = (index: number): ReferenceComponent => {
    const [width, height] = [codec.componentWidth(index), codec.componentHeight(index)];
    const at = codec.componentAt(index) >>> 0;
    return {
      width,
      height,
      across: codec.componentAcross(index),
      down: codec.componentDown(index),
      bits: codec.componentBits(index),
      signed: codec.componentSigned(index) !== 0,
      data: new Int32Array(codec.memory.buffer, at, width * height).slice(),
    };
  };
  return (bytes) =>
    withBytes(codec, bytes, (at) => {
      const isRead = codec.look(at, bytes.length) !== 0 && codec.decode() !== 0;
      const components = isRead
        ? Array.from({ length: codec.components() }, (_, index) => component(index))
        : undefined;
      codec.forget();
      return components;
    });
};
