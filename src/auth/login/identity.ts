/** A person as identified by a login provider. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}
