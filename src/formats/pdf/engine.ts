import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PDFiumModule } from "@hyzyla/pdfium";
import { skipTileLengths } from "../containers/index.ts";
import { type Callback, functionReferences } from "./function-reference.ts";

/**
 * The used part of PDFium's C interface (fpdfview.h): addresses and handles are numbers, 0 is null.
 */
export interface Pdfium {
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: {
    readonly malloc: (bytes: number) => number;
    readonly free: (address: number) => void;
    readonly __indirect_function_table: WebAssembly.Table;
  };
  _FPDF_InitLibraryWithConfig(config: number): void;
  _FPDF_LoadCustomDocument(access: number, password: number): number;
  _FPDF_LoadMemDocument64(address: number, bytes: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetPageSizeByIndexF(document: number, page: number, size: number): number;
  _FPDF_LoadPage(document: number, page: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetMetaText(document: number, tag: number, into: number, bytes: number): number;
  _FPDF_SaveAsCopy(document: number, writer: number, flags: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, number: number): number;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number;
  _FPDFDOC_ExitFormFillEnvironment(form: number): void;
  _FPDF_SetFormFieldHighlightAlpha(form: number, alpha: number): void;
  _FORM_OnAfterLoadPage(page: number, form: number): void;
  _FORM_OnBeforeClosePage(page: number, form: number): void;
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
  _FPDF_RenderPageBitmap(bitmap: number, page: number, ...placed: Placed): void;
  _FPDF_FFLDraw(form: number, bitmap: number, page: number, ...placed: Placed): void;
}

/** The position of a page in a bitmap, and rendering options. */
type Placed = [x: number, y: number, w: number, h: number, turn: number, flags: number];

/** Fills `into` with a document's bytes from `offset` on; false where they are unavailable. */
export type ReadBlock = (document: number, offset: number, into: Uint8Array) => boolean;

export interface Engine {
  readonly pdfium: Pdfium;
  /** Of its memory, which never shrinks. */
  bytes(): number;
  /** The address of so many bytes that the caller frees. */
  reserve(bytes: number): number;
  /** Allocates memory for the duration of `use`. */
  borrow<T>(bytes: number, use: (address: number) => T): T;
  /** Copies bytes to memory for the duration of `use`. */
  lend<T>(bytes: Uint8Array, use: (address: number) => T): T;
  /**
   * Describes a document of so many bytes that is read by blocks (FPDF_FILEACCESS); the caller
   * frees it.
   */
  access(document: number, size: number): number;
  /**
   * Replaces the function that reads blocks by one that receives written data (FPDF_FILEWRITE), for
   * the duration of `use`, which gets its index in the function table.
   */
  writing<T>(write: Callback, use: (slot: number) => T): T;
  /** The bytes at an address; invalid after any other call. */
  view(address: number, length: number): DataView;
}

/**
 * Starts PDFium with at most `max` bytes of memory, evaluated on growth. It runs no scripts, and
 * reads nothing but blocks. After any exception it is unusable.
 */
export const startEngine = async (max: () => number, read: ReadBlock): Promise<Engine> => {
  const file = fileURLToPath(import.meta.resolve("@hyzyla/pdfium/pdfium.wasm"));
  const module = await WebAssembly.compile(await readFile(file));
  let memory: WebAssembly.Memory | undefined;
  const loaded = await PDFiumModule({
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      const { exports } = instance;
      // A module's exports are known from its sources alone.
      memory = bounded((exports as { readonly memory: WebAssembly.Memory }).memory, max);
      // The package's types name the module, but it takes the instance.
      done(instance as unknown as WebAssembly.Module);
      return exports;
    },
    ...quiet,
  });
  // The package's types contain only what its own classes use.
  const pdfium = loaded as unknown as Pdfium;
  const { malloc, free, __indirect_function_table: table } = pdfium.wasmExports;
  const view = (address: number, length: number): DataView =>
    new DataView(pdfium.HEAPU8.buffer, address, length);
  const ofReader = await functionReferences(4);
  const ofWriter = await functionReferences(3);
  const reader = ofReader((document = 0, offset = 0, into = 0, length = 0) => {
    const from = into >>> 0;
    const block = pdfium.HEAPU8.subarray(from, from + (length >>> 0));
    return read(document, offset >>> 0, block) ? 1 : 0;
  });
  const engine: Engine = {
    pdfium,
    view,
    bytes: () => memory?.buffer.byteLength ?? 0,
    reserve: (bytes) => reserved(malloc(bytes)),
    borrow(bytes, use) {
      const address = engine.reserve(bytes);
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
      const address = engine.reserve(accessBytes);
      const fields = view(address, accessBytes);
      fields.setUint32(0, size, true);
      fields.setUint32(4, readerSlot, true);
      fields.setUint32(8, document, true);
      return address;
    },
    writing(write, use) {
      table.set(readerSlot, ofWriter(write));
      try {
        return use(readerSlot);
      } finally {
        table.set(readerSlot, reader);
      }
    },
  };
  table.set(readerSlot, reader);
  engine.borrow(configBytes, (config) => {
    const fields = view(config, configBytes);
    for (let at = 0; at < configBytes; at += 4) fields.setUint32(at, 0, true);
    fields.setUint32(0, configVersion, true);
    pdfium._FPDF_InitLibraryWithConfig(config);
  });
  skipTileLengths(pdfium.HEAPU8);
  return engine;
};

/** FPDF_LIBRARY_CONFIG, of which version 2 needs nothing but its number. */
const configVersion = 2;
const configBytes = 32;

/** FPDF_FILEACCESS: length, function, parameter. */
const accessBytes = 12;

/** The function table cannot grow, and its first slot, the null pointer's, is free. */
const readerSlot = 0;

/** Keeps its complaints out of the output: return values report them. */
const quiet = { print() {}, printErr() {} };

/** Emscripten grows memory by this one method, and treats a refusal as out of memory. */
const bounded = (memory: WebAssembly.Memory, max: () => number): WebAssembly.Memory => {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > max())
      throw new RangeError(`PDFium needs more than ${max()} bytes of memory.`);
    return grow(pages);
  };
  return memory;
};

const pageBytes = 65_536;

const reserved = (address: number): number => {
  if (address === 0) throw new RangeError("PDFium is out of memory.");
  return address;
};
