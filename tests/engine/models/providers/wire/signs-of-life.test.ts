import { expect, test } from "bun:test";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock, settle } from "../../../../support/fake-clock.ts";
import { readAnswer } from "../../../../support/read-answer.ts";

/** A model that gives up after 120 s of silence, and its server's stream. */
function setUp() {
  const clock = new FakeClock();
  let send: (text: string) => void = () => {};
  let cut: (reason: unknown) => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      cut = (reason) => controller.error(reason);
      send = (text) => {
        controller.enqueue(new TextEncoder().encode(text));
        if (text.includes("[DONE]")) controller.close();
      };
    },
  });
  const answer = async (_url: string, { signal }: RequestInit) => {
    signal?.addEventListener("abort", () => cut(signal.reason));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const model = findProviderKind("openai")?.build(
    { provider: "p", model: "m", endpoint: "http://vendor.example/v1", timeoutMs: 120_000, parameters: {} },
    { fetch: answer as unknown as typeof fetch, clock, newId },
  );
  if (model === undefined) throw new Error("There is no such kind.");
  return { clock, model, send: (text: string) => send(text) };
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const end = `${chunk({ content: "Done." })}${chunk({}, "stop")}data: [DONE]\n\n`;

test.each([
  ["a comment of the server", ": OPENROUTER PROCESSING\n\n"],
  ["a thought", chunk({ reasoning_content: "hm" })],
  [
    "a fragment of a call's arguments",
    chunk({ tool_calls: [{ index: 0, id: "k", function: { name: "note", arguments: "" } }] }),
  ],
])("%s is a sign of life: the model is waited for", async (_, sign) => {
  const { clock, model, send } = setUp();
  const reading = readAnswer(model);
  for (let times = 0; times < 4; times++) {
    await settle();
    send(sign);
    await settle();
    await clock.advance(100_000);
  }
  send(end);
  expect(await reading).toMatchObject({ text: "Done.", failure: undefined });
});

test("silence of 120 s is not waited for", async () => {
  const { clock, model, send } = setUp();
  const reading = readAnswer(model);
  await settle();
  send(": OPENROUTER PROCESSING\n\n");
  await settle();
  await clock.advance(120_000);
  expect((await reading).failure?.message).toBe("p/m was silent for 120 s.");
});
