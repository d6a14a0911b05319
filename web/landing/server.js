// Requests to this server, whatever address it is known under.

export const address = (path) => new URL(path, document.baseURI).href;

/** The message of an error response, for people. */
const messageOf = async (answer) => {
  const body = await answer.json().catch(() => ({}));
  return body.message ?? `The server answered ${answer.status}.`;
};

/** The JSON at a path; throws an error with the server's message and `status`. */
export const ask = async (path, signal) => {
  const options = { headers: { accept: "application/json" }, ...(signal && { signal }) };
  const answer = await fetch(address(path), options).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached.");
  });
  if (answer.ok) return answer.json();
  throw Object.assign(new Error(await messageOf(answer)), { status: answer.status });
};

/** What the server says of itself, once it has been asked. */
export const facts = await ask("static/landing.json");

/** The newest version of the Image API that answers: its path without the slash, as `iiif/3`. */
export const api = facts.endpoints
  .map(({ path }) => path.slice(1))
  .sort()
  .at(-1);

export const quality = api?.endsWith("/1") ? "native" : "default";

/** The address of an image of the newest version, without region and the like. */
export const imageAddress = (identifier) => address(`${api}/${encodeURIComponent(identifier)}`);

/** The address of the whole image within a square of so many pixels. */
export const thumbnail = (identifier, pixels) =>
  `${imageAddress(identifier)}/full/!${pixels},${pixels}/0/${quality}.jpg`;
