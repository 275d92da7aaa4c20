import { expect, test } from "bun:test";
import { AskedCall, type CallOptions } from "../../../../../src/engine/tools/mcp/mcp-client.ts";
import { SessionCalls } from "../../../../../src/engine/tools/mcp/sessions/session-calls.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";

const options = (more: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  progress: () => {},
  mayAsk: true,
  ...more,
});
const question = { method: "elicitation/create" };
const never = new AbortController().signal;

/** A call that asks, and ends with the answer. */
const asks =
  (calls: SessionCalls, signal = never) =>
  async () => {
    // The request is sent before the server asks.
    await Promise.resolve();
    return { answer: await calls.asked(question, signal) };
  };

const held = (outcome: unknown) => {
  if (!(outcome instanceof AskedCall)) throw new Error("not asked");
  return outcome.state;
};

test("a call that asks is held, and ends with the answer", async () => {
  const calls = new SessionCalls(new FakeClock());
  const state = held(await calls.call(asks(calls), options()));
  const answered = { state, responses: { question: { action: "decline" as const } } };
  expect(await calls.call(asks(calls), options({ answered }))).toEqual({ answer: { action: "decline" } });
  await expect(calls.call(asks(calls), options({ answered }))).rejects.toThrow(
    "has ended, and the call with it",
  );
});

test("a question is dismissed if nobody can answer, and if it may be another call's", async () => {
  const calls = new SessionCalls(new FakeClock());
  const alone = await calls.call(asks(calls), options({ mayAsk: false }));
  expect(alone).toEqual({ answer: { action: "cancel" } });
  const other = Promise.withResolvers<Record<string, unknown>>();
  const first = calls.call(() => other.promise, options());
  expect(await calls.call(asks(calls), options())).toEqual({ answer: { action: "cancel" } });
  other.resolve({});
  await first;
});

test("a held call doesn't keep others from asking, up to 64", async () => {
  const calls = new SessionCalls(new FakeClock());
  for (let count = 0; count < 64; count++) held(await calls.call(asks(calls), options()));
  expect(await calls.call(asks(calls), options())).toEqual({ answer: { action: "cancel" } });
});

test("a held call ends after a day, and with it its request", async () => {
  const clock = new FakeClock();
  const calls = new SessionCalls(clock);
  let stopped: AbortSignal | undefined;
  const state = held(
    await calls.call(({ signal }) => {
      stopped = signal;
      return asks(calls)();
    }, options()),
  );
  await clock.advance(24 * 60 * 60 * 1000);
  expect(stopped?.aborted).toBe(true);
  const answered = { state, responses: {} };
  await expect(calls.call(asks(calls), options({ answered }))).rejects.toThrow("has ended");
});

test("a server that no longer waits goes on without the answer", async () => {
  const calls = new SessionCalls(new FakeClock());
  const server = new AbortController();
  const state = held(await calls.call(asks(calls, server.signal), options()));
  server.abort();
  const answered = { state, responses: { question: { action: "accept" as const, content: {} } } };
  expect(await calls.call(asks(calls), options({ answered }))).toEqual({ answer: { action: "cancel" } });
});
