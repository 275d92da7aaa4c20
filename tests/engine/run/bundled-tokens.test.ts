import { expect, test } from "bun:test";
import type { ModelEvent } from "../../../src/engine/models/model.ts";
import { findProviderKind } from "../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../src/kit/id.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { endOfAnswer, requestOf } from "../../support/scripted-model.ts";
import { stage } from "../../support/staged-run.ts";

const bundle = (...texts: string[]): ModelEvent[] => [{ type: "texts", texts }, endOfAnswer];

const guarded = (output: object[], ...texts: string[]) =>
  stage({ calls: [bundle(...texts)], spec: { guardrails: { output } } });

test("tokens that arrive together stay single tokens in one event", async () => {
  const { events, result } = await stage({ calls: [bundle("one ", "two")] }).run({ bundles: true });
  expect(events[0]).toEqual({ type: "tokens", contents: ["one ", "two"] });
  expect(result?.response).toBe("one two");
});

test("personal data across their borders is redacted", async () => {
  const run = guarded([{ type: "pii_detection", action: "redact" }], "I am ", "ann@exam", "ple.com", ", hi");
  const { events, result } = await run.run({ bundles: true });
  const shown = events.flatMap((event) =>
    event.type === "tokens" ? event.contents : event.type === "token" ? [event.content] : [],
  );
  expect([shown.join(""), result?.response]).toEqual(["I am [EMAIL], hi", "I am [EMAIL], hi"]);
  expect(JSON.stringify(events)).not.toContain("ann@");
});

test("those before a block leave, those after it don't", async () => {
  const run = guarded(
    [{ type: "cost_limit", action: "block", max_tokens_per_turn: 3 }],
    "one ",
    "two ",
    "three ",
    "four five six",
  );
  const { events, thrown } = await run.run({ bundles: true });
  expect(thrown).toMatchObject({ code: "guardrail_blocked" });
  const shown = events.flatMap((event) => (event.type === "tokens" ? event.contents : []));
  expect(shown[0]).toBe("one ");
  expect(shown).not.toContain("four five six");
});

test("a limit within them cuts the answer, also in memory, and the run is well", async () => {
  const run = guarded(
    [{ type: "cost_limit", action: "redact", max_tokens_per_turn: 3 }],
    ...["one ", "two ", "three", " four", " five"],
  );
  const { events, result, thrown } = await run.run({ bundles: true });
  const shown = events.flatMap((event) => (event.type === "tokens" ? event.contents : [])).join("");
  expect([thrown, shown, result?.response]).toEqual([undefined, "one two thre", "one two thre"]);
  expect((await run.turns())[1]?.content).toBe("one two thre");
});

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const end = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;

test.each([
  ["whole", `${chunk("a")}${chunk("b")}${end}`, true, [{ type: "texts", texts: ["a", "b"] }], false],
  [
    "whole, not asked for",
    `${chunk("a")}${chunk("b")}${end}`,
    false,
    [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    false,
  ],
  [
    "with a fault behind the texts",
    `${chunk("a")}${chunk("b")}data: {\n\n`,
    true,
    [{ type: "texts", texts: ["a", "b"] }],
    true,
  ],
] as const)("a chunk of a model's stream: %s", async (_, body, bundles, expected, fails) => {
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const model = findProviderKind("openai")?.build(
    { provider: "p", model: "m", endpoint: "http://127.0.0.1:9/v1", timeoutMs: 1000, parameters: {} },
    { fetch, clock: new FakeClock(), newId },
  );
  const events: ModelEvent[] = [];
  const request = requestOf("hi", { stream: true, ...(bundles && { bundles }) });
  const reading = (async () => {
    for await (const event of model?.call(request, new AbortController().signal) ?? []) events.push(event);
  })();
  if (fails) await expect(reading).rejects.toMatchObject({ failure: "unusable" });
  await reading.catch(() => undefined);
  expect<unknown>(events.filter(({ type }) => type !== "end")).toEqual([...expected]);
});
