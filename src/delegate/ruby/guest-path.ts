/** An absolute path of the system as Ruby sees it. */
export const guestPath = (path: string): string => {
  const plain = path.replaceAll("\\", "/");
  return plain.startsWith("/") ? plain : `/${plain}`;
};

/** A path that Ruby sees, as the system writes it. */
export const hostPath = (path: string): string =>
  process.platform === "win32" ? path.replace(/^\//, "") : path;
