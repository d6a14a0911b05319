/**
 * What of the package is used; its own declarations cannot be found by the way it exports its
 * files.
 */
declare module "wasm-vips" {
  export interface VipsImage {
    readonly width: number;
    readonly height: number;
    readonly bands: number;
    /** 0 where there is no such field. */
    getTypeof(name: string): number;
    getInt(name: string): number;
    getBlob(name: string): Uint8Array;
    setBlob(name: string, bytes: Uint8Array): void;
    copy(changes: { readonly interpretation: string }): VipsImage;
    /** All samples, in memory of their own. */
    writeToMemory(): Uint8Array | Uint16Array | Float32Array;
    jxlsaveBuffer(options: {
      readonly distance?: number;
      readonly lossless?: boolean;
      readonly effort: number;
    }): Uint8Array;
    delete(): void;
  }

  export interface Vips {
    readonly Image: {
      jxlloadBuffer(bytes: Uint8Array, options: { readonly page: number }): VipsImage;
      newFromMemory(
        samples: Uint8Array | Uint16Array,
        width: number,
        height: number,
        bands: number,
        format: "uchar" | "ushort",
      ): VipsImage;
    };
    readonly Cache: { max(operations: number): void };
    concurrency(threads: number): void;
  }

  export type Start = (options: {
    readonly dynamicLibraries: readonly string[];
    readonly wasmMemory: WebAssembly.Memory;
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  }) => Promise<Vips>;
  const start: Start;
  // biome-ignore lint/style/noDefaultExport: it is what the package has
  export default start;
}
