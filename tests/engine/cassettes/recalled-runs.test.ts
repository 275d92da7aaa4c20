import { describe, expect, test } from "bun:test";
import type { PausedRun } from "../../../src/engine/approvals/paused-run.ts";
import { runWithApprovals } from "../../../src/engine/approvals/run-with-approvals.ts";
import { diffCassettes } from "../../../src/engine/cassettes/compare/diff-cassettes.ts";
import { readCassette } from "../../../src/engine/cassettes/read-cassette.ts";
import { forkRun } from "../../../src/engine/cassettes/replay/fork-run.ts";
import type { RunEvent } from "../../../src/engine/run-state/run-event.ts";
import type { KnowledgeBases } from "../../../src/engine/tools/rag/agent-knowledge.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { rebuildParts, recorded, replayed, rerecorded } from "../../support/cassettes.ts";
import { type StagedMemories, stagedMemories } from "../../support/staged-memories.ts";
import { asks, type Stage, type StageOptions, stage, told } from "../../support/staged-run.ts";

const spec = {
  memory: { semantic: {}, episodic: {} },
  knowledge: { pipeline: "handbook" },
};

const handbook = (texts: () => readonly string[]): KnowledgeBases => ({
  pipeline: () => ({
    query: async () =>
      texts().map((text, chunk) => ({
        text,
        score: 0.5,
        metadata: { source: "book" },
        citation: { documentId: "d", chunk, start: 0, end: text.length },
      })),
    ingest: () => Promise.reject(new Error("nothing is added here")),
  }),
  collection: () => {
    throw new Error("no collection is searched here");
  },
});

/** A stage whose agent remembers that the code is Heron, and has read that tea is at four. */
async function remembering(options: StageOptions = {}): Promise<{ run: Stage; memories: StagedMemories }> {
  const memories = await stagedMemories();
  const knowledge = handbook(() => ["Tea is at four."]);
  const run = stage({ spec, recall: memories.parts, knowledge, ...options });
  await run.run({ sessionId: "before", query: "The code word is Heron." });
  return { run, memories };
}

const asked = { sessionId: "now", query: "What is the code word?" };
const shown = ["The code word is Heron.", "Asked: The code word is Heron.", "Tea is at four."];

const showsAll = (text: string | undefined) => {
  for (const part of shown) expect(text).toContain(part);
};

test("a replay sees the recorded memories, not those stored now, and writes nothing", async () => {
  const { run, memories } = await remembering();
  await using _ = memories;
  const { cassette, played } = await recorded(run, asked);
  showsAll(told(run.model).at(-1));
  expect(cassette.entries.filter(({ kind }) => kind === "recall").map(({ request }) => request)).toEqual(
    ["semantic", "episodic", "knowledge"].map((of) => ({ of, query: asked.query })),
  );
  const { signal } = new AbortController();
  const count = async () =>
    (await memories.texts[0]?.list({ tenant: "t", agent: "staged" }, {}, { limit: 99, signal }))?.length;
  const before = await count();
  expect(await replayed(cassette)).toMatchObject({ identical: true, warnings: [] });
  expect(await count()).toBe(before);
  expect(played.result?.metadata.sources).toHaveLength(1);
  const again = await rerecorded(cassette);
  expect(again.report.identical).toBe(true);
  expect(diffCassettes(cassette, again.cassette).identical).toBe(true);
});

test("a replay runs without a memory that failed, as the run did, and fails as it did without its documents", async () => {
  const state = { away: false };
  const { run, memories } = await remembering({
    knowledge: handbook(() => {
      if (state.away) throw new AppError("unavailable", "vectors_unavailable", "The store is away.");
      return ["Tea is at four."];
    }),
  });
  await using _ = memories;
  const semantic = run.agent.recall?.semantic;
  if (semantic === undefined) throw new Error("no memory");
  semantic.recall = () =>
    Promise.reject(new AppError("unavailable", "embedder_unavailable", "Nobody answers."));
  const first = await recorded(run, asked);
  expect(first.played.result).toBeDefined();
  expect(told(run.model).at(-1)).not.toContain("(user) The code word is Heron.");
  expect(await replayed(first.cassette)).toMatchObject({ identical: true });
  state.away = true;
  const second = await recorded(run, asked);
  expect(second.played.thrown).toMatchObject({ code: "vectors_unavailable" });
  expect(await replayed(second.cassette)).toMatchObject({ identical: true });
});

test("a fork shows the model what was recalled when the run was recorded", async () => {
  const { run, memories } = await remembering();
  await using _ = memories;
  const { cassette } = await recorded(run, asked);
  const live = stage({ calls: ["It is Heron."] });
  const report = await forkRun(
    cassette,
    {
      parts: { ...rebuildParts, clock: live.clock },
      ports: live.ports,
      tenant: "t",
      live: { call: () => live.agent.routerFor().call, execute: () => undefined },
    },
    { from: 0, strict: false, recordsContent: false },
  );
  expect(report).toMatchObject({ outcome: { result: { response: "It is Heron." } }, warnings: [] });
  showsAll(told(live.model).at(-1));
});

test("secrets in what was recalled are masked in the cassette, and it is played all the same", async () => {
  const { run, memories } = await remembering({
    knowledge: handbook(() => ["The door opens with CANARY-4711."]),
  });
  await using _ = memories;
  const maskKnown = (text: string) => text.replaceAll("CANARY-4711", "[redacted]");
  const { cassette, text } = await recorded(run, asked, { maskKnown });
  expect(told(run.model).at(-1)).toContain("CANARY-4711");
  expect(text).not.toContain("CANARY-4711");
  expect(await replayed(cassette)).toMatchObject({ identical: true });
});

test("a cassette from before there was anything to recall is played still", async () => {
  const plain = stage({ calls: ["Hello."] });
  const { text } = await recorded(plain);
  const old = text.replaceAll('"kind":"recall"', '"kind":"gone"');
  expect(old).toBe(text);
  expect(await replayed(readCassette(old, "an old cassette"))).toMatchObject({ identical: true });
});

describe("a run that waits for a person", () => {
  const calls = [asks("Paying.", { name: "pay", input: {} }), "Paid."];
  const pay = {
    name: "pay",
    requiresApproval: true,
    execute: async () => ({ success: true as const, data: "done" }),
  };

  async function runPart(on: Stage, resumed?: Parameters<typeof runWithApprovals>[3]) {
    const events: RunEvent[] = [];
    const going = runWithApprovals(on.ports, on.agent, on.requestOf(asked), resumed);
    for (let next = await going.next(); ; next = await going.next()) {
      if (next.done === true)
        return { events, paused: next.value && (JSON.parse(JSON.stringify(next.value)) as PausedRun) };
      events.push(next.value);
    }
  }

  test("continues with what it recalled before, and is remembered once", async () => {
    let texts = ["Tea is at four."];
    const { run, memories } = await remembering({
      calls: ["Noted.", ...calls],
      tools: [pay],
      knowledge: handbook(() => texts),
    });
    await using _ = memories;
    const first = await runPart(run);
    expect(first.paused?.entries.filter(({ kind }) => kind === "recall")).toHaveLength(3);
    texts = ["Tea is at five."];
    await run.run({ sessionId: "meanwhile", query: "The code word is Crane." });
    if (first.paused === undefined) throw new Error("it did not pause");
    const second = await runPart(run, { run: first.paused, decision: { verdict: "approved" } });
    expect(second.events.at(-1)).toMatchObject({ type: "done" });
    const last = run.model.requests.at(-1)?.messages.find(({ role }) => role === "user")?.content;
    showsAll(last);
    expect(last).not.toContain("Crane");
    const owner = { tenant: "t", agent: "staged" };
    await memories.semantic.writer.idle();
    const { signal } = new AbortController();
    const kept = await memories.texts[0]?.list(owner, { session: "now" }, { limit: 99, signal });
    expect(kept?.map(({ text }) => text).sort()).toEqual(["Paying.\n\nPaid.", asked.query].sort());
    const episodes = await memories.episodes[0]?.page(owner, { sessionId: "now" }, { limit: 99 });
    expect(episodes).toMatchObject([{ outcome: "ok", importance: 0.5, context: { tools: ["pay"] } }]);
  });
});
