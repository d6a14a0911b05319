import type { Chain } from "./chain.ts";
import { type Definitions, type Evaluated, evaluate, type Layers } from "./layers.ts";
import { reportMissing } from "./missing.ts";
import type { Problem } from "./problems.ts";
import { reportUnused } from "./unused.ts";

/** The values of a configuration, and everything that is to be said of it. */
export interface Assessed {
  readonly evaluated: Evaluated;
  readonly problems: readonly Problem[];
}

/** Where values come from, with the files and what is to be said of them. */
export interface ChainLayers extends Layers {
  readonly chain: Chain;
}

/** Settles a configuration, and looks for what is wrong with it or asked for in vain. */
export const assess = (definitions: Definitions, layers: ChainLayers): Assessed => {
  const evaluated = evaluate(definitions, layers);
  const { definitions: known } = evaluated;
  const missing = reportMissing(layers, known, evaluated.values);
  return {
    evaluated,
    problems: [
      ...layers.chain.problems,
      ...evaluated.problems,
      ...missing,
      ...reportUnused(layers, known, new Set(missing.map(({ key }) => key))),
    ],
  };
};
