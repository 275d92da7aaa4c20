import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { Question } from "../../../src/contracts/daemon/questions/question.ts";
import type { Approval, ApprovalDecision } from "../../../src/contracts/daemon/runs/approvals.ts";
import type { StreamFrame } from "../../../src/contracts/daemon/runs/run.ts";
import { daemonParts, say } from "../recording-shell.ts";

const question: Question = {
  server: "lab",
  message: "Which table?",
  fields: [
    { name: "guests", title: "Guests", type: "integer", required: true, min: 1, max: 8 },
    { name: "note", type: "string", required: false },
  ],
};
const approval: Approval = {
  id: "a-1",
  agent: "clerk",
  session_id: "s",
  tool: "lab__book",
  input: {},
  question,
  status: "pending",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
};

/** Types a line whenever a prompt that ends so is shown. */
function typing(lines: readonly [string, string][]) {
  const stdin = new PassThrough();
  const left = [...lines];
  const shown = (text: string) => {
    const [next] = left;
    if (next === undefined || !text.includes(next[0])) return;
    left.shift();
    setImmediate(() => stdin.write(next[1]));
  };
  return { stdin, shown, terminal: true };
}

const deciding = () => {
  const decided: [string, string, ApprovalDecision | undefined][] = [];
  const parts = daemonParts({
    getApproval: async () => approval,
    listApprovals: async () => ({ approvals: [approval] }),
    decideApproval: async (id, verdict, request) => {
      decided.push([id, verdict, request]);
      return { response: "Booked." } as never;
    },
  });
  return { parts, decided };
};

describe("a question of a server", () => {
  test("is listed and shown with its fields", async () => {
    const { parts } = deciding();
    expect((await say(["approvals"], { parts })).stdout).toContain("lab asks: Which table?");
    expect((await say(["approvals", "show", "a-1"], { parts })).stdout).toContain("Guests (whole number)");
  });

  test.each([
    [
      ["approve", "a-1", "--answer", '{"guests":2}'],
      ["a-1", "approve", { answer: { guests: 2 } }],
    ],
    [
      ["reject", "a-1"],
      ["a-1", "reject", {}],
    ],
    [
      ["reject", "a-1", "--cancel"],
      ["a-1", "reject", { cancel: true }],
    ],
  ])("is decided on by options: %p", async (args, expected) => {
    const { parts, decided } = deciding();
    expect((await say(["approvals", ...args], { parts })).stdout).toBe("Booked.\n");
    expect(decided).toEqual([expected as never]);
  });

  test("is not decided on with an answer that is no object", async () => {
    const { parts, decided } = deciding();
    expect((await say(["approvals", "approve", "a-1", "--answer", "2"], { parts })).code).toBe(2);
    expect(decided).toEqual([]);
  });

  test("is asked field by field at a terminal, until the values fit", async () => {
    const { parts, decided } = deciding();
    const typed = typing([
      ["[y/N]", "y\n"],
      ["Guests (", "9\n"],
      ["Guests (", "2\n"],
      ["note (", "\n"],
    ]);
    const said = await say(["approvals", "approve", "a-1"], { parts, ...typed });
    expect(said.stderr).toContain("It must be at most 8.");
    expect(decided).toEqual([["a-1", "approve", { answer: { guests: 2 } }]]);
  });

  test("is declined by anything but yes, and dismissed by Ctrl-D", async () => {
    for (const [typed, request] of [
      ["n\n", {}],
      ["\u0004", { cancel: true }],
    ] as const) {
      const { parts, decided } = deciding();
      await say(["approvals", "approve", "a-1"], { parts, ...typing([["[y/N]", typed]]) });
      expect(decided).toEqual([["a-1", "reject", request]]);
    }
  });

  test("is asked in the middle of `argosy run`, and the answer goes on", async () => {
    const decided: [string, string, ApprovalDecision | undefined][] = [];
    const waiting: StreamFrame = {
      type: "approval_required",
      approval_id: "a-1",
      session_id: "s",
      agent: "clerk",
      tool: "lab__book",
      expires_at: approval.expires_at,
      question,
    };
    const parts = daemonParts({
      stream: async function* () {
        yield { type: "token", content: "One moment. " } as StreamFrame;
        yield waiting;
      },
      streamDecision: async function* (id, verdict, request) {
        decided.push([id, verdict, request]);
        yield { type: "token", content: "Booked." } as StreamFrame;
        yield {
          type: "done",
          response: "Booked.",
          session_id: "s",
          trace_id: "t",
          metadata: { provider: "lab", model: "m", tokens_used: 1, latency_ms: 1 },
        } as never;
      },
    });
    const typed = typing([
      ["[y/N]", "y\n"],
      ["Guests (", "3\n"],
      ["note (", "by the door\n"],
    ]);
    const said = await say(["run", "clerk", "a table"], { parts, ...typed });
    expect([said.code, said.stdout]).toEqual([0, "One moment. \nBooked.\n"]);
    expect(decided).toEqual([["a-1", "approve", { answer: { guests: 3, note: "by the door" } }]]);
    const unattended = await say(["run", "clerk", "a table"], { parts });
    expect(unattended.stderr).toContain("argosy approvals approve a-1");
  });
});
