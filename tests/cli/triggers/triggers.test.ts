import { expect, test } from "bun:test";
import type { Fire, TriggerSummary } from "../../../src/contracts/daemon/triggers.ts";
import { daemonParts, say } from "../recording-shell.ts";

const fire: Fire = {
  id: "f-1",
  agent: "clerk",
  trigger: "morning",
  type: "schedule",
  status: "failed",
  by: "event",
  due_at: "2026-01-01T08:00:00.000Z",
  created_at: "2026-01-01T08:00:00.000Z",
  error: { code: "agent_paused", message: "Agent clerk is paused." },
};

const morning: TriggerSummary = {
  agent: "clerk",
  name: "morning",
  type: "schedule",
  paused: false,
  agent_paused: false,
  about: "0 9 * * *",
  timezone: "Europe/Madrid",
  next_at: "2026-01-02T08:00:00.000Z",
  last_fire: fire,
};

const cells = (text: string, line: number) => text.split("\n")[line]?.split(/ {2,}/);

test("lists triggers with what fires them, when, and how that ended", async () => {
  const parts = daemonParts({ listTriggers: async () => ({ triggers: [morning] }) });
  const { stdout } = await say(["triggers"], { parts });
  expect(cells(stdout, 1)).toEqual([
    "clerk",
    "morning",
    "schedule",
    "0 9 * * * (Europe/Madrid)",
    "active",
    "2026-01-02T08:00:00.000Z",
    "failed",
  ]);
  const json = await say(["triggers", "--json"], { parts });
  expect(JSON.parse(json.stdout)).toEqual({ triggers: [morning] });
});

test("says where triggers are declared if there are none", async () => {
  const parts = daemonParts({ listTriggers: async () => ({ triggers: [] }) });
  expect((await say(["triggers"], { parts })).stderr).toContain("spec.triggers");
});

test("pauses and resumes a trigger", async () => {
  const asked: string[] = [];
  const parts = daemonParts({
    pauseTrigger: async (agent, name) => {
      asked.push(`pause ${agent}/${name}`);
      return { ...morning, paused: true };
    },
    resumeTrigger: async (agent, name) => {
      asked.push(`resume ${agent}/${name}`);
      return morning;
    },
  });
  expect((await say(["triggers", "pause", "clerk", "morning"], { parts })).stderr).toContain("paused");
  expect((await say(["triggers", "resume", "clerk", "morning"], { parts })).stderr).toContain("active");
  expect(asked).toEqual(["pause clerk/morning", "resume clerk/morning"]);
});

test("fires a trigger with a payload and a key, and refuses a payload that is not JSON", async () => {
  const asked: unknown[] = [];
  const parts = daemonParts({
    fireTrigger: async (agent, name, request) => {
      asked.push([agent, name, request]);
      return { ...fire, status: "queued" };
    },
  });
  const fired = ["triggers", "fire", "clerk", "morning", "--payload", '{"id":1}', "--key", "k"];
  expect((await say(fired, { parts })).stderr).toContain("f-1");
  await say(["triggers", "fire", "clerk", "morning", "--payload", "null"], { parts });
  expect((await say(["triggers", "fire", "clerk", "morning", "--payload", "{"], { parts })).code).toBe(2);
  expect(asked).toEqual([
    ["clerk", "morning", { payload: { id: 1 }, key: "k" }],
    ["clerk", "morning", { payload: null }],
  ]);
});

test("lists fires with their errors", async () => {
  const parts = daemonParts({ listFires: async () => ({ fires: [fire] }) });
  const { stdout } = await say(["triggers", "fires", "clerk", "morning"], { parts });
  expect(stdout).toContain("agent_paused: Agent clerk is paused.");
});
