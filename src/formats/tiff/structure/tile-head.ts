/**
 * What precedes the tiles of a level to make JPEGs of them. The tiles of one writer start with the
 * same bytes up to their scans, so the start of a valid tile is remembered: one that starts alike
 * needs no parsing.
 */
export class TileHead {
  /** From the start marker to the shared tables. */
  readonly bytes: Uint8Array;
  #validStart: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Whether a tile starts as one that was valid. */
  startsValid(tile: Uint8Array): boolean {
    const start = this.#validStart;
    if (start === undefined || tile.length < start.length) return false;
    for (let at = 0; at < start.length; at++) if (tile[at] !== start[at]) return false;
    return true;
  }

  /** Remembers the start of a valid tile, up to the data of its scan. */
  noteValid(tile: Uint8Array, length: number): void {
    if (length <= maxStart) this.#validStart = tile.slice(0, length);
  }
}

/** Maximum bytes that are remembered; comparing more takes longer than parsing. */
const maxStart = 1_024;
