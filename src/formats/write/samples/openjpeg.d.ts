/** What of the package is used; it has no declarations of its own. */
declare module "@cornerstonejs/codec-openjpeg/wasmjs" {
  export interface FrameInfo {
    readonly width: number;
    readonly height: number;
    readonly bitsPerSample: number;
    readonly componentCount: number;
    readonly isSigned: boolean;
  }

  export interface J2KEncoder {
    /** Where the samples are to be put, pixel by pixel; void once anything else was called. */
    getDecodedBuffer(frame: FrameInfo): Uint8Array;
    setDecompositions(count: number): void;
    /** How many layers there are, each with a ratio of its own. */
    setQuality(lossless: boolean, layers: number): void;
    /** How many bytes of samples come to one of a layer; 0 for without loss. */
    setCompressionRatio(layer: number, ratio: number): void;
    /** 2 for resolution, position, component, layer. */
    setProgressionOrder(order: number): void;
    encode(): void;
    /** In memory that changes with the next call. */
    getEncodedBuffer(): Uint8Array;
    delete(): void;
  }

  export interface OpenJpeg {
    readonly J2KEncoder: new () => J2KEncoder;
    readonly HEAPU8: Uint8Array;
  }

  const start: (options: {
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  }) => Promise<OpenJpeg>;
  // biome-ignore lint/style/noDefaultExport: it is what the package has
  export default start;
}
