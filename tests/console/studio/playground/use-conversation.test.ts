import { expect, test } from "bun:test";
import type { Stream } from "../../../../src/console/api/run-stream.ts";
import { runFrames } from "../../../../src/console/studio/playground/use-conversation.ts";
import type { RunRequest, StreamFrame } from "../../../../src/contracts/daemon/runs/run.ts";

async function play(request: RunRequest, answers: StreamFrame[][]) {
  const opened: Stream[] = [];
  let tickets = 0;
  const daemon = { streamTicket: async () => ({ ticket: `ticket ${++tickets}`, expires_in: 30 }) };
  const frames = await Array.fromAsync(
    runFrames(
      daemon,
      async function* (stream) {
        opened.push(stream);
        yield* answers.shift() ?? [];
      },
      "a b",
      request,
      new AbortController().signal,
    ),
  );
  return { frames, opened };
}

const token: StreamFrame = { type: "token", content: "Hi" };
const notRecordable: StreamFrame = { type: "error", error: "run_not_recordable", message: "It may wait." };

test("a ticket opens the agent's socket", async () => {
  const { frames, opened } = await play({ query: "Hello", record: true }, [[token]]);
  expect(frames).toEqual([token]);
  expect(opened).toMatchObject([
    { service: "daemon", path: "/v1/ws/agent/a%20b?ticket=ticket%201", request: { record: true } },
  ]);
});

test("a run that can't be recorded is asked again without that, by another ticket", async () => {
  const { frames, opened } = await play({ query: "Hello", record: true }, [[notRecordable], [token]]);
  expect(frames).toEqual([{ type: "unrecorded", message: "It may wait." }, token]);
  expect(opened[1]?.request).toEqual({ query: "Hello" });
  expect(opened[1]?.path).toContain("ticket%202");
});

test("other errors are shown", async () => {
  const failed: StreamFrame = { type: "error", error: "timeout", message: "Too slow." };
  const { frames, opened } = await play({ query: "Hello" }, [[failed]]);
  expect(frames).toEqual([failed]);
  expect(opened).toHaveLength(1);
});
