/** The message for an image that the server may not read. */
export const noPermission = (identifier: string): string =>
  `The server has no permission to read the image '${identifier}'. The administrator of its storage can grant it.`;
