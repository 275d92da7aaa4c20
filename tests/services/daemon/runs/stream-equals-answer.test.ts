import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { StreamFrame } from "../../../../src/contracts/daemon/runs/run.ts";
import { openEvents, openSocket, tokensOf } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let answer: ModelStep = {};

beforeAll(async () => {
  const redact = { type: "pii_detection", action: "redact" };
  daemon = await startDaemon({
    models: { lab: () => answer },
    agents: {
      "open.agent.yaml": agentFile("open"),
      "guarded.agent.yaml": agentFile("guarded", { guardrails: { output: [redact] } }),
      "twice.agent.yaml": agentFile("twice", {
        guardrails: { output: [{ ...redact, entities: ["email"] }, redact, { ...redact, action: "warn" }] },
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

/** Texts that guardrails match, similar texts, and texts that break encodings; cut anywhere, even inside characters. */
const fragment = fc.oneof(
  fc.constantFrom(
    "ann@example.com",
    "ann@",
    "@example.com",
    "+1 202 555 0143",
    "+1 202 555",
    "4111 1111 1111 1111",
    "4111 1111 1111",
    "078-05-1120",
    "078-05",
    "👨‍👩‍👧‍👦",
    "\r\n",
    "\n\ndata: {}\n\n",
    "\u2028",
    '"}',
    "[DONE]",
    "é",
    " ",
    ". ",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 }),
);

const pieces = fc
  .tuple(fc.array(fragment, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(), { maxLength: 20 }))
  .map(([fragments, cuts]) => cut(fragments.join(""), cuts));

const wire = fc.record({ writeBytes: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }) });

test.each(["open", "guarded", "twice"])(
  "tokens joined are the answer, the same over every way and in memory, for the agent %s",
  async (agent) => {
    const socket = await openSocket(daemon.url, agent);
    let session = 0;
    await fc.assert(
      fc.asyncProperty(pieces, wire, async (text, { writeBytes }) => {
        answer = { text, ...(writeBytes === undefined ? {} : { writeBytes }) };
        const body = { query: "hi", session_id: `${++session}` };
        const whole = await daemon.run(agent, body);
        expect(whole.status).toBe(200);
        const { response } = whole.body;
        if (agent === "open") expect(response).toBe(text.join(""));

        const events = await (await openEvents(daemon.url, agent, body)).answer();
        socket.send(body);
        for (const frames of [events, await socket.answer()]) {
          expect(tokensOf(frames)).toBe(response);
          expect(doneOf(frames).response).toBe(response);
          expect(frames.every((frame) => frame.type !== "token" || frame.content !== "")).toBe(true);
        }
        const history = await daemon.call("GET", `/v1/memory/${agent}/history/${session}`);
        const kept = history.body.messages.map(({ content }: { content: string }) => content);
        const stored = response.replaceAll("\0", "\ufffd").toWellFormed();
        expect(kept).toEqual(["hi", stored, "hi", stored, "hi", stored]);
      }),
      { numRuns: 40 },
    );
    socket.leave();
  },
);

function doneOf(frames: readonly StreamFrame[]) {
  const done = frames.at(-1);
  if (done?.type !== "done") throw new Error(`The stream ended with ${JSON.stringify(done)}.`);
  return done;
}

/** Cuts `text` at these places, modulo its length. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % text.length))].sort((a, b) => a - b);
  return [0, ...at]
    .map((from, index) => text.slice(from, at[index] ?? text.length))
    .filter((piece) => piece !== "");
}
