/** Maximum length of a key in S3 and Azure, in bytes of UTF-8 and in characters. */
const longest = 1_024;

/**
 * Whether a name can be that of an object in a bucket or container. Names with a part of one or two
 * dots cannot: on the way to the service, their URL may be normalised to something outside the
 * bucket.
 */
export const isObjectName = (name: string): boolean =>
  name !== "" &&
  !name.includes("\0") &&
  !/\p{Cs}/u.test(name) &&
  Buffer.byteLength(name) <= longest &&
  !name.split(/[/\\]/).some((part) => part === "." || part === "..");
