import { surplusOf } from "./balance.ts";

/** The purpose of a connection. */
export type Scheme = "http" | "https";

/** A connection that the supervisor accepted and does not read. */
export interface Accepted {
  /** Closes it here; other processes keep theirs. */
  destroy(): void;
}

/** A worker, as far as connections are handed to it. */
export interface ReceivingWorker<Connection> {
  /**
   * Sends it a connection, which stays open here. It replies that it has accepted or declined it;
   * `failed` is called where it could not be sent.
   */
  hand(connection: Connection, about: HandedConnection, failed: () => void): void;
  /**
   * Makes it reply where a connection with this number has not reached it, though a later message
   * has.
   */
  ask(id: number): void;
  /**
   * Makes it close so many connections, each with a response, instead of those it was told to close
   * before: their clients' next connections go to workers with fewer.
   */
  release(connections: number): void;
  /** A connection did not reach it: it is out of file descriptors. */
  deaf(): void;
}

/** A connection as announced to a worker. */
export interface HandedConnection {
  /** Greater than that of each connection handed to it before. */
  readonly id: number;
  readonly scheme: Scheme;
}

/** A worker's seat among those that accept connections. */
export interface Receiver {
  /** It has accepted the connection, and so many are open. */
  taken(id: number, open: number): void;
  /** It leaves the connection to others. */
  declined(id: number): void;
  /** The connection never reached it. */
  missed(id: number): void;
  /** So many are open. */
  counted(open: number): void;
  /** It accepts no more; it may still accept what it was handed. */
  leave(): void;
  /** It is gone: connections it has not accepted go to another one. */
  gone(): void;
}

/** The options of the handover. */
export interface HandoverParts {
  /** Maximum number of connections that wait for a worker; further ones are closed. */
  readonly max: number;
  /** Milliseconds a connection may wait for a worker before it is closed. */
  readonly patienceMs?: number;
  /** Called for each closed connection. */
  readonly closed: (why: "crowded" | "late") => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

interface WaitingConnection<Connection> {
  readonly connection: Connection;
  readonly scheme: Scheme;
  readonly since: number;
  failures: number;
}

interface Seat<Connection> {
  readonly taker: ReceivingWorker<Connection>;
  takes: boolean;
  isLeaving: boolean;
  /** Number of its open connections, as far as known. */
  open: number;
  /** Number of connections that it was told to close. */
  releasing: number;
  handed?: HandedOver<Connection> | undefined;
}

interface HandedOver<Connection> {
  readonly id: number;
  readonly waiting: WaitingConnection<Connection>;
  readonly at: number;
  asked: boolean;
}

/**
 * Hands accepted connections to workers, to the one with the fewest, one at a time to each: the
 * next one only after the last was accepted. Until then a connection stays open here too, so that
 * it can be given to another worker.
 */
export class Handover<Connection extends Accepted> {
  readonly #parts: HandoverParts;
  /** In the order of their last turn. */
  readonly #seats = new Set<Seat<Connection>>();
  readonly #waiting: WaitingConnection<Connection>[] = [];
  #balancedAt = Number.NEGATIVE_INFINITY;
  #lastId = 0;
  #isClosed = false;

  constructor(parts: HandoverParts) {
    this.#parts = parts;
  }

  /** Queues a connection that was just accepted. */
  arrive(connection: Connection, scheme: Scheme): void {
    const isCrowded = this.#waiting.length >= this.#parts.max;
    if (this.#isClosed || isCrowded) {
      if (isCrowded) this.#parts.closed("crowded");
      connection.destroy();
      return;
    }
    this.#waiting.push({ connection, scheme, since: this.#parts.now(), failures: 0 });
    this.#handOn();
  }

  /** A worker accepts connections from now on. */
  join(taker: ReceivingWorker<Connection>): Receiver {
    const seat: Seat<Connection> = { taker, takes: true, isLeaving: false, open: 0, releasing: 0 };
    this.#seats.add(seat);
    this.#handOn();
    return {
      taken: (id, open) => {
        const waiting = this.#settled(seat, id);
        if (waiting === undefined) return;
        seat.open = open;
        waiting.connection.destroy();
        this.#handOn();
      },
      declined: (id) => this.#return(seat, id),
      missed: (id) => {
        if (seat.handed?.id !== id) return;
        seat.takes = false;
        seat.isLeaving = true;
        this.#return(seat, id);
        taker.deaf();
      },
      counted: (open) => {
        seat.open = open;
        seat.takes = !seat.isLeaving;
        this.#handOn();
      },
      leave: () => {
        seat.takes = false;
        seat.isLeaving = true;
      },
      gone: () => {
        this.#seats.delete(seat);
        if (seat.handed) this.#return(seat, seat.handed.id);
      },
    };
  }

  /**
   * Closes connections that waited too long, asks about missing replies and balances persistent
   * connections; to be called about every second.
   */
  look(): void {
    const now = this.#parts.now();
    const { patienceMs = usualPatienceMs } = this.#parts;
    while (this.#waiting[0] && now - this.#waiting[0].since > patienceMs) {
      this.#waiting.shift()?.connection.destroy();
      this.#parts.closed("late");
    }
    for (const { handed, taker } of this.#seats) {
      if (handed === undefined || handed.asked || now - handed.at < askMs) continue;
      handed.asked = true;
      taker.ask(handed.id);
    }
    // Workers report their counts more often, so that these include what was closed before.
    if (now - this.#balancedAt < balanceMs) return;
    this.#balancedAt = now;
    this.#balance();
  }

  /**
   * Clients and proxies may keep their connections for hours. Without this, a worker that started
   * after the others would get none of these.
   */
  #balance(): void {
    const seats = [...this.#seats].filter(({ takes }) => takes);
    const surplus = surplusOf(seats.map(({ open }) => open));
    for (const [at, seat] of seats.entries()) {
      const excess = surplus[at] ?? 0;
      if (excess === 0 && seat.releasing === 0) continue;
      seat.releasing = excess;
      seat.taker.release(excess);
    }
  }

  /** Closes waiting connections, and all that come from now on. */
  close(): void {
    this.#isClosed = true;
    for (const { connection } of this.#waiting.splice(0)) connection.destroy();
  }

  #handOn(): void {
    for (;;) {
      const seat = this.#waiting.length > 0 ? this.#next() : undefined;
      const waiting = seat && this.#waiting.shift();
      if (seat === undefined || waiting === undefined) return;
      this.#hand(seat, waiting);
    }
  }

  /**
   * The next worker: of those that are ready the one with the fewest connections, of these the one
   * longest without.
   */
  #next(): Seat<Connection> | undefined {
    let next: Seat<Connection> | undefined;
    for (const seat of this.#seats)
      if (seat.takes && !seat.handed && (next === undefined || seat.open < next.open)) next = seat;
    return next;
  }

  #hand(seat: Seat<Connection>, waiting: WaitingConnection<Connection>): void {
    const id = ++this.#lastId;
    seat.handed = { id, waiting, at: this.#parts.now(), asked: false };
    this.#seats.delete(seat);
    this.#seats.add(seat);
    seat.taker.hand(waiting.connection, { id, scheme: waiting.scheme }, () => {
      if (seat.handed?.id !== id) return;
      // Usually its channel is closed, and it will soon be gone; otherwise its heartbeat returns.
      seat.takes = false;
      waiting.failures++;
      this.#return(seat, id);
    });
  }

  /** The connection handed over and replied to; undefined where that was another one. */
  #settled(seat: Seat<Connection>, id: number): WaitingConnection<Connection> | undefined {
    if (seat.handed?.id !== id) return undefined;
    const { waiting } = seat.handed;
    seat.handed = undefined;
    return waiting;
  }

  /** Takes back what a worker has not accepted: it is handed over next. */
  #return(seat: Seat<Connection>, id: number): void {
    const waiting = this.#settled(seat, id);
    if (waiting === undefined) return;
    if (this.#isClosed || waiting.failures >= maxFailures) waiting.connection.destroy();
    else this.#waiting.unshift(waiting);
    this.#handOn();
  }
}

const usualPatienceMs = 10_000;

/** Interval of balancing connections in milliseconds. */
const balanceMs = 2_000;

/** Milliseconds a worker has to reply before it is asked. */
const askMs = 1_000;

/** Maximum number of attempts to send a connection. */
const maxFailures = 3;
