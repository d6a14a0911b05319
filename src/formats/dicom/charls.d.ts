declare module "@cornerstonejs/codec-charls/decodewasmjs" {
  const create: (options: {
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  }) => Promise<unknown>;
  // biome-ignore lint/style/noDefaultExport: it is what the package has
  export default create;
}
