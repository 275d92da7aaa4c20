import { expect, test } from "bun:test";
import { previewRun } from "../../../src/engine/run/preview-run.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { type StageOptions, stage } from "../../support/staged-run.ts";

const lost = () => Promise.reject(new AppError("unavailable", "store_unavailable", "The store is away."));

const preview = (options: StageOptions, query: string) => {
  const { agent, ports } = stage(options);
  const request = { tenant: "t", sessionId: "s", query, context: {} };
  return previewRun(ports, agent, request, new AbortController().signal);
};

const forgetful: StageOptions = {
  spec: { memory: { semantic: {}, episodic: {} } },
  recall: {
    semanticOf: () => ({ recall: lost, keep: async () => {}, forgetSession: async () => {} }),
    episodicOf: () => ({ recall: lost, record: async () => {}, forgetSession: async () => {} }),
  },
};

test("memories that can't be read are named, and the prompt is built without them", async () => {
  const { unread, prompt } = await preview(forgetful, "Who am I?");
  expect([...unread].sort()).toEqual(["episodic", "semantic"]);
  expect(prompt.said).toBe("Who am I?");
});

test("without a query only what is found without one is looked up", async () => {
  expect((await preview(forgetful, "")).unread).toEqual(["episodic"]);
});

test("a preview starts no run, asks no model and leaves no trace of itself", async () => {
  const staged = stage({});
  const request = { tenant: "t", sessionId: "s", query: "hi", context: {} };
  await previewRun(staged.ports, staged.agent, request, new AbortController().signal);
  expect(staged.started).toEqual([]);
  expect(staged.finished).toEqual([]);
  expect(staged.model.requests).toEqual([]);
  expect(staged.usage).toEqual([]);
});
