import { type Memory, megabytes } from "../app/budget.ts";
import type { Budget, BudgetPart } from "../core/budget.ts";
import type { LogFields } from "../core/log.ts";

/** Everything about a server's memory; `vitrine explain --budget --json` prints it as it is. */
export interface ExplainedBudget extends Pick<Budget, "total" | "workers" | "parts" | "taken"> {
  readonly by: Memory["by"];
  readonly warnings: readonly string[];
}

/** The memory budget as a table for people: megabytes of 10^6 bytes. */
export const budgetText = ({
  total,
  by,
  workers,
  parts,
  taken,
  warnings,
}: ExplainedBudget): string => {
  const times = ({ of }: BudgetPart): number => (of === "server" ? 1 : workers);
  const rows = parts.map((part) => [
    part.name,
    megabytes(part.bytes),
    times(part) === 1 ? "" : `x ${times(part)}`,
    megabytes(part.bytes * times(part)),
    part.isSet ? "as set" : "",
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(4, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = ([name = "", each = "", count = "", all = "", remark = ""]: readonly string[]) =>
    [
      name.padEnd(widths[0] ?? 0),
      each.padStart(widths[1] ?? 0),
      count.padEnd(widths[2] ?? 0),
      all.padStart(widths[3] ?? 0),
      remark,
    ]
      .join("  ")
      .trimEnd();
  return [
    `${megabytes(total)} MB for the server (${sources[by]}), ${workers} ${workers === 1 ? "worker" : "workers"}`,
    "",
    line(["", "each", "", "MB"]),
    ...rows.map(line),
    line(["in all", "", "", megabytes(taken)]),
    ...(warnings.length > 0 ? ["", ...warnings.map((warning) => `warning: ${warning}`)] : []),
    "",
  ].join("\n");
};

/** The budget as one log entry, in megabytes. */
export const budgetFields = ({ total, workers }: Budget): LogFields => ({
  megabytes: Number(megabytes(total)),
  workers,
});

const sources: Readonly<Record<Memory["by"], string>> = {
  "memory.budget": "memory.budget",
  container: "what the container or service manager allows",
  machine: "three quarters of the machine's memory",
};
