/**
 * How many repetitions of something expensive a test runs: a fifth of them in `npm test`, all of
 * them in `npm run test:all`. At least 1.
 */
export const amount = (all: number): number =>
  process.env["VITRINE_TESTS"] === "all" ? all : Math.max(1, Math.ceil(all / 5));
