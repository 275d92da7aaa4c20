import { describe, expect, test } from "bun:test";
import type { ApprovalQuery } from "../../../src/contracts/daemon/client.ts";
import type { Approval } from "../../../src/contracts/daemon/runs/approvals.ts";
import { approvalAwaited } from "../../../src/contracts/daemon/runs/ended-run.ts";
import type { StreamFrame } from "../../../src/contracts/daemon/runs/run.ts";
import { daemonParts, say } from "../recording-shell.ts";

const approval: Approval = {
  id: "a-1",
  agent: "clerk",
  session_id: "s",
  tool: "send_email",
  input: { to: "ada@example.org" },
  status: "pending",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
};

const awaited = {
  approval_id: "a-1",
  session_id: "s",
  agent: "clerk",
  tool: "send_email",
  expires_at: "2026-01-02T00:00:00.000Z",
};

describe("approvals", () => {
  test("lists what was asked for, with and without `list`", async () => {
    const asked: ApprovalQuery[] = [];
    const parts = daemonParts({
      listApprovals: async (query) => {
        asked.push(query ?? {});
        return { approvals: [approval] };
      },
    });
    const plain = await say(["approvals"], { parts });
    expect(plain.stdout.split("\n")[1]?.split(/ {2,}/)).toEqual([
      "a-1",
      "clerk",
      "send_email",
      "pending",
      "2026-01-01T00:00:00.000Z",
      '{"to":"ada@example.org"}',
    ]);
    await say(["approvals", "list", "--status", "pending", "--agent", "clerk", "--limit", "3"], { parts });
    expect(asked).toEqual([{}, { status: "pending", agent: "clerk", limit: 3 }]);
    for (const wrong of [
      ["--status", "open"],
      ["--limit", "0"],
    ]) {
      expect((await say(["approvals", "list", ...wrong], { parts })).code).toBe(2);
    }
  });

  test("shows one with what became of its run", async () => {
    const parts = daemonParts({
      getApproval: async () => ({ ...approval, status: "failed", error: { code: "x", message: "Broken." } }),
    });
    const said = await say(["approvals", "show", "a-1"], { parts });
    expect(said.stdout).toContain("x: Broken.");
  });

  test.each(["approve", "reject"] as const)("%s prints the answer of the run", async (verdict) => {
    const decisions: unknown[] = [];
    const parts = daemonParts({
      decideApproval: async (...given) => {
        decisions.push(given.slice(0, 3));
        return { response: "Sent." } as never;
      },
    });
    const said = await say(["approvals", verdict, "a-1", "--comment", "go"], { parts });
    expect(said).toMatchObject({ code: 0, stdout: "Sent.\n" });
    expect(decisions).toEqual([["a-1", verdict, { comment: "go" }]]);
  });

  test("a decision whose run waits again says for what, and fails", async () => {
    const parts = daemonParts({ decideApproval: () => Promise.reject(approvalAwaited(awaited)) });
    const said = await say(["approvals", "approve", "a-0"], { parts });
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("argosy approvals approve a-1");
  });
});

test("run says what it waits for and how to approve it, and fails, as there is no answer", async () => {
  async function* stream(): AsyncGenerator<StreamFrame, void> {
    yield { type: "token", content: "Sending." };
    yield { type: "approval_required", ...awaited };
  }
  const parts = daemonParts({ stream });
  const said = await say(["run", "clerk", "send"], { parts });
  expect(said).toMatchObject({ code: 1, stdout: "Sending.\n" });
  expect(said.stderr).toContain("send_email");
  expect(said.stderr).toContain("argosy approvals approve a-1");
  const frames = await say(["run", "clerk", "send", "--json", "--stream"], { parts });
  expect(frames.code).toBe(1);
  expect(
    frames.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type),
  ).toEqual(["token", "approval_required"]);
});
