/** What the identifier segment of a URL says: which image, which page of it, and how small it must stay. */
export interface MetaIdentifier {
  readonly identifier: string;
  /** Counted from 1. */
  readonly page: number;
  /** The share of full size on offer, as in `id;1:2`; 1:1 when unconstrained. */
  readonly constraint: Constraint;
}

/** A share of full size, `numerator` ≤ `denominator`, both positive integers. */
export interface Constraint {
  readonly numerator: number;
  readonly denominator: number;
}

export const unconstrained: Constraint = { numerator: 1, denominator: 1 };
