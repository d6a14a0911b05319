import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compare, describeComparison } from "./comparison.ts";

const usage = `Says how one result of bench/run.ts compares with another.

  npx tsx bench/compare.ts BEFORE.json AFTER.json [--fail-over PERCENT]

  --fail-over N     exit status 1 when requests per second, p95 or memory are worse by more than N %
`;

const main = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" }, "fail-over": { type: "string" } },
  });
  const [before, after] = positionals;
  if (values.help || before === undefined || after === undefined) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const rows = compare(await read(before), await read(after));
  process.stdout.write(`${describeComparison(rows)}\n`);
  const limit = values["fail-over"];
  if (limit === undefined) return;
  if (!/^\d{1,4}$/.test(limit))
    throw new Error(`Expected a percentage for --fail-over, got "${limit}"`);
  if (rows.some((row) => row.judged && row.worse > Number(limit) / 100)) process.exitCode = 1;
};

const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
