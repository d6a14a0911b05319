/** A response. */
export interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  /** The message of an error for clients. */
  readonly message: string;
  readonly milliseconds: number;
}

/** Longer than any allowed response, so that violations are noticed. */
const usualPatienceMs = 60_000;

/** Requests a path from a server; without any response the status is 0. */
export const ask = async (
  base: URL,
  path: string,
  patienceMs = usualPatienceMs,
): Promise<Answer> => {
  const began = performance.now();
  try {
    const response = await fetch(new URL(path, base), {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(patienceMs),
    });
    const body = new Uint8Array(await response.arrayBuffer());
    const milliseconds = performance.now() - began;
    return {
      status: response.status,
      body,
      message: response.ok ? "" : messageIn(body),
      milliseconds,
    };
  } catch (error) {
    const { name } = error instanceof Error ? error : { name: "unknown" };
    const milliseconds = performance.now() - began;
    return { status: 0, body: new Uint8Array(), message: `no answer: ${name}`, milliseconds };
  }
};

const messageIn = (body: Uint8Array): string => {
  const text = Buffer.from(body).toString();
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message : text.slice(0, longest);
  } catch {
    return text.slice(0, longest);
  }
};

const longest = 200;

/** The path for a page of an image; pages count from 1. */
export const pathOf = (path: string, page: number, rest: string): string =>
  `/iiif/3/${encodeURIComponent(path)}${page === 1 ? "" : `;${page}`}/${rest}`;
