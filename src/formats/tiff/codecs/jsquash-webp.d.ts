/** What of the package is used; its own declarations need those of a browser. */
declare module "@jsquash/webp/codec/dec/webp_dec.js" {
  interface Webp {
    /** RGBA, eight bits a sample; null where libwebp refuses the file. */
    decode(bytes: Uint8Array): { readonly data: Uint8ClampedArray } | null;
  }
  const create: (options: {
    readonly noInitialRun: boolean;
    readonly instantiateWasm: (
      imports: Readonly<Record<string, object>>,
      use: (instance: WebAssembly.Instance) => void,
    ) => object;
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  }) => Promise<Webp>;
  // biome-ignore lint/style/noDefaultExport: it is what the package has
  export default create;
}
