import { defineKeys, type Fault, type WrittenConfiguration } from "../../config/keys.ts";

/** Keys of a delegate over HTTP. */
export const httpDelegateKeys = defineKeys({
  "delegate.http.url": {
    type: "string",
    default: "",
    restart: true,
    fileOnly: "program",
    doc: "The address of a delegate over HTTP, such as `http://127.0.0.1:9000/delegate`; it may be written in any language and run anywhere. Blank: none. Cannot be combined with delegate_script.enabled.",
  },
  "delegate.http.secret": {
    type: "secret",
    default: "",
    fileOnly: "program",
    doc: "The key that signs requests to the delegate (HMAC-SHA256, header `Vitrine-Signature`): at least 16 characters.",
  },
  "delegate.http.timeout": {
    type: "seconds",
    default: 5,
    min: 0.1,
    max: 600,
    fileOnly: "program",
    doc: "Seconds that one call of the delegate may take. A call that takes longer fails, and the request with it.",
  },
  "delegate.http.cache.target_size": {
    type: "bytes",
    default: 8_000_000,
    min: 0,
    max: 2_000_000_000,
    restart: true,
    fileOnly: "program",
    doc: "Memory in each worker, in bytes, for caching answers of the delegate that have `Cache-Control: max-age`; all others are used once. 0: none are cached.",
  },
  "delegate.http.cache.max_age": {
    type: "seconds",
    default: 3_600,
    min: 0,
    fileOnly: "program",
    doc: "Maximum seconds to cache an answer of the delegate, whatever its Cache-Control says.",
  },
});

/** Whether a configuration has a delegate, be it a script or a service. */
export const isDelegateEnabled = (values: Readonly<Record<string, unknown>>): boolean =>
  values["delegate_script.enabled"] === true || isThere(values["delegate.http.url"]);

/** Parses the URL of the delegate. Throws a text that says what is wrong with it. */
export const delegateAddress = (text: string): URL => {
  const expected = "expected an address of http or https without login, query and fragment";
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw new TypeError(expected);
  const url = new URL(text);
  if (url.username || url.password || url.search || url.hash || /[?#]$/.test(text))
    throw new TypeError(expected);
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
};

/** Minimum length of the secret in characters: shorter ones can be guessed. */
const fewestCharacters = 16;

/** Faults in combinations of the delegate's keys. */
export const delegateFaults = ({
  values,
}: Pick<WrittenConfiguration, "values">): readonly Fault[] => {
  const url = values["delegate.http.url"];
  const secret = values["delegate.http.secret"];
  if (!isThere(url)) return [];
  const faults: Fault[] = [];
  const say = (key: string, message: string): void => {
    faults.push({ key, message: `${key}: ${message}` });
  };
  if (values["delegate_script.enabled"] === true)
    say(
      "delegate.http.url",
      "there is one delegate, but delegate_script.enabled is true as well. Set one of the two.",
    );
  try {
    delegateAddress(url);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    say("delegate.http.url", `${error.message}, as in http://127.0.0.1:9000/delegate.`);
  }
  if (!isThere(secret) || secret.length < fewestCharacters)
    say(
      "delegate.http.secret",
      `expected at least ${fewestCharacters} characters, since delegate.http.url is set and requests to it are signed.`,
    );
  return faults;
};

const isThere = (value: unknown): value is string => typeof value === "string" && value !== "";
