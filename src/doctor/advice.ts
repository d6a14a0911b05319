import { printable } from "../core/printable.ts";
import type { Summary } from "./summary.ts";

/** A recommendation, and a command that carries it out. */
export interface Advice {
  /** In sentences. */
  readonly text: string;
  readonly command?: string;
}

/** The context of advice. */
export interface AdviceOptions {
  /** The folder that was examined, for commands; absent for a source. */
  readonly folder?: string;
  /** `pyramids.enabled` and `pyramids.max_size`. */
  readonly pyramids: { readonly isOn: boolean; readonly maxBytes: number };
}

/** Recommendations for the findings of a collection. */
export const adviceFor = (summary: Summary, options: AdviceOptions): readonly Advice[] => [
  ...damageAdvice(summary),
  ...slowAdvice(summary, options),
  ...otherAdvice(summary),
];

const damageAdvice = ({ findings }: Summary): readonly Advice[] => {
  const { unreadable = 0, denied = 0, limit = 0 } = findings;
  return [
    ...(unreadable > 0
      ? [
          {
            text: `${images(unreadable)} cannot be read. Restore damaged files from a backup; save unsupported ones in a common variant of their format.`,
          },
        ]
      : []),
    ...(denied > 0
      ? [
          {
            text: `${objects(denied)} cannot be read for lack of permission. Grant read access to the user that runs this command and the server.`,
          },
        ]
      : []),
    ...(limit > 0
      ? [
          {
            text: `${images(limit)} could not be fully examined. Raise --timeout or --memory and run the command again.`,
          },
        ]
      : []),
  ];
};

const slowAdvice = (
  { findings: { slow = 0 }, pyramidBytes, slowest }: Summary,
  { folder, pyramids }: AdviceOptions,
): readonly Advice[] => {
  if (slow === 0) return [];
  const are = `${images(slow)} ${slow === 1 ? "is" : "are"} slow to zoom`;
  const size = `about ${sizeText(pyramidBytes)}`;
  const [first = { identifier: "ID" }] = slowest;
  if (!pyramids.isOn)
    return [
      {
        text: `${are}. Set pyramids.enabled to true, or convert them to pyramids (${size}):`,
        command:
          folder === undefined
            ? `vitrine convert --identifier ${quoted(first.identifier)} OUT.tif`
            : `vitrine convert ${quoted(folder)} OUT`,
      },
    ];
  const made = {
    text: `${are}. The server makes their pyramids automatically when they are zoomed into (${size}).`,
  };
  if (pyramidBytes <= pyramids.maxBytes) return [made];
  return [
    made,
    {
      text: `These pyramids exceed pyramids.max_size (${sizeText(pyramids.maxBytes)}). Raise it, or pyramids will be deleted and regenerated.`,
    },
  ];
};

const otherAdvice = ({ findings, named }: Summary): readonly Advice[] => {
  const advice: Advice[] = [];
  if (findings.off !== undefined)
    advice.push({
      text: `${images(findings.off)} cannot be served with this configuration (${(named.off?.[0]?.text ?? "").replace(/\.$/, "")}). To see what is missing:`,
      command: "vitrine formats",
    });
  if (findings["wrong-extension"] !== undefined)
    advice.push({
      text: `${images(findings["wrong-extension"])} ${findings["wrong-extension"] === 1 ? "has" : "have"} the extension of another format. The server identifies formats by content, but other programs may not: rename the files.`,
    });
  if (findings.case !== undefined)
    advice.push({
      text: `${images(findings.case)} have names that differ from others only in case. Rename them before you move them to a file system that ignores case.`,
    });
  return advice;
};

const images = (count: number): string => `${count} ${count === 1 ? "image" : "images"}`;
const objects = (count: number): string => `${count} ${count === 1 ? "object" : "objects"}`;

const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** A size in bytes as text, such as `1.5 GB`. */
export const sizeText = (bytes: number): string => {
  const power = bytes < 1_000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power > 0 && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
};

/** An argument of a shell command; control characters are replaced. */
export const quoted = (word: string): string => {
  const plain = printable(word);
  return /^[\w@%+=:,./-]+$/.test(plain) && !plain.startsWith("-")
    ? plain
    : `'${plain.replaceAll("'", "'\\''")}'`;
};
