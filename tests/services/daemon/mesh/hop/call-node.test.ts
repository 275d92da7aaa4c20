import { describe, expect, test } from "bun:test";
import type { MeshRun } from "../../../../../src/contracts/daemon/mesh-run.ts";
import type { RunEvent } from "../../../../../src/engine/run-state/run-event.ts";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { answerHeader, MessageSigner, signatureHeader } from "../../../../../src/mesh/message-signature.ts";
import { callNode } from "../../../../../src/services/daemon/mesh/hop/call-node.ts";
import { runPath } from "../../../../../src/services/daemon/mesh/hop/node-exchange.ts";
import { errorLine, LineWriter } from "../../../../../src/services/daemon/mesh/hop/run-lines.ts";
import { wholeAnswer } from "../../../../../src/services/daemon/mesh/hop/whole-answer.ts";
import { NodeFault } from "../../../../../src/services/daemon/runs/route-run.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";

const message: MeshRun = {
  from: "n1",
  to: "n2",
  agent: "helper",
  sender: "owner",
  session_id: "s1",
  query: "hi",
  context: {},
  stream: false,
};
const token: RunEvent = { type: "token", content: "Hello." };
const done = { type: "done", result: { response: "Hello." } } as unknown as RunEvent;

/** A step of the other node: lines that it writes, or the end of the connection. */
type Step = RunEvent[] | AppError | "life" | "cut" | "silence";

/** Calls a node that answers with these steps. Returns the events read, what ended them, and the signal of the request. */
async function callStaged(steps: readonly Step[], cancelledBy: readonly AbortSignal[] = []) {
  const clock = new FakeClock();
  const signer = new MessageSigner("mesh-secret-of-at-least-32-bytes-!", clock);
  let sent: AbortSignal | undefined;
  const answer = async (request: Request) => {
    sent = request.signal;
    const { mac } = signer.verify(request.headers.get(signatureHeader), runPath, await request.text());
    const lines = new LineWriter(signer, mac);
    const left = [...steps];
    const body = new ReadableStream({
      async pull(out) {
        const step = left.shift();
        if (step === undefined) return out.close();
        if (step === "cut") return out.error(new TypeError("The connection was closed."));
        if (step === "silence") {
          const { signal } = request;
          const gone = Promise.withResolvers<void>();
          signal.addEventListener("abort", () => gone.resolve());
          void clock.advance(5_000);
          if (!signal.aborted) await gone.promise;
          return out.error(signal.reason);
        }
        const text = step === "life" ? "\n" : Array.isArray(step) ? lines.events(step) : lines.error(step);
        out.enqueue(new TextEncoder().encode(text));
      },
    });
    return new Response(body, { headers: { [answerHeader]: signer.signAnswer(mac, runPath) } });
  };
  return readCall(answer, signer, clock, cancelledBy, () => sent);
}

/** Calls a node and returns the events read, and what ended them. */
async function readCall(
  answer: (request: Request) => Promise<Response>,
  signer: MessageSigner,
  clock: FakeClock,
  cancelledBy: readonly AbortSignal[] = [],
  sent: () => AbortSignal | undefined = () => undefined,
) {
  const deps = {
    fetch: (url: string, init: RequestInit) => answer(new Request(url, init)),
    signer,
    self: () => ({ nodeId: "n1", incarnation: 1 }),
    clock,
    acceptMs: 1_000,
    silenceMs: 5_000,
  };
  const events: string[] = [];
  let fault: unknown;
  try {
    for await (const { type } of callNode(deps, "http://127.0.0.1:1", message, cancelledBy))
      events.push(type);
  } catch (thrown) {
    fault = thrown;
  }
  return { events, fault, sent: sent() };
}

/** Calls a node that answers whole; `sign` makes the answer's header. */
function callWhole(
  text: string,
  sign = (signer: MessageSigner, mac: string) => signer.signAnswer(mac, text),
) {
  const clock = new FakeClock();
  const signer = new MessageSigner("mesh-secret-of-at-least-32-bytes-!", clock);
  const answer = async (request: Request) => {
    expect(request.headers.get("accept")).toContain("application/x-ndjson");
    const { mac } = signer.verify(request.headers.get(signatureHeader), runPath, await request.text());
    const headers = { "content-type": "application/json", [answerHeader]: sign(signer, mac) };
    return new Response(text, { headers });
  };
  return readCall(answer, signer, clock);
}

describe("a run on another node", () => {
  test.each<[string, Step[]]>([
    ["ends with its last event", ["life", [token, done]]],
    ["is whole though the connection breaks after it", [[token, done], "cut"]],
    ["is whole though the node falls silent after it", [[token], [done], "silence"]],
  ])("%s", async (_, steps) => {
    const { events, fault } = await callStaged(steps);
    expect({ events, fault }).toEqual({ events: ["token", "done"], fault: undefined });
  });

  test.each<[string, Step[], string, boolean]>([
    ["that is cut before the first event may run elsewhere", ["life", "cut"], "node_unreachable", true],
    ["that ends before the first event may run elsewhere", ["life"], "node_unreachable", true],
    ["that falls silent may run elsewhere", ["life", "silence"], "node_unreachable", true],
    ["that is cut later is lost", [[token], "cut"], "node_lost", false],
    ["that ends without its last event is lost", [[token]], "node_lost", false],
    ["that is refused may run elsewhere", [new AppError("unavailable", "too_busy", "No.")], "too_busy", true],
    ["that failed by itself doesn't", [new AppError("invalid", "blank", "No.")], "blank", false],
  ])("%s", async (_, steps, code, isElsewhere) => {
    const { fault } = await callStaged(steps);
    expect(fault).toMatchObject({ code });
    expect(fault instanceof NodeFault).toBe(isElsewhere);
  });

  test("is cancelled with its caller, for the caller's reason", async () => {
    const caller = new AbortController();
    const gone = callStaged(["life", "silence"], [caller.signal, new AbortController().signal]);
    caller.abort(new AppError("unavailable", "stopping", "Stop."));
    const { fault, sent } = await gone;
    expect(fault).toMatchObject({ code: "stopping" });
    expect(sent?.aborted).toBe(true);
  });

  test("isn't sent for a caller that has left", async () => {
    const { fault, sent } = await callStaged([[done]], [AbortSignal.abort(new DOMException("Gone."))]);
    expect(fault).toMatchObject({ code: "run_cancelled" });
    expect(sent).toBeUndefined();
  });
});

describe("a whole answer", () => {
  const text = wholeAnswer([token, done]);

  test("has all events", async () => {
    expect(await callWhole(text)).toMatchObject({ events: ["token", "done"], fault: undefined });
  });

  test.each<[string, (signer: MessageSigner, mac: string) => string]>([
    ["of another text", (signer, mac) => signer.signAnswer(mac, text.replace("Hello", "Jello"))],
    ["of the head of lines", (signer, mac) => signer.signAnswer(mac, runPath)],
    ["to another run", (signer) => signer.signAnswer("another", text)],
    ["by a stranger", (_, mac) => new MessageSigner("x".repeat(40), new FakeClock()).signAnswer(mac, text)],
  ])("is refused with the signature %s", async (_, sign) => {
    const { events, fault } = await callWhole(text, sign);
    expect(events).toEqual([]);
    expect(fault).toMatchObject({ code: "node_unreachable", cause: { code: "mesh_answer_unsigned" } });
  });

  test.each<[string, boolean]>([
    ["too_busy", true],
    ["blank", false],
  ])("with the error %s is thrown as it was sent", async (code, isElsewhere) => {
    const { fault } = await callWhole(errorLine(new AppError("unavailable", code, "No.")));
    expect(fault).toMatchObject({ code });
    expect(fault instanceof NodeFault).toBe(isElsewhere);
  });

  test("without its last event may be asked of another node, or is lost", async () => {
    expect((await callWhole("[]")).fault).toMatchObject({ code: "node_unreachable" });
    expect((await callWhole(wholeAnswer([token]))).fault).toMatchObject({ code: "node_lost" });
  });
});
