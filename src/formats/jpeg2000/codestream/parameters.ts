import { damaged, Fields } from "../../containers/index.ts";
import type { Progression } from "./contract.ts";
import { markers } from "./markers.ts";
import { styles } from "./segments.ts";

/**
 * The coding of blocks and levels of one component (COD, COC: ISO/IEC 15444-1, A.6.1 and A.6.2).
 */
export interface Coding {
  /** Decomposition levels, 0 to 32. */
  readonly levels: number;
  /** Exponents of the sides of blocks: 2 to 10, no more than 12 together. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** Table A.19; bits 6 and 7 are of T.814. */
  readonly style: number;
  /** Reversible 5/3, or 9/7. */
  readonly reversible: boolean;
  /** Exponents of the sides of precincts, lowest resolution first; `levels + 1` of them. */
  readonly precincts: readonly { readonly width: number; readonly height: number }[];
}

/** COD's values for all components (table A.14). */
export interface CodingDefault {
  readonly progression: Progression;
  readonly layers: number;
  /** Whether the first three components are transformed together (annex G). */
  readonly transformed: boolean;
  readonly startMarkers: boolean;
  readonly endMarkers: boolean;
  readonly coding: Coding;
}

/** QCD, QCC (A.6.4, A.6.5): exponents and mantissas of the bands, the lowest first. */
export interface Quantization {
  readonly style: "none" | "derived" | "expounded";
  readonly guardBits: number;
  readonly steps: readonly { readonly exponent: number; readonly mantissa: number }[];
}

/** One change of progression (POC: A.6.6); ends are not included. */
export interface ProgressionChange {
  readonly resolutions: readonly [number, number];
  readonly components: readonly [number, number];
  readonly layers: number;
  readonly progression: Progression;
}

/** The values of the main header, or a tile's own ones. */
export interface Parameters {
  readonly coding?: CodingDefault;
  readonly codings: ReadonlyMap<number, Coding>;
  readonly quantization?: Quantization;
  readonly quantizations: ReadonlyMap<number, Quantization>;
  /** The shift of the region of interest in bits, by component (RGN: A.6.3). */
  readonly shifts: ReadonlyMap<number, number>;
  readonly changes: readonly ProgressionChange[];
}

/** The values for one component of a tile; a tile's own header overrides the main one (A.6). */
export interface ComponentParameters {
  readonly coding: Coding;
  readonly quantization: Quantization;
  /** In bits, 0 where there is no region of interest. */
  readonly shift: number;
}

/** Parameters collected from successive marker segments. */
export class ParametersRead implements Parameters {
  readonly codings = new Map<number, Coding>();
  readonly quantizations = new Map<number, Quantization>();
  readonly shifts = new Map<number, number>();
  readonly changes: ProgressionChange[] = [];
  coding?: CodingDefault;
  quantization?: Quantization;
  readonly #components: number;

  /** Of a codestream with so many components. */
  constructor(components: number) {
    this.#components = components;
  }

  /** Parses a segment; false where its marker is of another kind. Throws `unreadable`. */
  take(marker: number, body: Uint8Array): boolean {
    switch (marker) {
      case markers.codingDefault:
        this.coding = readCodingDefault(new Fields("COD", body));
        return true;
      case markers.codingOfComponent: {
        const fields = new Fields("COC", body);
        const component = readComponent(fields, this.#components);
        this.codings.set(component, readCoding(fields, fields.byte()));
        return true;
      }
      case markers.quantizationDefault:
        this.quantization = readQuantization(new Fields("QCD", body));
        return true;
      case markers.quantizationOfComponent: {
        const fields = new Fields("QCC", body);
        const component = readComponent(fields, this.#components);
        this.quantizations.set(component, readQuantization(fields));
        return true;
      }
      case markers.regionOfInterest:
        this.#takeShift(new Fields("RGN", body));
        return true;
      case markers.progressionChange:
        this.changes.push(...readChanges(body, this.#components));
        if (this.changes.length > maxChanges) damaged("fewer changes of progression");
        return true;
      default:
        return false;
    }
  }

  #takeShift(fields: Fields): void {
    const component = readComponent(fields, this.#components);
    if (fields.byte() !== 0) damaged("a region of interest by the maxshift method");
    this.shifts.set(component, fields.byte());
  }
}

/** OpenJPEG's bound is 32. */
const maxChanges = 256;

/** The values for a component; throws `unreadable` where no header has them. */
export const ofComponent = (
  main: Parameters,
  tile: Parameters,
  component: number,
): ComponentParameters => ({
  coding:
    tile.codings.get(component) ??
    tile.coding?.coding ??
    main.codings.get(component) ??
    main.coding?.coding ??
    damaged("a coding style (COD)"),
  quantization:
    tile.quantizations.get(component) ??
    tile.quantization ??
    main.quantizations.get(component) ??
    main.quantization ??
    damaged("a quantization (QCD)"),
  shift: tile.shifts.get(component) ?? main.shifts.get(component) ?? 0,
});

const progressions = ["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"] as const;

const progressionOf = (number: number): Progression =>
  progressions[number] ?? damaged(`a progression order of 0 to 4 and not ${number}`);

const readComponent = (fields: Fields, components: number): number => {
  const component = components < 257 ? fields.byte() : fields.short();
  if (component >= components)
    damaged(`a component below ${components} and not ${component} in a marker`);
  return component;
};

const readCodingDefault = (fields: Fields): CodingDefault => {
  const style = fields.byte();
  const progression = progressionOf(fields.byte());
  const layers = fields.short();
  if (layers === 0) damaged("a layer or more");
  const transform = fields.byte();
  if (transform > 1) damaged("a component transformation of Part 1");
  return {
    progression,
    layers,
    transformed: transform === 1,
    startMarkers: (style & 2) !== 0,
    endMarkers: (style & 4) !== 0,
    coding: readCoding(fields, style),
  };
};

const readCoding = (fields: Fields, ownPrecincts: number): Coding => {
  const levels = fields.byte();
  const blockWidth = (fields.byte() & 15) + 2;
  const blockHeight = (fields.byte() & 15) + 2;
  const style = fields.byte();
  const transformation = fields.byte();
  if (levels > 32) damaged(`no more than 32 levels and not ${levels}`);
  if (blockWidth > 10 || blockHeight > 10 || blockWidth + blockHeight > 12)
    damaged(`blocks of at most 4,096 samples and not 2^${blockWidth} x 2^${blockHeight}`);
  if (transformation > 1) damaged("a wavelet of Part 1");
  if ((style & styles.mixed) !== 0) damaged("blocks that are all HT, or none of them,");
  const precincts = Array.from({ length: levels + 1 }, (_, level) => {
    const sides = (ownPrecincts & 1) === 1 ? fields.byte() : 0xff;
    const [width, height] = [sides & 15, sides >> 4];
    if (level > 0 && (width === 0 || height === 0)) damaged("precincts of more than one sample");
    return { width, height };
  });
  return { levels, blockWidth, blockHeight, style, reversible: transformation === 1, precincts };
};

const quantizationStyles = ["none", "derived", "expounded"] as const;

const readQuantization = (fields: Fields): Quantization => {
  const first = fields.byte();
  const style = quantizationStyles[first & 31] ?? damaged("a quantization of Part 1");
  const steps: { exponent: number; mantissa: number }[] = [];
  const size = style === "none" ? 1 : 2;
  while (fields.left >= size && steps.length < maxBands) {
    const value = fields.number(size);
    steps.push(
      style === "none"
        ? { exponent: value >> 3, mantissa: 0 }
        : { exponent: value >> 11, mantissa: value & 2_047 },
    );
  }
  if (steps.length === 0) damaged("a quantizer's step or more");
  return { style, guardBits: first >> 5, steps };
};

/** Three for each of 32 levels, and the lowest. */
const maxBands = 97;

const readChanges = (body: Uint8Array, components: number): ProgressionChange[] => {
  const fields = new Fields("POC", body);
  const wide = components < 257 ? 1 : 2;
  const changes: ProgressionChange[] = [];
  while (fields.left >= 5 + 2 * wide) {
    const resolution = fields.byte();
    const component = fields.number(wide);
    const layers = fields.short();
    const resolutionEnd = fields.byte();
    const componentEnd = fields.number(wide);
    changes.push({
      resolutions: [resolution, resolutionEnd],
      // One byte cannot say 256: 0 stands for it (table A.32).
      components: [component, componentEnd === 0 ? components : componentEnd],
      layers,
      progression: progressionOf(fields.byte()),
    });
  }
  return changes;
};
