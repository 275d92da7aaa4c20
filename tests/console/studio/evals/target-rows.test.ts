import { expect, test } from "bun:test";
import { orderedTargets, type TargetDraft } from "../../../../src/console/studio/evals/target-rows.tsx";

const target = (key: number, changed: Partial<TargetDraft>): TargetDraft => ({
  ...{ key, agent: "", model: "", temperature: "" },
  ...changed,
});

test("two drafts of a prompt can be compared: each has a name of its own", () => {
  const drafts = ["Be brief.", "Be kind."].map((prompt, key) => target(key, { prompt }));
  expect(orderedTargets([target(9, {}), ...drafts], "tea")).toEqual([
    {},
    { name: "tea prompt 2", prompt: "Be brief." },
    { name: "tea prompt 3", prompt: "Be kind." },
  ]);
});

test("a version is named by its number and temperature; other targets by the server", () => {
  const version = { version: 3, prompt: "Be brief.", model: "lab/m", temperature: "0.5" };
  expect(orderedTargets([target(0, version), target(1, { agent: "milk" })], "tea")).toEqual([
    { name: "tea v3 0.5", model: "lab/m", temperature: 0.5, prompt: "Be brief." },
    { agent: "milk" },
  ]);
});
