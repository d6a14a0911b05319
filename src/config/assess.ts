import type { Chain } from "./chain.ts";
import { type Definitions, type Evaluated, evaluate, type Layers } from "./layers.ts";
import { reportMissing } from "./missing.ts";
import type { ConfigurationProblem } from "./problems.ts";
import { reportUnused } from "./unused.ts";

/** The values of a configuration, and all remarks on it. */
export interface Assessed {
  readonly evaluated: Evaluated;
  readonly problems: readonly ConfigurationProblem[];
}

/** The origins of values, with the files and remarks. */
export interface ChainLayers extends Layers {
  readonly chain: Chain;
}

/** Evaluates a configuration, and looks for faults and for settings without effect. */
export const assess = (definitions: Definitions, layers: ChainLayers): Assessed => {
  const evaluated = evaluate(definitions, layers);
  const { definitions: known } = evaluated;
  const faults = faultsIn(evaluated, layers);
  const missing = reportMissing(layers, known, evaluated.values);
  return {
    evaluated,
    problems: [
      ...layers.chain.problems,
      ...evaluated.problems,
      ...faults,
      ...missing,
      ...reportUnused(layers, known, new Set([...faults, ...missing].map(({ key }) => key))),
    ],
  };
};

/** Faults that groups find in combinations of values. */
const faultsIn = (
  { definitions, values, origins }: Evaluated,
  { chain, runtime, env }: ChainLayers,
): readonly ConfigurationProblem[] => {
  const { faults: finders = [] } = definitions;
  if (finders.length === 0) return [];
  const names = [
    ...chain.files.flatMap(({ properties }) => [...properties.settings.keys()]),
    ...runtime.keys(),
  ];
  const variables = Object.keys(env);
  return finders
    .flatMap((find) => find({ values, names: [...new Set(names)], variables }))
    .map(({ key, message }): ConfigurationProblem => {
      const origin = origins.get(key);
      return { severity: "error", message, key, ...(origin ? { origin } : {}) };
    });
};
