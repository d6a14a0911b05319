// Small images in frames of a fixed size, loaded when they come into view.

import { icon, make } from "./dom.js";
import { whenSeen } from "./lazy.js";
import { thumbnail } from "./server.js";

/** Statuses of a busy server, the number of retries, and milliseconds before each. */
const busy = [503, 504];
const maxRetries = 3;
const retryMs = 2_000;

/** A frame for an image, which shows the reason if the image cannot be shown. */
export const framed = (identifier) => {
  const image = make("img", { alt: "", decoding: "async" });
  const frame = make("span", { className: "frame waiting" }, image);
  whenSeen(frame, () => load(frame, image, identifier, 0));
  return frame;
};

const load = async (frame, image, identifier, tried) => {
  image.srcset = `${thumbnail(identifier, 200)} 1x, ${thumbnail(identifier, 400)} 2x`;
  image.src = thumbnail(identifier, 200);
  try {
    await loaded(image);
    frame.classList.remove("waiting");
  } catch {
    const { status, message } = await reasonOf(image.currentSrc || image.src);
    image.removeAttribute("srcset");
    image.removeAttribute("src");
    if (busy.includes(status) && tried < maxRetries)
      setTimeout(
        () => whenSeen(frame, () => load(frame, image, identifier, tried + 1)),
        retryMs * (tried + 1),
      );
    else refuse(frame, message);
  }
};

const loaded = (image) =>
  new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = reject;
  });

/** Why an image was not sent, which `<img>` elements do not report. */
const reasonOf = async (url) => {
  try {
    const answer = await fetch(url, { headers: { accept: "application/json" } });
    const { message } = await answer.json().catch(() => ({}));
    return { status: answer.status, message: message ?? `The server answered ${answer.status}.` };
  } catch {
    return { status: 0, message: "The server cannot be reached." };
  }
};

const refuse = (frame, message) => {
  frame.classList.replace("waiting", "broken");
  frame.title = message;
  frame.replaceChildren(
    icon("M2 3h12v10H2zM2 11l4-4 3 3 2-2 3 3M3 15L13 1"),
    make("small", { textContent: message }),
  );
};
