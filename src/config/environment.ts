/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** This process's current variables. */
export const environment = (): Environment => ({ ...process.env });

/** The variable that overrides a key: upper case, `_` for anything but letters and digits. */
export const variableOf = (key: string): string => key.replace(/[^A-Za-z0-9]/g, "_").toUpperCase();
