/** Memory reserved for a thread or process while it runs. */
export interface Reservation {
  /** Amount in bytes. */
  readonly bytes: number;
  /** Marks its holder as idle: `evict` may be called once, to free the memory for others. */
  idle(evict: () => void): void;
  /** Marks its holder as busy: it is not evicted. */
  busy(): void;
  /** Releases the memory, once its holder has ended. */
  release(): void;
}

/**
 * The limits of a thread whose jobs are counted elsewhere: it reserves only what it keeps between
 * jobs.
 */
export const residentMemory = ({
  reservedBytes,
}: {
  readonly reservedBytes?: number;
}): { readonly reservedBytes?: number; readonly keep?: number } =>
  reservedBytes === undefined
    ? {}
    : { reservedBytes, keep: Math.max(minKeptBytes, reservedBytes - emptyThreadBytes) };

/** Memory of a thread before its first job, besides what it can measure itself. */
const emptyThreadBytes = 6_291_456;
/** Minimum: with less, a thread would end after each tile. */
const minKeptBytes = 12_582_912;

/** A request for memory that may still wait. */
export interface PendingReservation {
  /** Undefined while the request waits. */
  readonly reservation: Reservation | undefined;
  /** Stops waiting, and releases the reservation if there is one. */
  cancel(): void;
}

/**
 * The memory that all decoder and encoder threads and processes of a worker share. Each reserves
 * the most that it may take, for as long as it runs. If too little is free, idle holders are
 * evicted, the longest idle first; otherwise the request waits. Requests are granted in the order
 * in which they came.
 */
export class MemoryReservations {
  readonly #maxBytes: number;
  readonly #requests: Request[] = [];
  readonly #idle = new Map<Reservation, IdleHolder>();
  readonly #now: () => number;
  #reserved = 0;
  #timer: NodeJS.Timeout | undefined;

  /** At most `maxBytes` are reserved at a time; `now` is a clock in milliseconds. */
  constructor(maxBytes: number, now: () => number = () => performance.now()) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** Reserved now, in bytes. */
  get reserved(): number {
    return this.#reserved;
  }

  /**
   * Requests so many bytes, or all there are if that is less. `onGranted` is called if the request
   * had to wait, never before this returns. Idle holders of the same owner are not evicted for it:
   * they could do the work themselves.
   */
  request(owner: object, bytes: number, onGranted: () => void): PendingReservation {
    const request: Request = {
      ...{ owner, bytes: Math.min(bytes, this.#maxBytes), onGranted },
      reservation: undefined,
    };
    this.#requests.push(request);
    this.#grant();
    request.hasWaited = request.reservation === undefined;
    return {
      get reservation() {
        return request.reservation;
      },
      cancel: () => {
        const at = this.#requests.indexOf(request);
        if (at >= 0) this.#requests.splice(at, 1);
        request.reservation?.release();
        request.reservation = undefined;
        this.#grant();
      },
    };
  }

  /**
   * Runs `work` with so many bytes reserved; throws the signal's reason if it aborts while the
   * request waits.
   */
  async use<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let pending: PendingReservation | undefined;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        pending?.cancel();
        reject(signal.reason);
      };
      pending = this.request({}, bytes, () => {
        signal.removeEventListener("abort", leave);
        resolve();
      });
      if (pending.reservation !== undefined) resolve();
      else signal.addEventListener("abort", leave, { once: true });
    });
    try {
      return await work();
    } finally {
      pending?.reservation?.release();
    }
  }

  /**
   * Grants waiting requests in order, as far as the memory goes, and evicts idle holders for the
   * next one.
   */
  #grant(): void {
    for (let [first] = this.#requests; first !== undefined; [first] = this.#requests) {
      const missing = this.#reserved + first.bytes - this.#maxBytes;
      if (missing > 0) {
        this.#evict(missing, first.owner);
        return;
      }
      this.#requests.shift();
      first.reservation = this.#reserve(first.bytes, first.owner);
      if (first.hasWaited) first.onGranted();
    }
  }

  /**
   * Evicts idle holders until so many bytes will be free, or none are left; those of `owner` stay.
   */
  #evict(bytes: number, owner: object): void {
    let missing = bytes;
    for (const holder of this.#idle.values()) if (holder.isEvicted) missing -= holder.bytes;
    for (const holder of this.#idle.values()) {
      if (missing <= 0) return;
      if (holder.isEvicted || holder.owner === owner) continue;
      const waitMs = holder.since + minLifeMs - this.#now();
      if (waitMs > 0) {
        this.#grantIn(waitMs);
        continue;
      }
      holder.isEvicted = true;
      missing -= holder.bytes;
      holder.evict();
    }
  }

  #grantIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#grant();
    }, ms).unref();
  }

  #reserve(bytes: number, owner: object): Reservation {
    this.#reserved += bytes;
    const since = this.#now();
    let isReleased = false;
    const reservation: Reservation = {
      bytes,
      idle: (evict) => {
        if (isReleased || this.#idle.get(reservation)?.isEvicted) return;
        this.#idle.delete(reservation);
        this.#idle.set(reservation, { owner, bytes, since, evict, isEvicted: false });
        if (this.#requests.length > 0) this.#grant();
      },
      busy: () => {
        this.#idle.delete(reservation);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#idle.delete(reservation);
        this.#reserved -= bytes;
        this.#grant();
      },
    };
    return reservation;
  }
}

interface Request {
  readonly owner: object;
  readonly bytes: number;
  readonly onGranted: () => void;
  reservation: Reservation | undefined;
  hasWaited?: boolean;
}

interface IdleHolder {
  readonly owner: object;
  readonly bytes: number;
  /** When the memory was reserved, in milliseconds of the clock. */
  readonly since: number;
  readonly evict: () => void;
  isEvicted: boolean;
}

/** Minimum milliseconds before a holder is evicted: starting another takes about as long. */
const minLifeMs = 300;
