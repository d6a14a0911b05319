/** The result of a tried request. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: number;
  /** Until the last byte was received. */
  readonly milliseconds: number;
  /** An object URL of the image, to be revoked at the end; undefined where there is no image. */
  readonly picture?: string;
  readonly pixels?: { readonly width: number; readonly height: number };
  /** The text of a response that is not an image. */
  readonly text?: string;
}

/** Time limit of a response in milliseconds. */
const patience = 120_000;
const maxText = 2_000;

/** Requests a URL from the server, bypassing the browser's cache. */
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
