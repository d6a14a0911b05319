/** What came of a request that was tried. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: number;
  /** Until the last byte had come. */
  readonly milliseconds: number;
  /**
   * An address of the image within the page, to be revoked in the end; undefined where there is
   * none to see.
   */
  readonly picture?: string;
  readonly pixels?: { readonly width: number; readonly height: number };
  /** What it says where it is no image. */
  readonly text?: string;
}

/** How long an answer may take, in milliseconds. */
const patience = 120_000;
const maxText = 2_000;

/** Asks the server for an address, past the browser's own cache. */
export const tryRequest = async (url: string): Promise<Answer> => {
  const began = performance.now();
  const answer = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(patience) });
  const blob = await answer.blob();
  const type = answer.headers.get("content-type") ?? "of unknown type";
  const facts = {
    status: answer.status,
    type,
    bytes: blob.size,
    milliseconds: performance.now() - began,
  };
  if (!type.startsWith("image/")) return { ...facts, text: (await blob.text()).slice(0, maxText) };
  const picture = URL.createObjectURL(blob);
  try {
    const { width, height } = await measured(picture);
    return { ...facts, picture, pixels: { width, height } };
  } catch {
    URL.revokeObjectURL(picture);
    return { ...facts, text: `This browser does not show ${type}.` };
  }
};

const measured = async (
  picture: string,
): Promise<{ readonly width: number; readonly height: number }> => {
  const image = new Image();
  image.src = picture;
  await image.decode();
  return { width: image.naturalWidth, height: image.naturalHeight };
};
