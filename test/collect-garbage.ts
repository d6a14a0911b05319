import { afterAll } from "vitest";

// Files of tests that share a process leave shared memory behind, which the garbage collector is in
// no hurry to give back; with too much of it, no other process can be started.
afterAll(() => globalThis.gc?.());
