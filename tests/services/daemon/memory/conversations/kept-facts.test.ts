import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelRequest } from "../../../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../../../src/engine/models/model-failure.ts";
import { SummaryScheduler } from "../../../../../src/services/daemon/memory/conversations/summary-scheduler.ts";
import { inProcessConversations } from "../../../../../src/services/daemon/memory/stores/in-process-store.ts";
import type { ScriptedCall } from "../../../../support/scripted-model.ts";
import { says, stage } from "../../../../support/staged-run.ts";

const key = { tenant: "t", agent: "staged", sessionId: "s" };
const cut = (text: string) =>
  says(text).map((event) => (event.type === "end" ? { ...event, finish: "length" as const } : event));

/** An agent with summaries whose role `summarizer` plays `calls`; each reply repeats what it was asked to keep. */
function talking(calls: readonly ScriptedCall[], contextWindow = 100_000) {
  const store = inProcessConversations();
  const run = stage({
    memory: store,
    contextWindow,
    spec: { memory: { conversational: { strategy: "summary", max_turns: 4, token_budget: 2000 } } },
    calls: ["Noted."],
    roles: { summarizer: calls },
  });
  const scheduler = new SummaryScheduler(() => run.ports, {
    stopping: new AbortController().signal,
    ownerOf: (tenant) => tenant,
  });
  run.ports.conversationGrew = (agent, session) => scheduler.schedule(agent, session);
  const say = async (query: string) => {
    expect((await run.run({ query })).thrown).toBeUndefined();
    for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  /** All that the agent's model read in its latest call. */
  const read = () =>
    run.model.requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join("\n") ?? "";
  const asked = (): readonly ModelRequest[] => run.modelOf("staged/summarizer").requests;
  return { ...run, store, say, read, asked };
}

/** A summarizer that keeps every fact of its input, in at most the limit of the instruction if `isBrief`. */
const keeping = (isBrief: (call: number) => boolean): ScriptedCall =>
  async function* (request) {
    const said = request.messages.at(-1)?.content ?? "";
    const facts = [...new Set(said.match(/fact\d+/g))].join(" ") || "Only words.";
    yield* says(isBrief(facts.length) ? facts : `${facts} ${"and so on ".repeat(200)}`);
  };

const bad: [string, ScriptedCall][] = [
  ["always overshoots", keeping(() => false)],
  ["is cut by its token limit", cut("They said fact0.")],
  ["refuses", says("I'm sorry, but I can't help with that.")],
  ["refuses to answer at all", new ModelFailure("content_refused", "No.")],
  ["is down", new ModelFailure("unreachable", "It is down.")],
  ["answers with nothing", says("")],
];

describe.each(bad)("with a summarizer that %s", (_, call) => {
  test("every fact of 200 turns is in the window or in the summary, and the log warns", async () => {
    const talk = talking([call]);
    for (let turn = 0; turn < 200; turn++) await talk.say(`fact${turn}`);
    await talk.say("What do you know?");
    const read = talk.read();
    for (let turn = 0; turn < 200; turn++) expect(read).toMatch(new RegExp(`\\bfact${turn}\\b`));
    expect((await talk.store.summaries.find(key))?.upTo ?? 0).toBe(0);
    expect(talk.logged).toContainEqual(expect.objectContaining({ level: "warn", event: "memory.failed" }));
  }, 60_000);
});

test("with a summarizer that fails now and then, every fact stays, and what was kept is summarized later", async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.boolean()), async (luck) => {
      const flaky: ScriptedCall = async function* (request, signal) {
        const isGood = luck.next().value === true;
        yield* isGood && typeof brief === "function" ? brief(request, signal) : says("x".repeat(5000));
      };
      const talk = talking([flaky]);
      for (let turn = 0; turn < 30; turn++) {
        await talk.say(`fact${turn}`);
        for (let said = 0; said <= turn; said++) expect(talk.read()).toMatch(new RegExp(`\\bfact${said}\\b`));
      }
    }),
    { numRuns: 10 },
  );
}, 60_000);
const brief = keeping(() => true);

test("a summary that is too long is asked for again with the limit, and the shorter one is kept whole", async () => {
  const talk = talking([says("x".repeat(1500)), says("fact0 and fact1, briefly.")]);
  for (const query of ["fact0", "fact1", "fact2"]) await talk.say(query);
  expect(talk.asked()).toHaveLength(2);
  const [first, second] = talk.asked().map(({ messages }) => messages[0]?.content ?? "");
  expect(second).toStartWith(first ?? "");
  expect(second).toContain("at most 1000 characters");
  expect((await talk.store.summaries.find(key))?.text).toBe("fact0 and fact1, briefly.");
});

test("a message longer than the summarizer's window is read whole, in parts", async () => {
  const talk = talking([brief], 8000);
  const long = Array.from({ length: 4000 }, (_, index) => `word${index}`).join(" ");
  const at = talk.clock.now();
  await talk.store.append(key, [
    { role: "user", content: `fact7 ${long} fact8 ${long} fact9`, at, tokenCount: 20_000, metadata: {} },
    { role: "assistant", content: "Noted.", at, tokenCount: 2, metadata: {} },
  ]);
  for (const query of ["fact1", "fact2"]) await talk.say(query);
  const { text } = (await talk.store.summaries.find(key)) ?? { text: "" };
  expect(text).toMatch(/fact7.*fact8.*fact9/);
  const read = talk
    .asked()
    .map(({ messages }) => messages.at(-1)?.content ?? "")
    .join("");
  for (const index of [0, 1234, 2001, 3999])
    expect(read.match(new RegExp(`word${index}\\b`, "g"))?.length).toBeGreaterThanOrEqual(2);
});

test("a window that can't be summarized grows no further than the model can read", async () => {
  const talk = talking([new ModelFailure("unreachable", "It is down.")], 2000);
  for (let turn = 0; turn < 60; turn++) await talk.say(`fact${turn} ${"word ".repeat(40)}`);
  expect(talk.read()).toContain("fact59");
  expect(talk.read()).not.toContain("fact0 ");
  expect((await talk.store.recent(key, 1000)).length).toBe(120);
});
