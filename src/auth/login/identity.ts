/** A person as a login provider knows them. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}
