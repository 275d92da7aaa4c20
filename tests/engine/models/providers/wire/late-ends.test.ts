import { describe, expect, test } from "bun:test";
import type { LateEnd, ModelEvent } from "../../../../../src/engine/models/model.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock, settle } from "../../../../support/fake-clock.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

/** A server whose stream is written step by step, without waiting for any time. */
function staged() {
  const clock = new FakeClock();
  let write: ReadableStreamDefaultController<Uint8Array> | undefined;
  const fetch = async (_: unknown, { signal }: { signal: AbortSignal }) => {
    let own: typeof write;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        write = controller;
      },
    });
    // As a connection does.
    signal.addEventListener("abort", () => own?.error(signal.reason));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const model = findProviderKind("openai")?.build(
    { provider: "p", model: "m", endpoint: "http://127.0.0.1:1/v1", timeoutMs: 120_000, parameters: {} },
    { fetch: fetch as unknown as typeof globalThis.fetch, clock, newId },
  );
  let events: ModelEvent[] = [];
  let failure: unknown;
  let isOver = false;
  const ask = async () => {
    const own: ModelEvent[] = [];
    events = own;
    isOver = false;
    try {
      for await (const event of model?.call(requestOf("hi"), new AbortController().signal) ?? [])
        own.push(event);
    } catch (thrown) {
      failure = thrown;
    }
    isOver = true;
  };
  void ask();
  const send = async (text: string) => {
    write?.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
    await settle();
  };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    send(JSON.stringify({ choices: [{ delta, finish_reason }] }));
  const usage = (output: number) =>
    send(JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: output } }));
  return {
    clock,
    /** Asks the same model again. */
    async askAgain() {
      void ask();
      await settle();
    },
    chunk,
    usage,
    send,
    done: () => send("[DONE]"),
    breaks: async () => {
      write?.error(new Error("reset"));
      await settle();
    },
    text: () => events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(""),
    calls: () => events.flatMap((event) => (event.type === "tool_call" ? [event.call.input] : [])),
    end: () => events.find((event) => event.type === "end"),
    isOver: () => isOver,
    failure: () => failure,
  };
}
const call = (index: number, args: string) => ({
  tool_calls: [{ index, id: `c${index}`, function: { name: "note", arguments: args } }],
});

describe("after a finish reason", () => {
  test("text in every chunk with a reason is read to the stream's end", async () => {
    const run = staged();
    await settle();
    for (const word of ["One ", "two ", "three."]) {
      await run.chunk({ content: word }, "stop");
      await run.clock.advance(200);
    }
    // The server's reasons are not ends, so longer pauses are waited for, too.
    await run.clock.advance(3000);
    await run.chunk({ content: " Four." }, "stop");
    await run.done();
    expect([run.text(), run.isOver()]).toEqual(["One two three. Four.", true]);
  });

  test("a reason that comes along with text does not end the answer, however long the next piece takes", async () => {
    const run = staged();
    await settle();
    for (const word of ["One ", "two ", "three."]) {
      await run.chunk({ content: word }, "stop");
      await run.clock.advance(4000);
    }
    expect(run.isOver()).toBe(false);
    await run.clock.advance(1000);
    expect([run.text(), run.isOver()]).toEqual(["One two three.", true]);
  });

  test("thoughts with a reason are not an answer: the text is waited for", async () => {
    const run = staged();
    await settle();
    await run.chunk({ reasoning_content: "hm" }, "stop");
    await run.clock.advance(4000);
    await run.chunk({ content: "Hello." });
    await run.clock.advance(60_000);
    await run.chunk({ content: " There." });
    await run.chunk({}, "stop");
    await run.done();
    expect(run.text()).toBe("Hello. There.");
  });

  test("a second call 4 seconds later belongs to the turn", async () => {
    const run = staged();
    await settle();
    await run.chunk(call(0, '{"a":"x"}'), "tool_calls");
    await run.clock.advance(4000);
    await run.chunk(call(1, '{"a":"y"}'), "tool_calls");
    await run.done();
    expect(run.calls()).toEqual([{ a: "x" }, { a: "y" }]);
  });

  test("calls are waited for at most 5 seconds", async () => {
    const run = staged();
    await settle();
    await run.chunk(call(0, "{}"), "tool_calls");
    await run.clock.advance(4999);
    expect(run.isOver()).toBe(false);
    await run.clock.advance(1);
    expect([run.isOver(), run.calls(), run.end()?.type]).toEqual([true, [{}], "end"]);
  });

  test("text that goes on and breaks off is a failure, not a whole answer", async () => {
    const run = staged();
    await settle();
    await run.chunk({ content: "One " }, "stop");
    await run.chunk({ content: "two " });
    await run.breaks();
    expect(run.failure()).toMatchObject({ code: "provider_failed" });
  });
});

describe("the usage", () => {
  const answered = async () => {
    const run = staged();
    await settle();
    await run.chunk({ content: "Hello." });
    await run.chunk({}, "stop");
    await run.clock.advance(249);
    expect(run.isOver()).toBe(false);
    await run.clock.advance(1);
    expect(run.isOver()).toBe(true);
    const end = run.end();
    if (end?.type !== "end") throw new Error("The answer has no end.");
    expect(end.usage.estimated).toBe(true);
    let late: LateEnd | undefined | "none yet" = "none yet";
    void end.later?.then((known) => {
      late = known;
    });
    return { ...run, late: () => late };
  };

  test("that comes 4 seconds later corrects the end, without holding it up", async () => {
    const run = await answered();
    await run.clock.advance(3750);
    await run.usage(900);
    expect(run.late()).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 900, estimated: false },
      lostChars: 0,
    });
    expect(run.clock.pending).toBe(0);
  });

  test.each<[string, (run: Awaited<ReturnType<typeof answered>>) => Promise<unknown>]>([
    ["does not come within 5 seconds", (run) => run.clock.advance(4750)],
    ["is lost with the connection", (run) => run.breaks()],
    ["is not reported at the end", (run) => run.done()],
  ])("that %s stays estimated", async (_, go) => {
    const run = await answered();
    await go(run);
    expect([run.late(), run.clock.pending]).toEqual([undefined, 0]);
  });

  test("is not the only late thing: text that came too late is counted", async () => {
    const run = await answered();
    await run.chunk({ content: " Too late." });
    await run.usage(9);
    expect(run.late()).toMatchObject({ lostChars: 10 });
  });

  test("that came with the reason doesn't hide text that came too late", async () => {
    const run = staged();
    await settle();
    const choices = [{ delta: { content: "One." }, finish_reason: "stop" }];
    await run.send(JSON.stringify({ choices, usage: { prompt_tokens: 7, completion_tokens: 2 } }));
    await run.clock.advance(250);
    const end = run.end();
    if (end?.type !== "end") throw new Error("The answer has no end.");
    expect(end.usage).toMatchObject({ outputTokens: 2, estimated: false });
    await run.clock.advance(100);
    await run.chunk({ content: " Two." });
    expect(await end.later).toMatchObject({ usage: { outputTokens: 2 }, lostChars: 5 });
    expect(run.clock.pending).toBe(0);
  });
});

describe("a server that has gone on after a reason", () => {
  test.each([
    ["too late", 400],
    ["in time", 100],
  ])("%s is waited for in its later answers, until they end or 5 seconds pass", async (_, afterMs) => {
    const run = staged();
    await settle();
    await run.chunk({ content: "One." });
    await run.chunk({}, "stop");
    await run.clock.advance(afterMs);
    await run.chunk({ content: " Two." }, "stop");
    await run.usage(9);
    // The connection is closed when the late usage has come.
    if (afterMs < 250) await run.done();
    expect([run.text(), run.isOver()]).toEqual([afterMs > 250 ? "One." : "One. Two.", true]);

    await run.askAgain();
    await run.chunk({ content: "One." });
    await run.chunk({}, "stop");
    await run.clock.advance(400);
    await run.chunk({ content: " Two." }, "stop");
    await run.done();
    expect([run.text(), run.isOver()]).toEqual(["One. Two.", true]);

    await run.askAgain();
    await run.chunk({ content: "One." });
    await run.chunk({}, "stop");
    await run.clock.advance(4999);
    expect(run.isOver()).toBe(false);
    await run.clock.advance(1);
    expect(run.isOver()).toBe(true);
    expect(run.clock.pending).toBe(0);
  });
});
