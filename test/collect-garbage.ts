import { afterAll } from "vitest";

// Test files that share a process leave shared memory behind, which the garbage collector frees
// late; with too much of it, no other process can be started.
afterAll(() => globalThis.gc?.());
