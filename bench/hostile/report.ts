import type { Reply, Trial } from "./trial.ts";

/** The allowed cost of a hostile image. */
export const bounds = {
  /** Processor time of one response. */
  processorMs: 10_000,
  /** The longest wait of a good tile meanwhile. */
  waitMs: 2_000,
} as const;

/** One line for each image. */
export const table = (trials: readonly Trial[]): string =>
  trials
    .map(({ name, replies, worstWait, lost, memory }) => {
      const answers = replies.map(
        ({ status, milliseconds, processorMs }) =>
          `${status} ${seconds(milliseconds)}/${seconds(processorMs)}`,
      );
      const said = replies.find(({ message }) => message !== "")?.message ?? "";
      const wait = `wait ${seconds(worstWait)}${lost > 0 ? `, ${lost} lost` : ""}`;
      return `${name.padEnd(40)} ${answers.join("  ")}  ${wait}  ${Math.round(memory / 2 ** 20)} MB  ${said.slice(0, 110)}`;
    })
    .join("\n");

const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(2);

/** What is wrong with how the server handled an image. */
export const faultsOf = ({ name, replies, worstWait, lost, deaths }: Trial): string[] => [
  ...replies.flatMap((reply) =>
    replyFaults(reply).map((fault) => `${name} ${reply.what}: ${fault}`),
  ),
  ...(worstWait > bounds.waitMs ? [`${name}: a good tile took ${seconds(worstWait)} s`] : []),
  ...(lost > 0 ? [`${name}: ${lost} good tiles were not answered`] : []),
  ...(deaths > 0 ? [`${name}: ${deaths} workers ended`] : []),
];

const replyFaults = ({ status, message, processorMs }: Reply): string[] => [
  ...(status === 0 || status === 500 ? [`${status || "no answer"} ${message}`] : []),
  ...(processorMs > bounds.processorMs ? [`${seconds(processorMs)} s of processor time`] : []),
];
