/** Memory that a thread or process takes for as long as it is there. */
export interface Room {
  readonly bytes: number;
  /** Says that what is in it has nothing to do: `leave` may be called, to make room for others. */
  rest(leave: () => void): void;
  /** Says that it has something to do. */
  work(): void;
  /** Gives it back, once whatever was in it has ended. */
  free(): void;
}

/** What threads whose jobs are counted elsewhere take while they rest, and may keep: all but what any thread takes. */
export const roomOf = ({
  room,
}: {
  readonly room?: number;
}): { readonly room?: number; readonly keep?: number } =>
  room === undefined ? {} : { room, keep: Math.max(leastKept, room - emptyThread) };

/** What a thread takes that has done nothing yet, in bytes, beside what it counts itself. */
const emptyThread = 6_291_456;
/** With less, a thread would end after each tile. */
const leastKept = 12_582_912;

/** A place in the queue for a room. */
export interface Wish {
  /** The room, once there is one. */
  readonly room: Room | undefined;
  /** Gives up waiting, and the room if there is one. */
  cancel(): void;
}

/**
 * The memory that all threads and processes of a worker share which decode and encode. Each takes what it may need at
 * the most for as long as it is there. Where that is more than there is left, those that have nothing to do have to
 * leave, who rested longest first; else one waits. Who came first has the next room.
 */
export class Rooms {
  readonly #most: number;
  readonly #wishes: Waiting[] = [];
  readonly #resting = new Map<Room, Resting>();
  readonly #now: () => number;
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Of so many bytes in all; `now` is a clock in milliseconds. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** What is taken, in bytes. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Asks for a room of so many bytes, or of all there are; `onRoom` is called, never at once, when it is there later.
   * Nothing that is the same owner's has to leave for it: what rests there could do the work.
   */
  wish(owner: object, bytes: number, onRoom: () => void): Wish {
    const wish: Waiting = { owner, bytes: Math.min(bytes, this.#most), onRoom, room: undefined };
    this.#wishes.push(wish);
    this.#advance();
    wish.isLate = wish.room === undefined;
    return {
      get room() {
        return wish.room;
      },
      cancel: () => {
        const at = this.#wishes.indexOf(wish);
        if (at >= 0) this.#wishes.splice(at, 1);
        wish.room?.free();
        wish.room = undefined;
        this.#advance();
      },
    };
  }

  /** Does something in a room of so many bytes; throws the signal's reason where it aborts before there is one. */
  async use<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let wish: Wish | undefined;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        wish?.cancel();
        reject(signal.reason);
      };
      wish = this.wish({}, bytes, () => {
        signal.removeEventListener("abort", leave);
        resolve();
      });
      if (wish.room !== undefined) resolve();
      else signal.addEventListener("abort", leave, { once: true });
    });
    try {
      return await work();
    } finally {
      wish?.room?.free();
    }
  }

  #advance(): void {
    for (let [first] = this.#wishes; first !== undefined; [first] = this.#wishes) {
      if (this.#taken + first.bytes > this.#most) {
        this.#clear(this.#taken + first.bytes - this.#most, first.owner);
        return;
      }
      this.#wishes.shift();
      first.room = this.#roomOf(first);
      if (first.isLate) first.onRoom();
    }
  }

  /** Has those leave who rest and are not the owner's, until so many bytes will be free; where that is not enough, as many as there are. */
  #clear(bytes: number, owner: object): void {
    let missing = bytes;
    for (const resting of this.#resting.values()) if (resting.isLeaving) missing -= resting.bytes;
    for (const resting of this.#resting.values()) {
      if (missing <= 0) return;
      if (resting.isLeaving || resting.owner === owner) continue;
      const leftMs = resting.since + leastMs - this.#now();
      if (leftMs > 0) {
        this.#lookAgainIn(leftMs);
        continue;
      }
      resting.isLeaving = true;
      missing -= resting.bytes;
      resting.leave();
    }
  }

  #lookAgainIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#advance();
    }, ms).unref();
  }

  #roomOf({ owner, bytes }: Waiting): Room {
    this.#taken += bytes;
    const since = this.#now();
    let isFree = false;
    const room: Room = {
      bytes,
      rest: (leave) => {
        if (isFree || this.#resting.get(room)?.isLeaving) return;
        this.#resting.delete(room);
        this.#resting.set(room, { owner, bytes, since, leave, isLeaving: false });
        if (this.#wishes.length > 0) this.#advance();
      },
      work: () => {
        this.#resting.delete(room);
      },
      free: () => {
        if (isFree) return;
        isFree = true;
        this.#resting.delete(room);
        this.#taken -= bytes;
        this.#advance();
      },
    };
    return room;
  }
}

interface Waiting {
  readonly owner: object;
  readonly bytes: number;
  readonly onRoom: () => void;
  room: Room | undefined;
  isLate?: boolean;
}

interface Resting {
  readonly owner: object;
  readonly bytes: number;
  /** When the room was taken. */
  readonly since: number;
  readonly leave: () => void;
  isLeaving: boolean;
}

/** What was started stays so long, in milliseconds: starting it anew takes about as long. */
const leastMs = 300;
