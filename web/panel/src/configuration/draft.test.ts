import { expect, test } from "vitest";
import { createDraft } from "./draft.ts";

test("keeps edits by key, null for the default, until they are reverted", () => {
  const draft = createDraft();
  draft.edit("a", "1");
  draft.edit("b", null);
  expect(draft.edits.value).toEqual({ a: "1", b: null });
  draft.edit("a", undefined);
  expect(draft.edits.value).toEqual({ b: null });
});

test("undoes and redoes, with typing in one field as a single step", () => {
  const draft = createDraft();
  for (const text of ["4", "42", "420"]) draft.edit("a", text);
  draft.edit("b", "x");
  draft.undo();
  expect(draft.edits.value).toEqual({ a: "420" });
  draft.undo();
  expect(draft.edits.value).toEqual({});
  expect(draft.canUndo.value).toBe(false);
  draft.redo();
  draft.redo();
  expect(draft.edits.value).toEqual({ a: "420", b: "x" });
  expect(draft.canRedo.value).toBe(false);
});

test("drops undone steps once something else is edited", () => {
  const draft = createDraft();
  draft.edit("a", "1");
  draft.undo();
  draft.edit("b", "2");
  draft.redo();
  expect(draft.edits.value).toEqual({ b: "2" });
});

test("treats discarding everything as a step, and settling as the end of them", () => {
  const draft = createDraft();
  draft.edit("a", "1");
  draft.replace({});
  draft.undo();
  expect(draft.edits.value).toEqual({ a: "1" });
  draft.settle();
  expect(draft.edits.value).toEqual({});
  expect(draft.canUndo.value).toBe(false);
});

test("keeps a limited number of steps", () => {
  const draft = createDraft();
  for (let at = 0; at < 500; at++) draft.edit(`key ${at}`, "1");
  let steps = 0;
  while (draft.canUndo.value) {
    draft.undo();
    steps++;
  }
  expect(steps).toBe(200);
});
