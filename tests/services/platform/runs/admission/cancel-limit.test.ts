import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RunEnded } from "../../../../../src/contracts/runtime/runs.ts";
import { newId } from "../../../../../src/kit/id.ts";
import type { RunAttempt } from "../../../../../src/services/platform/runs/admission/admission.ts";
import { admitInvocation } from "../../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { cancelBound } from "../../../../../src/services/platform/runs/admission/cancel-limit.ts";
import { expireApprovals } from "../../../../../src/services/platform/runs/decisions/expire-approvals.ts";
import { endingAfter } from "../../../../../src/services/platform/runs/settlement/run-outcome.ts";
import { settleInvocation } from "../../../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { asOperator } from "../../../../support/platform.ts";
import {
  countersOf,
  invocationsOf,
  type PlatformWithAgent,
  platformWithAgent,
} from "../../../../support/platform-agent.ts";
import { ended } from "../../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";
const [line] = ended().usage;
if (line === undefined) throw new Error("The staged run uses nothing.");

const ask = ({ call, owner }: PlatformWithAgent) =>
  call("POST", path, { headers: owner.asProgram, body: { query: "hi" } });

/** 2,000 credit micros per run, and the same provider cost. The limit is one hold. */
const limits = { rate: 1000, plan: { creditCapPeriodMicros: 20_000, maxRunTokens: 2000 } };
const used = (tokens: number) => [{ ...line, tokens_in: tokens, tokens_out: 0 }];

const failing = (code: string, status: number, fault?: "caller" | "service"): Partial<RunEnded> => ({
  outcome: "error",
  error: { code, status, message: "It failed.", ...(fault && { fault }) },
});

describe("the bound of a plan", () => {
  test.each<[number | null, number, number | undefined]>([
    [null, 1000, undefined],
    [100_000, 1000, 5000],
    [100_000, 64_000, 64_000],
    [1000, 64_000, 1000],
    [0, 64_000, 0],
  ])("of a cap of %p with a hold of %p is %p", (cap, hold, bound) => {
    expect(cancelBound(cap, hold)).toBe(bound as number);
  });
});

describe("whose doing an end is", () => {
  test.each<[Partial<RunEnded>, Parameters<typeof endingAfter>[2], boolean]>([
    [{ outcome: "cancelled" }, "cancelled", true],
    [{ outcome: "cancelled" }, "timeout", true],
    [{ outcome: "cancelled" }, "shutdown", false],
    [{ ...failing("run_cancelled", 503, "service"), outcome: "cancelled" }, undefined, false],
    [{ outcome: "timeout" }, undefined, true],
    [failing("max_iterations", 422), undefined, true],
    [failing("guardrail_blocked", 422), undefined, true],
    [failing("budget_exceeded", 402), undefined, true],
    [failing("provider_failed", 502, "caller"), undefined, true],
    [failing("provider_failed", 502, "service"), undefined, false],
    [failing("provider_failed", 502), undefined, false],
    [failing("no_provider_available", 503, "service"), undefined, false],
    [failing("internal", 500), undefined, false],
    [{}, undefined, false],
  ])("%j, stopped by %p: the tenant's %p", (change, stopped, expected) => {
    expect(endingAfter(ended(change), undefined, stopped).isTenantsDoing).toBe(expected);
  });
});

onEachEngine("runs that end uncharged", (engine) => {
  test.each<[string, Partial<RunEnded>, boolean]>([
    ["a cancelled run", { outcome: "cancelled" }, true],
    ["a run out of time", { outcome: "timeout" }, true],
    ["a run out of iterations", failing("max_iterations", 422), true],
    ["a run that waits for an approval", { outcome: "awaiting_approval", approval_id: "x" }, true],
    ["a run whose provider failed", failing("provider_failed", 502, "service"), false],
  ])("%s counts towards the limit: %p", async (_, change, counts) => {
    await using platform = await platformWithAgent(engine, limits);
    const { storage } = platform.deps;
    platform.runtime.plays(async function* () {
      const approval = change.outcome === "awaiting_approval" ? { approval_id: newId(), approval: {} } : {};
      yield ended({ ...change, ...approval, usage: used(1900) });
    });
    const codes: (string | undefined)[] = [];
    for (let run = 0; run < 40; run++) {
      const { status, body } = await ask(platform);
      codes.push(status === 202 ? "waits" : (body.error as string));
      await platform.clock.advance(1000);
    }
    if (!counts) {
      expect(codes).not.toContain("cancel_limit");
      return;
    }
    // 190 micros of provider cost each (100 per 1000 tokens): above one hold of 2,000 after the eleventh.
    expect(codes.indexOf("cancel_limit")).toBe(11);
    expect(codes.slice(11).every((code) => code === "cancel_limit")).toBe(true);
    const refused = await platform.call("POST", path, {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    expect(refused.status).toBe(429);
    const left = (Date.parse("2026-04-01T00:00:00Z") - platform.clock.now().getTime()) / 1000;
    expect(Number(refused.headers.get("retry-after"))).toBe(Math.ceil(left));
    const usage = await platform.call("GET", "/api/v1/usage", { headers: platform.owner.asProgram });
    expect(usage.body.credits.uncharged).toEqual({ percent: 104, resets_at: "2026-04-01T00:00:00.000Z" });
    const shown = await platform.call("GET", `/api/v1/admin/tenants/${platform.owner.id}`, {
      headers: asOperator,
    });
    expect(shown.body.credits).toMatchObject({ uncharged_cost_micros: 2090, uncharged_limit_micros: 1000 });
    // The next month starts anew.
    await platform.clock.advance(31 * 86_400_000);
    await expireApprovals(storage, platform.clock.now());
    expect((await ask(platform)).body.error).not.toBe("cancel_limit");
  });

  test("an approval that expires stays counted, in the subscription's scope as well", async () => {
    await using platform = await platformWithAgent(engine, limits);
    const { storage, clock } = platform.deps;
    platform.runtime.plays(async function* () {
      yield ended({ outcome: "awaiting_approval", approval_id: newId(), approval: {}, usage: used(1000) });
    });
    expect((await ask(platform)).status).toBe(202);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, cancelledCostMicros: 0 }]);
    await storage.transact((tx) => tx.update(storage.tables.invocations).set({ subscriptionId: "sub" }));
    await platform.clock.advance(86_400_000);
    expect(await expireApprovals(storage, clock.now())).toBe(1);
    expect(
      (await countersOf(platform)).map(({ scope, cancelledCostMicros }) => [scope, cancelledCostMicros]),
    ).toEqual(
      expect.arrayContaining([
        ["tenant", 100],
        ["sub", 100],
      ]),
    );
    expect(await invocationsOf(platform)).toMatchObject([{ unchargedCostMicros: 100 }]);
  });

  test("for any runs of a tenant, their cost never passes the cap and the bound", async () => {
    const cap = 20_000;
    const hold = 2000;
    const moves = fc.array(
      fc.record({
        move: fc.constantFrom(
          "begin",
          "begin",
          "begin",
          "answer",
          "cancel",
          "time out",
          "pause",
          "resume",
          "expire",
        ),
        share: fc.integer({ min: 1, max: 100 }),
        pick: fc.nat(20),
      }),
      { minLength: 30, maxLength: 120 },
    );
    await using platform = await platformWithAgent(engine, {
      ...limits,
      rate: 1000,
      plan: { ...limits.plan, maxConcurrency: null, maxRpm: null },
    });
    const { storage, clock } = platform.deps;
    const dear = {
      creditsPer1kIn: 1000,
      creditsPer1kOut: 1000,
      providerCostPer1kIn: 1000,
      providerCostPer1kOut: 1000,
    };
    await storage.transact(async (tx) => {
      const [tariff] = await tx.select().from(storage.tables.tariffs);
      if (tariff)
        await tx
          .insert(storage.tables.tariffs)
          .values({ ...tariff, ...dear, id: newId(), effectiveFrom: new Date(1) });
    });
    let refusedByLimit = 0;
    await fc.assert(
      fc.asyncProperty(moves, async (steps) => {
        const tenantId = newId();
        const attempt = (change: Partial<RunAttempt> = {}): RunAttempt => ({
          tenantId,
          invocationId: newId(),
          agent: { id: "a1", name: "support", version: 1, subscriptionId: null },
          sessionId: "s",
          caller: "cli",
          source: null,
          candidates: [{ provider: "lab", model: "test-model" }],
          idempotency: undefined,
          runToken: undefined,
          owner: "p1",
          now: clock.now(),
          timeoutMs: 120_000,
          ...change,
        });
        await storage.transact((tx) =>
          tx.insert(storage.tables.tenantPlans).values({ tenantId, since: new Date(0), planId: "staged" }),
        );
        const under: { id: string; tokens: number; before: number }[] = [];
        const waiting: { id: string; approvalId: string; used: number }[] = [];
        const admit = async (run: RunAttempt) => {
          const verdict = await admitInvocation(storage, run);
          if (verdict.kind === "rejected" && verdict.refusal.code === "cancel_limit") refusedByLimit++;
          return verdict.kind === "admitted" ? verdict.run.hold.tokens : undefined;
        };
        const finish = async (run: (typeof under)[number], share: number, change: object) => {
          under.splice(under.indexOf(run), 1);
          const tokens = Math.floor(((run.tokens - run.before) * share) / 100);
          await settleInvocation(
            storage,
            { tenantId, invocationId: run.id },
            {
              status: "cancelled",
              usage: used(tokens),
              durationMs: 1,
              isCharged: false,
              isTenantsDoing: true,
              ...change,
            },
            clock.now(),
          );
          return run.before + tokens;
        };
        for (const { move, share, pick } of steps) {
          const run = under[pick % Math.max(1, under.length)];
          const paused = waiting[pick % Math.max(1, waiting.length)];
          if (move === "begin") {
            // For several at once, their total cost counts.
            const attempts = [attempt(), attempt(), attempt()];
            const tokens = await Promise.all(attempts.map(admit));
            for (const [index, held] of tokens.entries()) {
              const begun = attempts[index];
              if (begun && held !== undefined)
                under.push({ id: begun.invocationId, tokens: held, before: 0 });
            }
          } else if (move === "resume" && paused !== undefined) {
            const verdict = {
              approvalId: paused.approvalId,
              verdict: "approved" as const,
              comment: undefined,
              decidedBy: "u",
            };
            const resumed = { verdict, usedTokens: paused.used, rejectionId: newId() };
            const held = await admit(attempt({ invocationId: paused.id, resumed }));
            if (held !== undefined) {
              waiting.splice(waiting.indexOf(paused), 1);
              under.push({ id: paused.id, tokens: held, before: paused.used });
            }
          } else if (run !== undefined && move === "answer") {
            await finish(run, share, { status: "ok", isCharged: true, isTenantsDoing: false });
          } else if (run !== undefined && move === "pause") {
            const approvalId = newId();
            const all = await finish(run, share, {
              status: "awaiting_approval",
              isTenantsDoing: false,
              asked: { id: approvalId, asked: "x" },
            });
            waiting.push({ id: run.id, approvalId, used: all });
          } else if (run !== undefined && (move === "cancel" || move === "time out")) {
            await finish(run, share, { status: move === "cancel" ? "cancelled" : "timeout" });
          }
          const rows = (await invocationsOf(platform)).filter((row) => row.tenantId === tenantId);
          const cost = rows.reduce((sum, row) => sum + row.providerCostMicros, 0);
          expect(cost).toBeLessThanOrEqual(cap + Math.max(cap * 0.05, hold) + hold);
        }
        const [counter] = (await countersOf(platform)).filter((row) => row.tenantId === tenantId);
        const rows = (await invocationsOf(platform)).filter((row) => row.tenantId === tenantId);
        const uncharged = rows.filter(({ status }) => status === "cancelled" || status === "timeout");
        expect(counter?.cancelledCostMicros ?? 0).toBe(
          uncharged.reduce((sum, row) => sum + row.providerCostMicros, 0),
        );
      }),
      { numRuns: 10 },
    );
    expect(refusedByLimit).toBeGreaterThan(0);
  });

  test("a 402 says what the run may cost, what is left and what to do", async () => {
    await using platform = await platformWithAgent(engine, {
      rate: 6_000_000,
      plan: { creditCapPeriodMicros: 5_000_000, maxRunTokens: 2000 },
    });
    expect(await ask(platform)).toMatchObject({
      status: 402,
      body: {
        error: "credit_budget_exhausted",
        message:
          "This run may cost up to 12 credits, but 5 of 5 credits are left this month. Lower max_run_tokens or choose a larger plan.",
      },
    });
  });
});
