/** The value of an Authorization header with Basic credentials (RFC 7617). */
export const basic = (user: string, secret: string): string =>
  `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;

/** Removes the credentials from a URL; undefined where there are none. */
export const takeLogin = (url: URL): string | undefined => {
  const { username, password } = url;
  url.username = "";
  url.password = "";
  return username === "" ? undefined : basic(decoded(username), decoded(password));
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
