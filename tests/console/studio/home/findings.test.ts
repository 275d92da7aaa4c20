import { expect, test } from "bun:test";
import { findingsOf } from "../../../../src/console/studio/home/findings.ts";
import type { Approval } from "../../../../src/contracts/daemon/runs/approvals.ts";

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

test("waiting calls come first, then what is failing, then what is degraded", () => {
  const found = findingsOf({
    approvals: [approval],
    checks: [
      { name: "clock", status: "degraded", message: "late" },
      { name: "disk", status: "failing", message: "full" },
      { name: "storage", status: "healthy", message: "fine" },
    ],
  });
  expect(found.map(({ tone, title, href }) => [tone, title, href])).toEqual([
    ["warn", "desk wants to call send_email", "/studio/approvals?id=a%2F1"],
    ["bad", "disk", "/studio/doctor"],
    ["warn", "clock", "/studio/doctor"],
  ]);
});

test("each agent and provider that a check names is a finding of its own, in the doctor's words and severity", () => {
  const found = findingsOf({
    checks: [
      {
        name: "agents",
        status: "degraded",
        message: "bad: no worse: none",
        findings: [
          { subject: "bad", message: "no" },
          { subject: "worse", message: "none" },
        ],
      },
      {
        name: "providers",
        status: "failing",
        message: "lab does not answer",
        findings: [{ subject: "lab", message: "lab does not answer", mend: "start it" }],
      },
    ],
  });
  expect(found).toEqual([
    { tone: "bad", title: "lab", text: "lab does not answer", href: "/studio/models" },
    { tone: "warn", title: "bad", text: "no", href: "/studio/agents/bad" },
    { tone: "warn", title: "worse", text: "none", href: "/studio/agents/worse" },
  ]);
});

test("nothing is found where nothing is known yet", () => {
  expect(findingsOf({})).toEqual([]);
});
