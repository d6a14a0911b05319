import type { ServerResponse } from "node:http";

/** Calls back once a response is over, even where it already is; tells whether all of it was sent. */
export const whenOver = (
  response: Pick<ServerResponse, "on" | "destroyed">,
  then: (whole: boolean) => void,
): void => {
  // Its events are past: the client disconnected while the delegate was asked about a replay.
  if (response.destroyed) {
    then(false);
    return;
  }
  let whole = false;
  // Not `once`, which wraps its listener and removes it: both events come once anyway.
  response.on("finish", () => {
    whole = true;
  });
  response.on("close", () => then(whole));
};
