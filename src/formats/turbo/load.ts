import type Turbo from "@julusian/jpeg-turbo";

/** libjpeg-turbo, where the package is installed and has a binary for this machine. */
export const loadTurbo = async (): Promise<typeof Turbo | undefined> => {
  try {
    return (await import("@julusian/jpeg-turbo")).default;
  } catch {
    // Optional: without it libvips encodes everything.
    return undefined;
  }
};
