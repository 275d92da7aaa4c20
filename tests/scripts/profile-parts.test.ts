import { expect, test } from "bun:test";
import {
  type CpuProfile,
  partOfHandwork,
  partOfRun,
  sharesOfParts,
} from "../../scripts/bench/profile-parts.ts";

const root = "/home/user/argosy";

/** A profile of stacks, each a path of functions from the outermost on with its samples, `[microseconds since the one before]`. */
function profileOf(stacks: readonly [stack: string[], deltas: number[]][]): CpuProfile {
  const nodes: CpuProfile["nodes"] = [
    { id: 1, callFrame: { functionName: "(root)", url: "" }, children: [] },
  ];
  const [samples, timeDeltas]: [number[], number[]] = [[], []];
  for (const [stack, deltas] of stacks) {
    let parent = nodes[0];
    for (const place of stack) {
      const [functionName = "", file = ""] = place.split("@");
      const url = file === "" || file.startsWith("bun:") ? file : `file://${root}/${file}`;
      const node = { id: nodes.length + 1, callFrame: { functionName, url }, children: [] };
      nodes.push(node);
      parent?.children?.push(node.id);
      parent = node;
    }
    for (const delta of deltas) {
      samples.push(parent?.id ?? 0);
      timeDeltas.push(delta);
    }
  }
  return { nodes, samples, timeDeltas };
}

const door = "handle@src/http/service-app.ts";
const run = "runAgent@src/engine/run/run-agent.ts";
const store = "execute@src/storage/sqlite/direct-statement.ts";

test("a function counts for its own part, and what has none for its nearest caller's", () => {
  const profile = profileOf([
    [[door], [1_000]],
    [[door, run, "onAbort@src/kit/concurrency/on-abort.ts", "addEventListener@"], [1_000]],
    [
      [door, run, store, "#run@bun:sqlite", "run@"],
      [1_000, 1_000],
    ],
    [[door, run, "map@", store], [1_000]],
    [["now@src/kit/clock.ts"], [1_000]],
  ]);
  const shares = new Map(sharesOfParts(profile, { root, partOf: partOfRun, lastMs: 1_000 }));
  const sixth = expect.closeTo(1 / 6);
  expect(shares).toEqual(
    new Map([
      ["SQLite", expect.closeTo(1 / 2)],
      ["Door: host, body, route, answer", sixth],
      ["Run: frame, prompt, history, tools", sixth],
      ["Engine of JavaScript, and helpers without a caller", sixth],
    ]),
  );
});

test("only the last samples count, and a wait counts as nothing", () => {
  const profile = profileOf([
    [[door], Array(50).fill(1_000)],
    [[run], [1_000]],
    [[store], [90_000, 2_000]],
  ]);
  const shares = sharesOfParts(profile, { root, partOf: partOfRun, lastMs: 93 });
  expect(shares).toEqual([
    ["SQLite", expect.closeTo(5 / 6)],
    ["Run: frame, prompt, history, tools", expect.closeTo(1 / 6)],
  ]);
});

test("the work by hand has the same parts", () => {
  const hand = (name: string) => `${name}@scripts/bench/ceiling-full.ts`;
  const answer = [hand("/v1/agents/:name/run"), hand("answer")];
  const profile = profileOf([
    [[...answer, "fetch@"], [1_000]],
    [[...answer, hand("persist"), "run@bun:sqlite"], [1_000]],
    [[...answer, hand("begin"), hand("redact"), "findPii@src/engine/guardrails/pii/find-pii.ts"], [1_000]],
    [[...answer, hand("begin")], [1_000]],
    [[answer[0] ?? ""], [1_000]],
  ]);
  const shares = sharesOfParts(profile, { root, partOf: partOfHandwork, lastMs: 1_000 });
  expect(shares.map(([part]) => part.split(":")[0]).sort()).toEqual([
    "Door",
    "Guardrails",
    "Models",
    "Run",
    "SQLite",
  ]);
  for (const [, share] of shares) expect(share).toBeCloseTo(1 / 5);
});
