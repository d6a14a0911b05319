import { printable } from "../core/printable.ts";
import type { Summary } from "./summary.ts";

/** What to do about findings, and the command that does it. */
export interface Advice {
  /** In sentences. */
  readonly text: string;
  readonly command?: string;
}

/** What advice depends on besides the summary. */
export interface AdviceOptions {
  /** The folder that was examined, for commands; absent for a source. */
  readonly folder?: string;
  /** `pyramids.enabled` and `pyramids.max_size`. */
  readonly pyramids: { readonly isOn: boolean; readonly maxBytes: number };
}

/** What to do about what a collection was found to be. */
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
            text: `${images(unreadable)} cannot be read: replace damaged files from a backup, or save them again in a usual variant of their format.`,
          },
        ]
      : []),
    ...(denied > 0
      ? [{ text: `${objects(denied)} may not be read by this user: give it the permission.` }]
      : []),
    ...(limit > 0
      ? [
          {
            text: `${images(limit)} took too long or too much memory; --timeout and --memory allow more.`,
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
    text: `${are}: their pyramids are made by themselves once somebody zooms into them (${size}).`,
  };
  if (pyramidBytes <= pyramids.maxBytes) return [made];
  return [
    made,
    {
      text: `That is more than pyramids.max_size (${sizeText(pyramids.maxBytes)}): raise it, or some are deleted and made again.`,
    },
  ];
};

const otherAdvice = ({ findings, named }: Summary): readonly Advice[] => {
  const advice: Advice[] = [];
  if (findings.off !== undefined)
    advice.push({
      text: `${images(findings.off)} cannot be served as the server is configured (${(named.off?.[0]?.text ?? "").replace(/\.$/, "")}). What is missing:`,
      command: "vitrine formats",
    });
  if (findings["wrong-extension"] !== undefined)
    advice.push({
      text: `${images(findings["wrong-extension"])} ${findings["wrong-extension"] === 1 ? "has" : "have"} the extension of another format. The server goes by the content; other programs may not.`,
    });
  if (findings.case !== undefined)
    advice.push({
      text: `${images(findings.case)} differ from others only in upper and lower case: rename them before they move to a file system that takes these for the same.`,
    });
  return advice;
};

const images = (count: number): string => `${count} ${count === 1 ? "image" : "images"}`;
const objects = (count: number): string => `${count} ${count === 1 ? "object" : "objects"}`;

const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** A size in bytes for people, as in `1.5 GB`. */
export const sizeText = (bytes: number): string => {
  const power = bytes < 1_000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power > 0 && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
};

/** A word of a shell command; control characters, which could deceive, are replaced. */
export const quoted = (word: string): string => {
  const plain = printable(word);
  return /^[\w@%+=:,./-]+$/.test(plain) && !plain.startsWith("-")
    ? plain
    : `'${plain.replaceAll("'", "'\\''")}'`;
};
