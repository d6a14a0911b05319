/** An element of at most one `LinkedList`, which alone changes these fields. */
export interface Linked<T> {
  before: T | undefined;
  after: T | undefined;
  isListed: boolean;
}

/**
 * Elements in insertion order, like a `Set`, for elements that come and go with every request: V8
 * resizes a small `Set` with every few of them.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;

  /** The element that has been in the list for the longest time. */
  get first(): T | undefined {
    return this.#first;
  }

  /** Appends an element, unless it is in the list. */
  add(element: T): void {
    if (element.isListed) return;
    element.isListed = true;
    element.before = this.#last;
    if (this.#last === undefined) this.#first = element;
    else this.#last.after = element;
    this.#last = element;
  }

  /** Removes an element, if it is in the list. */
  delete(element: T): void {
    if (!element.isListed) return;
    const { before, after } = element;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    element.before = undefined;
    element.after = undefined;
    element.isListed = false;
  }

  /** The elements at this moment. */
  get all(): readonly T[] {
    const all: T[] = [];
    for (let one = this.#first; one !== undefined; one = one.after) all.push(one);
    return all;
  }
}
