import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PDFiumModule } from "@hyzyla/pdfium";
import { passOverTileLengths } from "../openjpeg-markers.ts";

/** What is used of PDFium's C interface (fpdfview.h): addresses and handles are numbers, 0 is none. */
export interface Pdfium {
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: {
    readonly malloc: (bytes: number) => number;
    readonly free: (address: number) => void;
    readonly __indirect_function_table: WebAssembly.Table;
  };
  _FPDF_InitLibraryWithConfig(config: number): void;
  _FPDF_LoadCustomDocument(access: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetPageSizeByIndexF(document: number, page: number, size: number): number;
  _FPDF_LoadPage(document: number, page: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_CloseDocument(document: number): void;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, number: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFImageObj_GetImagePixelSize(object: number, width: number, height: number): number;
  _FPDFBitmap_CreateEx(w: number, h: number, format: number, at: number, stride: number): number;
  _FPDFBitmap_FillRect(
    ...args: [bitmap: number, x: number, y: number, w: number, h: number, colour: number]
  ): void;
  _FPDFBitmap_GetBuffer(bitmap: number): number;
  _FPDFBitmap_GetStride(bitmap: number): number;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    ...args: [
      bitmap: number,
      page: number,
      x: number,
      y: number,
      w: number,
      h: number,
      turn: number,
      flags: number,
    ]
  ): void;
}

/** Fills `into` with a document's bytes from `offset` on; false where they cannot be had. */
export type ReadBlock = (document: number, offset: number, into: Uint8Array) => boolean;

export interface Engine {
  readonly pdfium: Pdfium;
  /** Of its memory, which never gets smaller. */
  bytes(): number;
  /** Reserves memory for as long as `use` runs. */
  borrow<T>(bytes: number, use: (address: number) => T): T;
  /** Keeps bytes in memory for as long as `use` runs. */
  lend<T>(bytes: Uint8Array, use: (address: number) => T): T;
  /** What PDFium is to know of a document of so many bytes that is read by blocks (FPDF_FILEACCESS); it has to be freed. */
  access(document: number, size: number): number;
  /** The bytes at an address; void once anything else was called. */
  view(address: number, length: number): DataView;
}

/**
 * Starts PDFium, in memory that grows to `most` bytes at most. It runs no scripts, and reads nothing but
 * blocks. Whatever it throws, it cannot be used any more.
 */
export const startEngine = async (most: number, read: ReadBlock): Promise<Engine> => {
  const file = fileURLToPath(import.meta.resolve("@hyzyla/pdfium/pdfium.wasm"));
  const module = await WebAssembly.compile(await readFile(file));
  let memory: WebAssembly.Memory | undefined;
  const loaded = await PDFiumModule({
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      const { exports } = instance;
      // What a module exports is known from its sources alone.
      memory = bounded((exports as { readonly memory: WebAssembly.Memory }).memory, most);
      // The package's types name the module, but it is the instance that is taken.
      done(instance as unknown as WebAssembly.Module);
      return exports;
    },
    ...quiet,
  });
  // The package's types tell only what its own classes use.
  const pdfium = loaded as unknown as Pdfium;
  const { malloc, free, __indirect_function_table: table } = pdfium.wasmExports;
  const view = (address: number, length: number): DataView =>
    new DataView(pdfium.HEAPU8.buffer, address, length);
  const engine: Engine = {
    pdfium,
    view,
    bytes: () => memory?.buffer.byteLength ?? 0,
    borrow(bytes, use) {
      const address = reserved(malloc(bytes));
      try {
        return use(address);
      } finally {
        free(address);
      }
    },
    lend: (bytes, use) =>
      engine.borrow(bytes.length, (address) => {
        pdfium.HEAPU8.set(bytes, address >>> 0);
        return use(address);
      }),
    access(document, size) {
      const address = reserved(malloc(accessBytes));
      const fields = view(address, accessBytes);
      fields.setUint32(0, size, true);
      fields.setUint32(4, readerSlot, true);
      fields.setUint32(8, document, true);
      return address;
    },
  };
  table.set(
    readerSlot,
    await asFunctionReference((document, offset, into, length) =>
      read(document, offset >>> 0, pdfium.HEAPU8.subarray(into >>> 0, (into >>> 0) + length))
        ? 1
        : 0,
    ),
  );
  engine.borrow(configBytes, (config) => {
    const fields = view(config, configBytes);
    for (let at = 0; at < configBytes; at += 4) fields.setUint32(at, 0, true);
    fields.setUint32(0, configVersion, true);
    pdfium._FPDF_InitLibraryWithConfig(config);
  });
  passOverTileLengths(pdfium.HEAPU8);
  return engine;
};

/** FPDF_LIBRARY_CONFIG, of which version 2 needs nothing but its number. */
const configVersion = 2;
const configBytes = 32;

/** FPDF_FILEACCESS: length, function, parameter. */
const accessBytes = 12;

/** The table of functions cannot grow, and its first slot, the null pointer's, is free. */
const readerSlot = 0;

/** Its complaints are told by what it returns. */
const quiet = { print() {}, printErr() {} };

/** Emscripten grows memory by this one method, and takes a refusal for the end of memory. */
const bounded = (memory: WebAssembly.Memory, most: number): WebAssembly.Memory => {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > most)
      throw new RangeError(`Expected PDFium to do with ${most} bytes of memory.`);
    return grow(pages);
  };
  return memory;
};

const pageBytes = 65_536;

const reserved = (address: number): number => {
  if (address === 0) throw new RangeError("Expected memory for a few bytes; there is none left.");
  return address;
};

type Reader = (document: number, offset: number, into: number, length: number) => number;

/** A table takes functions of WebAssembly alone: a module of nothing else hands one on, (i32 i32 i32 i32) -> i32. */
const asFunctionReference = async (reader: Reader): Promise<object> => {
  const module = await WebAssembly.compile(handingOn);
  const { exports } = new WebAssembly.Instance(module, { e: { f: reader } });
  return (exports as { readonly f: object }).f;
};

const handingOn = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  // The type; the import e.f; the export f.
  ...[1, 9, 1, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f],
  ...[2, 7, 1, 1, 0x65, 1, 0x66, 0, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0],
);
