import { describe, expect, test } from "bun:test";
import type { Socket } from "../../../../../src/http/call.ts";
import { silentLogger } from "../../../../../src/kit/log.ts";
import { framesOf, frameText } from "../../../../../src/services/daemon/mesh/hop/link-frames.ts";
import { LinkSession } from "../../../../../src/services/daemon/mesh/hop/link-session.ts";
import type { ReceivedRun } from "../../../../../src/services/daemon/mesh/hop/receive-run.ts";

/** A session whose runs the test answers, over a socket that the other node reads only when the test says so. */
function staged() {
  const runs: ReceivedRun[] = [];
  const sent: string[] = [];
  const state = { buffered: 0, closedWith: 0 };
  const receiver = { begin: async (run: ReceivedRun) => void runs.push(run) };
  const signer = { signAnswer: (mac: string, text: string) => `${mac}|${text.length}` };
  const session = new LinkSession(receiver, signer, { log: silentLogger });
  const socket: Socket = {
    send(text) {
      sent.push(text);
      state.buffered += text.length;
      return text.length;
    },
    getBufferedAmount: () => state.buffered,
    cork: (work) => work(socket),
    close: (code = 0) => {
      state.closedWith = code;
    },
    terminate: () => {},
  };
  session.open(socket);
  const ask = (number: number) => session.message(socket, frameText("run", number, "v1,n2,mac", "{}"));
  const read = () => {
    state.buffered = 0;
    session.drained(socket);
  };
  return { session, socket, runs, sent, state, ask, read };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const numbersIn = (sent: readonly string[]) => sent.flatMap(framesOf).map(({ number }) => number);

describe("a node that reads slowly", () => {
  test("gets all answers in their order, and the socket never holds more than one beyond its limit", async () => {
    const { runs, sent, state, ask, read } = staged();
    for (let number = 1; number <= 5; number++) ask(number);
    for (const { way } of runs) way.whole("x".repeat(200_000), "seal");
    await turn();
    expect(numbersIn(sent)).toEqual([1, 2]);
    expect(state.buffered).toBeLessThan(2 * 200_100);
    read();
    expect(numbersIn(sent)).toEqual([1, 2, 3, 4]);
    read();
    expect(numbersIn(sent)).toEqual([1, 2, 3, 4, 5]);
  });

  test("gets what waits for it before a stopping node closes the link", async () => {
    const { session, runs, sent, state, ask, read } = staged();
    for (let number = 1; number <= 3; number++) ask(number);
    for (const { way } of runs) way.whole("x".repeat(200_000), "seal");
    session.retire();
    expect(state.closedWith).toBe(0);
    read();
    expect([numbersIn(sent), state.closedWith]).toEqual([[1, 2, 3], 1001]);
  });
});

describe("a stopping node", () => {
  test("closes an idle link at once", () => {
    const { session, state } = staged();
    session.retire();
    expect(state.closedWith).toBe(1001);
  });

  test("answers the runs in flight, refuses others, then closes", async () => {
    const { session, runs, sent, state, ask } = staged();
    ask(1);
    expect(session.isAnswering()).toBe(true);
    session.retire();
    ask(2);
    await turn();
    expect(runs).toHaveLength(1);
    expect(sent.flatMap(framesOf)).toMatchObject([{ kind: "refused", number: 2 }]);
    expect([sent[0]?.includes("node_draining"), state.closedWith]).toEqual([true, 0]);
    runs[0]?.way.whole("[]", "seal");
    expect(state.closedWith).toBe(1001);
    expect(numbersIn(sent)).toEqual([2, 1]);
    expect(session.isAnswering()).toBe(false);
  });
});

test("a closed link cancels its runs, and their answers go nowhere", async () => {
  const { session, runs, sent, ask } = staged();
  ask(1);
  session.close();
  expect(runs[0]?.left.signal.aborted).toBe(true);
  runs[0]?.way.whole("[]", "seal");
  await turn();
  expect(sent).toEqual([]);
});

test("a number in use begins no second run", () => {
  const { runs, ask } = staged();
  ask(1);
  ask(1);
  expect(runs).toHaveLength(1);
});
