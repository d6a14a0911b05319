/** What of the package is used; its own declarations need those of a browser. */
declare module "icodec/node" {
  export const webp: {
    /** Loads libwebp for the calling thread, once. */
    loadDecoder(): Promise<unknown>;
    /** RGBA, eight bits a sample, in an array of its own; throws where libwebp refuses the file. */
    decode(bytes: Uint8Array): { readonly data: Uint8ClampedArray<ArrayBuffer> };
  };
}
