import { fail } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader, ReadSync } from "../core/range-reader.ts";
import {
  advance,
  begin,
  type Done,
  drop,
  finish,
  finishReads,
  type Pending,
} from "../core/steps.ts";
import type { EmbeddedBlocks } from "../formats/write/embedding/index.ts";
import type { Overview, OverviewJob } from "./overview.ts";
import { drawableOf, type PlanTools } from "./tools.ts";
import { ways as table, type Way } from "./ways.ts";
import { isWhole } from "./whole.ts";
import { blocksFor, cachedBlocks, written } from "./written.ts";

/**
 * Executes one plan by trying the ways in order. It can be begun synchronously and continued
 * asynchronously; nothing is done twice. To be finished or dropped.
 */
export class Execution {
  readonly #plan: Plan;
  readonly #means: PlanTools;
  readonly #ways: readonly Way[];
  #index = 0;
  /** The way at `#index`, where it was begun. */
  #pending: Pending<Uint8Array | undefined> | undefined;

  constructor(plan: Plan, means: PlanTools, ways: readonly Way[] = table) {
    this.#plan = plan;
    this.#means = means;
    this.#ways = ways;
  }

  /**
   * The result, where it is available without waiting; called once, at the start. Unless `draws` is
   * set, only stored results are looked for.
   */
  advance(near: ReadSync | undefined, draws: boolean): Uint8Array | undefined {
    const blocks = cachedBlocks(this.#plan, this.#means);
    for (let way = this.#next(); way !== undefined; way = this.#next()) {
      if (blocks === undefined && !this.#isFile(way)) return undefined;
      if (!way.isFree && !(draws && isDrawable(this.#plan, this.#means))) return undefined;
      const state = this.#advanced(way, near);
      if (!state.isDone) {
        this.#pending = state;
        return undefined;
      }
      if (state.value !== undefined) return this.#answered(way, state.value, blocks);
      this.#index++;
    }
    return undefined;
  }

  /** Whether `find` may have a result. */
  get isFree(): boolean {
    return this.#pending?.effect.kind !== "work" && this.#next()?.isFree === true;
  }

  /** The result, where reading suffices: it needs no admission. Undefined otherwise. */
  async find(reader: RangeReader, signal: AbortSignal): Promise<Uint8Array | undefined> {
    this.#means.timings?.enter("stored");
    for (let way = this.#next(); way?.isFree; way = this.#next()) {
      const begun = this.#begun(way, reader);
      const state = begun.isDone ? begun : await finishReads(begun, reader, signal);
      if (!state.isDone) {
        this.#pending = state;
        return undefined;
      }
      if (state.value !== undefined) return this.#finished(way, state.value, reader, signal);
      this.#index++;
    }
    return undefined;
  }

  /** How to make the overview that the result would be cut from; undefined where there is none. */
  get overview(): OverviewJob | undefined {
    return this.#next()?.overview?.(this.#plan, this.#means);
  }

  /**
   * The result, whatever it takes, or cut from the overview, if one is given; throws as `render`
   * does.
   */
  async finish(reader: RangeReader, signal: AbortSignal, overview?: Overview): Promise<Uint8Array> {
    drawableOf(this.#plan, this.#means);
    this.#means.timings?.enter("draw");
    for (let way = this.#next(); way !== undefined; way = this.#next()) {
      const begun = this.#begun(way, reader, overview);
      const body = begun.isDone ? begun.value : await finish(begun, reader, signal);
      if (body !== undefined) return this.#finished(way, body, reader, signal);
      this.#index++;
    }
    return fail("internal", "No way carried out the plan; the last one should carry out any.");
  }

  /** Continues with the ways that render. */
  skipFree(): void {
    this.#dropPending();
    while (this.#ways[this.#index]?.isFree) this.#index++;
  }

  /** Cancels what is running. */
  drop(): void {
    this.#dropPending();
    this.#index = this.#ways.length;
  }

  #dropPending(): void {
    if (this.#pending !== undefined) drop(this.#pending);
    this.#pending = undefined;
  }

  /** The current way; undefined where none is left. */
  #next(): Way | undefined {
    for (; this.#index < this.#ways.length; this.#index++) {
      const way = this.#ways[this.#index];
      if (this.#pending !== undefined || way?.whyNot(this.#plan, this.#means) === undefined)
        return way;
    }
    return undefined;
  }

  /** How far a way gets without waiting. */
  #advanced(way: Way, near: ReadSync | undefined): Attempt {
    const steps = way.answer(this.#plan, this.#means);
    if (steps === undefined) return noAnswer;
    this.#means.timings?.enter(way.isFree ? "stored" : "draw");
    return advance(steps, near);
  }

  /** The state of a way that is to be continued. */
  #begun(way: Way, file: RangeReader, overview?: Overview): Attempt {
    // What was begun would read the page.
    if (overview !== undefined) this.#dropPending();
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) return pending;
    const steps = way.answer(this.#plan, { ...this.#means, file, overview });
    return steps === undefined ? noAnswer : begin(steps);
  }

  /** Whether the result of a way is the file itself, unmodified. */
  #isFile({ name }: Way): boolean {
    return name === "stored" && isWhole(this.#plan, this.#means.info);
  }

  /**
   * The result with metadata written into it; synchronous unless the file has to be read for it.
   */
  #finished(
    way: Way,
    body: Uint8Array,
    reader: RangeReader,
    signal: AbortSignal,
  ): Uint8Array | Promise<Uint8Array> {
    const blocks = cachedBlocks(this.#plan, this.#means);
    if (blocks !== undefined || this.#isFile(way)) return this.#answered(way, body, blocks);
    return blocksFor(this.#plan, this.#means, reader, signal).then((read) =>
      this.#answered(way, body, read),
    );
  }

  #answered(way: Way, body: Uint8Array, blocks: EmbeddedBlocks | undefined): Uint8Array {
    this.#means.timings?.answeredBy(way.name);
    const isBare = blocks === undefined || this.#isFile(way);
    return isBare ? body : written(body, this.#plan, blocks);
  }
}

type Attempt = Done<Uint8Array | undefined> | Pending<Uint8Array | undefined>;

const noAnswer: Attempt = { isDone: true, value: undefined };

const isDrawable = (plan: Plan, { info, decoder, encoder }: PlanTools): boolean =>
  decoder !== undefined && encoder !== undefined && info.pages[plan.page] !== undefined;
