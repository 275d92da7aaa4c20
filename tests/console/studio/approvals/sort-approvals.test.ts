import { expect, test } from "bun:test";
import { sortApprovals } from "../../../../src/console/studio/approvals/sort-approvals.ts";
import type { Approval, ApprovalStatus } from "../../../../src/contracts/daemon/runs/approvals.ts";

const approval = (id: string, status: ApprovalStatus, minute: number): Approval => ({
  id,
  agent: "clerk",
  session_id: "s",
  tool: "t",
  input: {},
  status,
  created_at: new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString(),
  expires_at: "2026-03-02T00:00:00.000Z",
});
const ids = (approvals: readonly Approval[]) => approvals.map(({ id }) => id);

test("what waits comes first, the newest first", () => {
  const listed = [approval("new", "approved", 9), approval("w1", "pending", 1), approval("w2", "pending", 5)];
  expect(ids(sortApprovals(listed, []))).toEqual(["w2", "w1", "new"]);
});

test("what was decided here stays in its place, also when the list has it no more", () => {
  const [first, second] = [approval("w1", "pending", 1), approval("w2", "pending", 5)];
  expect(ids(sortApprovals([second], [first]))).toEqual(["w2", "w1"]);
  const decided = approval("w2", "approved", 5);
  const shown = sortApprovals([approval("old", "rejected", 9), decided], [second]);
  expect(ids(shown)).toEqual(["w2", "old"]);
  expect(shown[0]?.status).toBe("approved");
});
