import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Accessibility violations that axe calls serious or critical. */
export const barriers = async (page: Page): Promise<readonly string[]> => {
  const run = "axe.run(document, { resultTypes: ['violations'] })";
  // Evaluated through the debugger, to which the page's security policy does not apply.
  const { violations } = await page.evaluate<AxeResults>(`${axe.source};${run}`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
};
