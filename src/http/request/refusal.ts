/** A request that an access rule, a signature or the delegate refuses with the given status. */
export class Refused extends Error {
  /** 400 to 599. */
  readonly status: number;
  /** The value of WWW-Authenticate, with status 401. */
  readonly challenge?: string;

  constructor(status: number, challenge?: string, message?: string) {
    super(message ?? messages.get(status) ?? "This request was refused.");
    this.name = "Refused";
    this.status = status;
    if (challenge !== undefined) this.challenge = challenge;
  }
}

const messages: ReadonlyMap<number, string> = new Map([
  [401, "Log in to see this image."],
  [403, "You may not see this image."],
  [404, "There is no such image."],
  [410, "This image is no longer available."],
]);
