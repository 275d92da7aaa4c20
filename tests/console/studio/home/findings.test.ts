import { expect, test } from "bun:test";
import { findingsOf } from "../../../../src/console/studio/home/findings.ts";
import type { AgentSummary } from "../../../../src/contracts/daemon/agents.ts";
import type { Approval } from "../../../../src/contracts/daemon/approvals.ts";
import type { Provider } from "../../../../src/contracts/daemon/providers.ts";

const agent = (name: string, rest: Partial<AgentSummary>): AgentSummary => ({
  name,
  description: "",
  model: "",
  orchestration: "react",
  pattern: "react",
  status: "ready",
  ...rest,
});

const provider = (name: string, rest: Partial<Provider>): Provider => ({
  name,
  type: name,
  configured: "file",
  local: false,
  status: "healthy",
  models: [],
  circuits: [],
  ...rest,
});

const approval: Approval = {
  id: "a/1",
  agent: "desk",
  session_id: "s",
  tool: "send_email",
  input: {},
  status: "pending",
  created_at: "2026-01-01T00:00:00Z",
  expires_at: "2026-01-02T00:00:00Z",
};

test("what keeps people waiting stands first, then what is broken, then what limps", () => {
  const found = findingsOf({
    agents: [
      agent("well", {}),
      agent("old", { error: "newest file refused" }),
      agent("bad", { status: "failed", error: "no" }),
    ],
    approvals: [approval],
    providers: [
      provider("slow", { status: "degraded" }),
      provider("gone", { status: "unavailable", reason: "connection refused" }),
      provider("idle", { status: "unused" }),
    ],
    checks: [
      { name: "disk", status: "failing", message: "full" },
      { name: "clock", status: "degraded", message: "late" },
      { name: "storage", status: "healthy", message: "fine" },
    ],
  });
  expect(found.map(({ tone, href }) => [tone, href])).toEqual([
    ["warn", "/studio/approvals?id=a%2F1"],
    ["bad", "/studio/agents/bad"],
    ["bad", "/studio/models"],
    ["bad", "/studio/doctor"],
    ["warn", "/studio/agents/old"],
    ["warn", "/studio/models"],
    ["warn", "/studio/doctor"],
  ]);
  expect(found[2]?.text).toBe("connection refused");
});

test("agents are not told of twice, by themselves and by the doctor", () => {
  const checks = [{ name: "agents", status: "degraded" as const, message: "bad: no" }];
  expect(findingsOf({ agents: [agent("bad", { status: "failed", error: "no" })], checks })).toHaveLength(1);
});

test("nothing is found where nothing is known yet", () => {
  expect(findingsOf({})).toEqual([]);
});
