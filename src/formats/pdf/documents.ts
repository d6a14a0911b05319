import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { Engine, ReadBlock } from "./engine.ts";
import { closeForm, hasFields, openForm, type PdfForm } from "./forms.ts";
import type { PdfFile, PdfTrouble } from "./job.ts";

/** An open document, in one thread. */
export interface OpenDocument {
  /** PDFium's handle. */
  readonly handle: number;
  readonly pages: number;
}

/** A loaded page, in one thread. */
export interface LoadedPage {
  /** PDFium's handle. */
  readonly handle: number;
  /** The form handle, where the page has form fields. */
  readonly form?: number;
}

/** Why a document cannot be opened; the engine itself is fine. */
export class PdfOpenError extends Error {
  readonly kind: PdfTrouble;
  constructor(kind: PdfTrouble) {
    super(`A PDF document cannot be opened: ${kind}.`);
    this.name = "Trouble";
    this.kind = kind;
  }
}

/** The source of a document's bytes. */
interface Bytes {
  readonly size: number;
  /** Identifies the state of a file; absent for immutable bytes. */
  readonly state: string;
  read(offset: number, into: Uint8Array): boolean;
  close(): void;
}

interface LoadedDocument extends OpenDocument {
  readonly number: number;
  readonly bytes: Bytes;
  /** FPDF_FILEACCESS, which exists as long as the document. */
  readonly access: number;
  /** The password it was opened with; absent where it needs none. */
  readonly password?: string;
  /** Open pages by number, least recently used first. */
  readonly loaded: Map<number, LoadedPage>;
  /** Set once a page with form fields was loaded. */
  form?: PdfForm;
}

/**
 * Maximum number of open documents in a thread, of pages of each, and the fraction of its memory
 * they may use outside PDFium.
 */
const maxDocuments = 8;
const maxPages = 2;
const partOfBytes = 0.25;

/** PDFium's offsets have 32 bits. */
const largest = 2 ** 31 - 1;

/** An LRU cache of a thread's open documents. */
export class Documents {
  readonly #entries = new Map<string, LoadedDocument>();
  #engine: Engine | undefined;
  /** Maximum bytes of PDFium's memory while pages stay loaded. */
  #roomy = 0;
  /** Maximum bytes of documents outside PDFium. */
  #max = 0;
  #last = 0;
  /** The document being read before it has an entry. */
  readonly #sources = new Map<number, Bytes>();

  /** For the engine, which calls it while it works on a document. */
  readonly read: ReadBlock = (document, offset, into) =>
    this.#sources.get(document)?.read(offset, into) ?? false;

  /** Sets the password and the memory limit for opening documents. */
  use(engine: Engine, max: number): void {
    this.#engine = engine;
    this.#roomy = max / 4;
    this.#max = max * partOfBytes;
  }

  /** The document, opened if it is not. Throws `PdfOpenError` where it cannot be. */
  open(file: PdfFile): OpenDocument {
    return this.#entry(file);
  }

  #entry(file: PdfFile): LoadedDocument {
    const before = this.#entries.get(file.id);
    if (before !== undefined) {
      this.#entries.delete(file.id);
      if (opensWith(before, file) && isSame(file, before.bytes)) {
        this.#entries.set(file.id, before);
        return before;
      }
      this.#close(before);
    }
    const bytes = bytesOf(file);
    if (bytes.size > largest) {
      bytes.close();
      throw new PdfOpenError("large");
    }
    const entry = this.#load(bytes, file.password);
    this.#entries.set(file.id, entry);
    this.#trim();
    return entry;
  }

  /** A page, counted from 0. Throws `PdfOpenError` where it is corrupt. */
  page(file: PdfFile, number: number): LoadedPage {
    const entry = this.#entry(file);
    const before = entry.loaded.get(number);
    if (before !== undefined) {
      entry.loaded.delete(number);
      entry.loaded.set(number, before);
      return before;
    }
    const page = this.#loadPage(entry, number);
    entry.loaded.set(number, page);
    this.#unload(entry, maxPages);
    return page;
  }

  /** All bytes of a document; undefined for more than `max`. Throws `PdfOpenError` as `open` does. */
  contents(file: PdfFile, max: number): Buffer | undefined {
    const { bytes } = this.#entry(file);
    if (bytes.size > max) return undefined;
    const all = Buffer.alloc(bytes.size);
    if (!bytes.read(0, all)) throw new PdfOpenError("changed");
    return all;
  }

  /** Bytes of documents outside PDFium. */
  get heldBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#entries.values()) sum += heldBy(bytes);
    return sum;
  }

  /** Unloads pages where PDFium uses much memory, so that it can reuse it. */
  relax(): void {
    if (this.#held.bytes() < this.#roomy) return;
    for (const entry of this.#entries.values()) this.#unload(entry, 0);
  }

  get #held(): Engine {
    if (this.#engine === undefined) throw new Error("The PDF engine is not running.");
    return this.#engine;
  }

  #load(bytes: Bytes, password: string): LoadedDocument {
    const engine = this.#held;
    const { pdfium } = engine;
    const number = ++this.#last;
    this.#sources.set(number, bytes);
    const access = engine.access(number, bytes.size);
    const load = (secret: number): number => pdfium._FPDF_LoadCustomDocument(access, secret);
    const { handle, isLocked } = loadedWith(engine, password, load);
    if (handle === 0) {
      const trouble = troubles[pdfium._FPDF_GetLastError()] ?? "damaged";
      pdfium.wasmExports.free(access);
      this.#sources.delete(number);
      bytes.close();
      throw new PdfOpenError(trouble);
    }
    const pages = Math.max(0, pdfium._FPDF_GetPageCount(handle));
    const opened = { handle, pages, number, bytes, access, loaded: new Map() };
    return isLocked ? { ...opened, password } : opened;
  }

  #loadPage(entry: LoadedDocument, number: number): LoadedPage {
    const engine = this.#held;
    const handle = engine.pdfium._FPDF_LoadPage(entry.handle, number);
    if (handle === 0) throw new PdfOpenError("page");
    if (!hasFields(engine, handle)) return { handle };
    entry.form ??= openForm(engine, entry.handle);
    const form = entry.form.handle;
    engine.pdfium._FORM_OnAfterLoadPage(handle, form);
    return { handle, form };
  }

  #unload({ loaded }: LoadedDocument, max: number): void {
    const { pdfium } = this.#held;
    for (const [number, { handle, form }] of loaded) {
      if (loaded.size <= max) return;
      if (form !== undefined) pdfium._FORM_OnBeforeClosePage(handle, form);
      pdfium._FPDF_ClosePage(handle);
      loaded.delete(number);
    }
  }

  #close(entry: LoadedDocument): void {
    const engine = this.#held;
    this.#unload(entry, 0);
    if (entry.form !== undefined) closeForm(engine, entry.form);
    engine.pdfium._FPDF_CloseDocument(entry.handle);
    engine.pdfium.wasmExports.free(entry.access);
    this.#sources.delete(entry.number);
    entry.bytes.close();
  }

  #trim(): void {
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size <= 1) return;
      if (this.#entries.size <= maxDocuments && this.heldBytes <= this.#max) return;
      this.#entries.delete(id);
      this.#close(entry);
    }
  }
}

/**
 * Loads a document without a password and, where one is required, with the configured one; returns
 * whether it was. 0 is null.
 */
export const loadedWith = (
  { pdfium, lend }: Engine,
  password: string,
  load: (password: number) => number,
): { readonly handle: number; readonly isLocked: boolean } => {
  const handle = load(0);
  const isLocked = handle === 0 && pdfium._FPDF_GetLastError() === passwordError;
  return isLocked && password !== ""
    ? { handle: lend(Buffer.from(`${password}\0`), load), isLocked }
    : { handle, isLocked };
};

/** FPDF_ERR_PASSWORD. */
const passwordError = 4;
/** That and FPDF_ERR_SECURITY; all others mean a corrupt document. */
const troubles: Readonly<Record<number, PdfTrouble>> = {
  [passwordError]: "locked",
  5: "encrypted",
};

/** Reads of a local file need no memory. */
const heldBy = ({ state, size }: Bytes): number => (state === "" ? size : 0);

/**
 * A document opened with a password is reused for that password only, and only while it is
 * configured.
 */
const opensWith = ({ password }: LoadedDocument, file: PdfFile): boolean =>
  password === undefined || password === file.password;

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
  if (bytes === undefined) throw new PdfOpenError("absent");
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
        // PDFium cannot handle exceptions; it reports missing bytes as corruption.
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
    throw new PdfOpenError("changed");
  }
};
