import { expect, test } from "bun:test";
import type { WorkspaceChange } from "../../src/contracts/platform/workspace.ts";
import { type ApplyNotice, applyWorkspace } from "../../src/declared/apply-workspace.ts";
import type { MadeWorkspacePlan } from "../../src/declared/plan-workspace.ts";
import type { WorkspaceKind, WorkspaceTarget } from "../../src/declared/workspace-kind.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { HastyClock } from "../support/hasty-clock.ts";

/** A plan that creates one agent by a kind whose creation throws these errors, one after the other, and then succeeds. */
function stage(errors: AppError[]) {
  const changes: WorkspaceChange[] = [];
  const target = {
    tenantId: "t",
    control: {
      changeWorkspace: async (_tenant: string, change: WorkspaceChange) => {
        changes.push(change);
        return { revision: change.revision + 1 };
      },
    },
  } as unknown as WorkspaceTarget;
  const kind: WorkspaceKind = {
    type: "platform.agent",
    observe: async () => [],
    async create() {
      const error = errors.shift();
      if (error !== undefined) throw error;
    },
    async update() {},
    async delete() {},
  };
  const declared = { type: kind.type, name: "a", file: "a", config: { x: 1 }, secrets: new Map(), needs: [] };
  const change = { action: "create" as const, resource: "a", resource_type: kind.type, fields: [] };
  const plan = { tenant: { id: "t", name: "t" }, hash: "h", changes: [change], conflicts: [], notes: [] };
  const made: MadeWorkspacePlan = {
    plan,
    steps: [{ kind, action: "create", declared, change }],
    revision: 4,
    toRecord: [],
    toForget: [],
  };
  const told: ApplyNotice[] = [];
  const clock = new HastyClock();
  const apply = () =>
    applyWorkspace(target, made, {
      clock,
      signal: new AbortController().signal,
      told: (progress) => told.push(progress),
    });
  return { apply, changes, told, clock };
}

const putOff = (seconds: number) =>
  new AppError("rate_limited", "rate_limited", "At most 120 changes.", {
    details: { retryAfterSeconds: seconds },
  });

test("a change that the platform postpones is repeated after the time that it names, and the output says so", async () => {
  const { apply, told, clock } = stage([putOff(17), putOff(3)]);
  expect((await apply()).map(({ status }) => status)).toEqual(["done"]);
  expect(clock.waits).toEqual([17_000, 3_000]);
  expect(told.map(({ at }) => at)).toEqual(["begin", "wait", "wait", "end"]);
});

test("a longer wait than two minutes, and a sixth refusal, are failures with the platform's words", async () => {
  for (const errors of [[putOff(121)], Array.from({ length: 6 }, () => putOff(1))]) {
    const [result] = await stage(errors).apply();
    expect(result).toMatchObject({
      status: "failed",
      error: "rate_limited",
      message: "At most 120 changes.",
    });
  }
});

test("a create is recorded before it is tried; a refused one leaves no record, one without an answer keeps it", async () => {
  const recordsAfter = async (error: AppError) => {
    const { apply, changes } = stage([error]);
    await apply();
    expect(changes[0]).toMatchObject({ revision: 4, put: [{ name: "a", applied: { pending: true } }] });
    return changes.slice(1).map(({ put, drop }) => [put.length, drop.length]);
  };
  expect(await recordsAfter(new AppError("conflict", "agent_exists", "It exists."))).toEqual([[0, 1]]);
  expect(await recordsAfter(new AppError("upstream_failed", "gone", "No answer."))).toEqual([]);
});
