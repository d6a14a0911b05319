// Requests to this server, relative to the address of the page.

export const address = (path) => new URL(path, document.baseURI).href;

/** The message of an error response. */
const messageOf = async (answer) => {
  const body = await answer.json().catch(() => ({}));
  return body.message ?? `The server answered ${answer.status}.`;
};

/** The JSON at a path; throws an error with the server's message and `status`. */
export const ask = async (path, signal) => {
  const options = { headers: { accept: "application/json" }, ...(signal && { signal }) };
  const answer = await fetch(address(path), options).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached. Check the connection and try again.");
  });
  if (answer.ok) return answer.json();
  throw Object.assign(new Error(await messageOf(answer)), { status: answer.status });
};

/** Facts about the server, once they are loaded. */
export const facts = await ask("static/landing.json");

/** The newest version of the Image API that answers: its path without the slash, as `iiif/3`. */
export const api = facts.endpoints
  .map(({ path }) => path.slice(1))
  .sort()
  .at(-1);

export const quality = api?.endsWith("/1") ? "native" : "default";

/** The address of an image of the newest version, without region and the like. */
export const imageAddress = (identifier) => address(`${api}/${encodeURIComponent(identifier)}`);

/** The address of the whole image, scaled to fit a square. */
export const thumbnail = (identifier, pixels) =>
  `${imageAddress(identifier)}/full/!${pixels},${pixels}/0/${quality}.jpg`;
