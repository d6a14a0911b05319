import type { Bomb } from "./bomb.ts";
import { jpeg2000Bombs } from "./jpeg2000.ts";

/** All of them. */
export const allBombs: readonly Bomb[] = [...jpeg2000Bombs];
