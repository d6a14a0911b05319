/**
 * Why a key can be changed only in the file and the environment: through it, a client logged in to
 * the API or the control panel could go beyond their purpose. Each follows "since".
 */
export const fileOnlyReasons = {
  program: "it decides which programs and scripts the server runs",
  path: "it decides which files the server reads or writes",
  listener: "it decides where the server listens",
  service: "it decides which other services the server uses, and how",
  credential: "it belongs to a login",
  disclosure: "it decides whether secrets, paths or code are shown",
  trust: "it decides whom the server believes",
  lock: "it guards other keys or images",
} as const;

export type FileOnly = keyof typeof fileOnlyReasons;
