import { describe, expect, it } from "vitest";
import { LevelQuestions } from "./level-questions.ts";

const size = { width: 30, height: 20 };
const page = { path: "level.tif", orientation: 1 } as const;

describe("questions for levels", () => {
  it("get the answers with their numbers, in any order", async () => {
    const asked: number[] = [];
    const questions = new LevelQuestions((question) => asked.push(question), 60_000);
    const [one, other] = [questions.find(size), questions.find(size)];
    questions.hear(asked[1] ?? -1, undefined);
    questions.hear(asked[0] ?? -1, page);
    expect(await Promise.all([one, other])).toEqual([page, undefined]);
  });

  it("end without an answer in time, and ignore it afterwards", async () => {
    const questions = new LevelQuestions(() => {}, 1);
    expect(await questions.find(size)).toBeUndefined();
    questions.hear(0, page);
    const next = questions.find(size);
    questions.hear(1, page);
    expect(await next).toEqual(page);
  });
});
