/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process as they are now. */
export const environment = (): Environment => ({ ...process.env });

/** The variable that overrides a key: upper case, `_` for whatever is neither letter nor digit. */
export const variableOf = (key: string): string => key.replace(/[^A-Za-z0-9]/g, "_").toUpperCase();
