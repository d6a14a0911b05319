import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { Engine, ReadBlock } from "./engine.ts";
import type { PdfFile, PdfTrouble } from "./job.ts";

/** A document that is open, in one thread. */
export interface OpenDocument {
  /** PDFium's handle. */
  readonly handle: number;
  readonly pages: number;
}

/** Why a document cannot be had; nothing is the matter with the engine. */
export class Trouble extends Error {
  readonly kind: PdfTrouble;
  constructor(kind: PdfTrouble) {
    super(`A PDF document cannot be had: ${kind}.`);
    this.name = "Trouble";
    this.kind = kind;
  }
}

/** Where the bytes of a document come from. */
interface Bytes {
  readonly size: number;
  /** Names the state of a file; nothing for what cannot change. */
  readonly state: string;
  read(offset: number, into: Uint8Array): boolean;
  close(): void;
}

interface Entry extends OpenDocument {
  readonly number: number;
  readonly bytes: Bytes;
  /** FPDF_FILEACCESS, which lives as long as the document. */
  readonly access: number;
  /** Open pages by their number, the least recently used first. */
  readonly loaded: Map<number, number>;
}

/** How many documents stay open in a thread, how many pages of each, and the bytes they may take outside of PDFium. */
const mostDocuments = 8;
const mostPages = 2;
const mostBytes = 268_435_456;

/** PDFium counts positions in 32 bits. */
const largest = 2 ** 31 - 1;

/** The documents that a thread has open, the least recently used closed first. */
export class Documents {
  readonly #entries = new Map<string, Entry>();
  #engine: Engine | undefined;
  /** The most bytes PDFium's memory may have while pages stay loaded. */
  #roomy = 0;
  #last = 0;
  /** What is read before an entry is there. */
  readonly #sources = new Map<number, Bytes>();

  /** For the engine, which calls it while it has a document in hand. */
  readonly read: ReadBlock = (document, offset, into) =>
    this.#sources.get(document)?.read(offset, into) ?? false;

  /** Says with what documents are opened, and how many bytes of memory that has at most. */
  use(engine: Engine, most: number): void {
    this.#engine = engine;
    this.#roomy = most / 4;
  }

  /** The document, opened if it is not. Throws `Trouble` where it cannot be. */
  open(file: PdfFile): OpenDocument {
    const before = this.#entries.get(file.id);
    if (before !== undefined) {
      this.#entries.delete(file.id);
      if (isSame(file, before.bytes)) {
        this.#entries.set(file.id, before);
        return before;
      }
      this.#close(before);
    }
    const bytes = bytesOf(file);
    if (bytes.size > largest) {
      bytes.close();
      throw new Trouble("large");
    }
    const entry = this.#load(bytes, file.password);
    this.#entries.set(file.id, entry);
    this.#trim();
    return entry;
  }

  /** PDFium's handle of a page, counted from 0. Throws `Trouble` where it is damaged. */
  page(file: PdfFile, number: number): number {
    this.open(file);
    const entry = this.#entries.get(file.id);
    if (entry === undefined) throw new Trouble("absent");
    const before = entry.loaded.get(number);
    if (before !== undefined) {
      entry.loaded.delete(number);
      entry.loaded.set(number, before);
      return before;
    }
    const page = this.#pdfium._FPDF_LoadPage(entry.handle, number);
    if (page === 0) throw new Trouble("page");
    entry.loaded.set(number, page);
    this.#unload(entry, mostPages);
    return page;
  }

  /** Lets go of loaded pages where PDFium has taken much memory: it may use it for others. */
  relax(): void {
    if ((this.#engine?.bytes() ?? 0) < this.#roomy) return;
    for (const entry of this.#entries.values()) this.#unload(entry, 0);
  }

  get #pdfium() {
    if (this.#engine === undefined) throw new Error("Expected the engine to be there.");
    return this.#engine.pdfium;
  }

  #load(bytes: Bytes, password: string): Entry {
    const engine = this.#engine;
    if (engine === undefined) throw new Error("Expected the engine to be there.");
    const { pdfium } = engine;
    const number = ++this.#last;
    this.#sources.set(number, bytes);
    const access = engine.access(number, bytes.size);
    let handle = pdfium._FPDF_LoadCustomDocument(access, 0);
    if (handle === 0 && password !== "" && pdfium._FPDF_GetLastError() === passwordError)
      handle = engine.lend(Buffer.from(`${password}\0`), (address) =>
        pdfium._FPDF_LoadCustomDocument(access, address),
      );
    if (handle === 0) {
      const trouble = troubles[pdfium._FPDF_GetLastError()] ?? "damaged";
      pdfium.wasmExports.free(access);
      this.#sources.delete(number);
      bytes.close();
      throw new Trouble(trouble);
    }
    const pages = Math.max(0, pdfium._FPDF_GetPageCount(handle));
    return { handle, pages, number, bytes, access, loaded: new Map() };
  }

  #unload({ loaded }: Entry, most: number): void {
    for (const [number, page] of loaded) {
      if (loaded.size <= most) return;
      this.#pdfium._FPDF_ClosePage(page);
      loaded.delete(number);
    }
  }

  #close(entry: Entry): void {
    this.#unload(entry, 0);
    this.#pdfium._FPDF_CloseDocument(entry.handle);
    this.#pdfium.wasmExports.free(entry.access);
    this.#sources.delete(entry.number);
    entry.bytes.close();
  }

  #trim(): void {
    const taken = (): number =>
      [...this.#entries.values()].reduce((sum, { bytes }) => sum + heldBy(bytes), 0);
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size <= 1) return;
      if (this.#entries.size <= mostDocuments && taken() <= mostBytes) return;
      this.#entries.delete(id);
      this.#close(entry);
    }
  }
}

/** FPDF_ERR_PASSWORD. */
const passwordError = 4;
/** That and FPDF_ERR_SECURITY; all others are damage. */
const troubles: Readonly<Record<number, PdfTrouble>> = {
  [passwordError]: "locked",
  5: "encrypted",
};

/** What is read of a file takes no memory. */
const heldBy = ({ state, size }: Bytes): number => (state === "" ? size : 0);

const isSame = ({ path }: PdfFile, { state }: Bytes): boolean => {
  if (path === undefined) return true;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && stateOf(found) === state;
};

const stateOf = (
  found: { readonly [name in "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs"]: bigint },
): string => [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join();

const bytesOf = ({ path, bytes }: PdfFile): Bytes => {
  if (path !== undefined) return bytesIn(path);
  if (bytes === undefined) throw new Trouble("absent");
  return {
    size: bytes.length,
    state: "",
    read(offset, into) {
      if (offset + into.length > bytes.length) return false;
      into.set(bytes.subarray(offset, offset + into.length));
      return true;
    },
    close() {},
  };
};

const bytesIn = (path: string): Bytes => {
  const descriptor = opened(path);
  const found = fstatSync(descriptor, { bigint: true });
  return {
    size: Number(found.size),
    state: stateOf(found),
    read: (offset, into) => {
      try {
        return readSync(descriptor, into, 0, into.length, offset) === into.length;
      } catch {
        // PDFium takes no exceptions; what it makes of missing bytes is told as damage.
        return false;
      }
    },
    close: () => closeSync(descriptor),
  };
};

const opened = (path: string): number => {
  try {
    return openSync(path, "r");
  } catch {
    throw new Trouble("changed");
  }
};
