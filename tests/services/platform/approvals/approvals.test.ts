import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { expireApprovals } from "../../../../src/services/platform/runs/decisions/expire-approvals.ts";
import { sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { pausedRun, pausing } from "../../../support/paused-run.ts";
import {
  addPlatformAgent,
  countersOf,
  invocationsOf,
  type PlatformWithAgent,
  platformWithAgent,
} from "../../../support/platform-agent.ts";
import { openRunSocket } from "../../../support/platform-stream.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";
const dayMs = 24 * 60 * 60 * 1000;

const listOf = async (platform: PlatformWithAgent, query = "") =>
  (await platform.call("GET", `/api/v1/approvals${query}`, { headers: platform.owner.asProgram })).body
    .approvals;

onEachEngine("approvals", (engine) => {
  test("a run that pauses is 202, gives its hold and its place back, and is listed", async () => {
    await using platform = await pausedRun(engine, { rate: 1000, plan: { maxConcurrency: 1 } });
    const [run] = await invocationsOf(platform);
    expect(platform.paused).toMatchObject({
      status: 202,
      body: { invocation_id: run?.id, status: "awaiting_approval", approval_id: expect.any(String) },
    });
    expect(run).toMatchObject({
      status: "awaiting_approval",
      chargedMicros: 0,
      heldUntil: null,
      tokensIn: 100,
    });
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 0 }]);
    expect(await listOf(platform)).toEqual([
      {
        id: platform.paused.body.approval_id,
        invocation_id: run?.id,
        agent: "support",
        session_id: run?.sessionId,
        tool: "refund",
        input: { order: 7 },
        status: "pending",
        created_at: "2026-03-10T12:00:00.000Z",
        expires_at: "2026-03-11T12:00:00.000Z",
      },
    ]);
    const other = await platform.call("POST", path, {
      headers: platform.owner.asProgram,
      body: { query: "hi" },
    });
    expect(other.status).toBe(200);
    expect(await sweepInterrupted(platform.deps.storage, new Date(Date.parse("2027-01-01")))).toBe(0);
  });

  test("what is asked for is sealed at rest", async () => {
    await using platform = await pausedRun(engine);
    const { storage } = platform.deps;
    const [row] = await storage.read.select().from(storage.tables.approvals);
    expect(row?.asked).toStartWith("v1.k1.");
  });

  test.each(["approve", "reject"])(
    "%s lets it go on under the same invocation; what it used adds up",
    async (verdict) => {
      await using platform = await pausedRun(engine);
      const answer = await platform.decide(verdict, { comment: "as agreed" });
      const { invocation_id } = platform.paused.body;
      expect(answer).toMatchObject({
        status: 200,
        body: {
          invocation_id,
          status: "ok",
          usage: { tokens_in: 200, tokens_out: 40, by_model: [{ tokens_in: 200, tokens_out: 40 }] },
          credits_charged_micros: 240,
        },
      });
      expect(await invocationsOf(platform)).toMatchObject([
        { id: invocation_id, status: "ok", chargedMicros: 240 },
      ]);
      expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 240 }]);
      const past = verdict === "approve" ? "approved" : "rejected";
      expect(platform.runtime.decisions).toMatchObject([
        {
          id: platform.paused.body.approval_id,
          decision: {
            run_id: invocation_id,
            verdict: past,
            comment: "as agreed",
            limits: { total_tokens: 64_000 - 120 },
          },
        },
      ]);
      expect(await listOf(platform)).toMatchObject([{ status: past, comment: "as agreed" }]);
      expect(await listOf(platform, "?status=pending")).toEqual([]);
    },
  );

  test("of many decisions the first one counts", async () => {
    await using platform = await pausedRun(engine);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => platform.decide(index % 2 === 0 ? "approve" : "reject")),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(platform.runtime.decisions).toHaveLength(1);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 240 }]);
  });

  test("a run may pause again, and be decided on again", async () => {
    await using platform = await pausedRun(engine);
    const next = newId();
    platform.runtime.plays(async function* () {
      yield pausing(next);
    });
    expect(await platform.decide("approve")).toMatchObject({ status: 202, body: { approval_id: next } });
    platform.runtime.plays(async function* () {
      yield ended();
    });
    const answer = await platform.call("POST", `/api/v1/approvals/${next}/approve`, {
      headers: platform.owner.asPerson,
      body: {},
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { usage: { tokens_in: 300 }, credits_charged_micros: 360 },
    });
    expect((await listOf(platform)).map(({ status }: { status: string }) => status)).toEqual([
      "approved",
      "approved",
    ]);
  });

  test("resuming is admitted anew: after a 429 the run keeps waiting and the refusal is on record", async () => {
    await using platform = await pausedRun(engine, { rate: 1000, plan: { maxRpm: 1 } });
    const refused = await platform.decide("approve");
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect((await invocationsOf(platform)).map(({ status }) => status)).toEqual([
      "awaiting_approval",
      "rejected",
    ]);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0 }]);
    await platform.clock.advance(60_000);
    expect(await platform.decide("approve")).toMatchObject({ status: 200 });
  });

  test("a resumed run without credits for all that it uses is 402", async () => {
    const plan = { creditCapPeriodMicros: 2100, maxRunTokens: 64_000 };
    await using platform = await pausedRun(engine, { rate: 1000, plan });
    expect(await platform.decide("approve")).toMatchObject({ status: 402 });
    expect(platform.runtime.decisions).toEqual([]);
  });

  test("an undecided run ends after 24 hours, not charged, with the cost of a cancelled run; a decision then is 409", async () => {
    await using platform = await pausedRun(engine, { rate: 1000 }, "k");
    const { storage, clock } = platform.deps;
    expect(await expireApprovals(storage, new Date(clock.now().getTime() + dayMs - 1))).toBe(0);
    await platform.clock.advance(dayMs);
    expect(await platform.decide("approve")).toMatchObject({
      status: 409,
      body: { error: "approval_expired" },
    });
    expect(await expireApprovals(storage, clock.now())).toBe(1);
    expect(await expireApprovals(storage, clock.now())).toBe(0);
    expect(await invocationsOf(platform)).toMatchObject([
      { status: "error", errorCode: "approval_expired", chargedMicros: 0 },
    ]);
    expect(await countersOf(platform)).toMatchObject([
      { heldMicros: 0, chargedMicros: 0, cancelledCostMicros: 12 },
    ]);
    expect(await platform.decide("reject")).toMatchObject({
      status: 409,
      body: { error: "approval_expired" },
    });
    const replayed = await platform.call("POST", path, {
      headers: { ...platform.owner.asProgram, "idempotency-key": "k" },
      body: { query: "hi", context: { channel: "echo", sender: "ada" } },
    });
    expect(replayed).toMatchObject({ status: 409, body: { error: "approval_expired" } });
  });

  test("its key answers that it waits, and what it came to after the decision", async () => {
    await using platform = await pausedRun(engine, { rate: 1000 }, "k");
    const again = () =>
      platform.call("POST", path, {
        headers: { ...platform.owner.asProgram, "idempotency-key": "k" },
        body: { query: "hi", context: { channel: "echo", sender: "ada" } },
      });
    expect(await again()).toMatchObject({ status: 202, body: platform.paused.body });
    const answer = await platform.decide("approve");
    expect((await again()).body).toEqual(answer.body);
  });

  test("an agent that has changed is 409; the same version again can be resumed", async () => {
    await using platform = await pausedRun(engine);
    const { storage } = platform.deps;
    const { agentVersions } = storage.tables;
    const [version] = await storage.read.select().from(agentVersions);
    const append = (number: number, checksum: string) =>
      storage.transact(async (tx) => {
        await tx.update(storage.tables.agents).set({ currentVersion: number });
        if (version) await tx.insert(agentVersions).values({ ...version, number, checksum });
      });
    await append(2, "other");
    expect(await platform.decide("approve")).toMatchObject({ status: 409, body: { error: "agent_changed" } });
    await append(3, version?.checksum ?? "");
    expect(await platform.decide("approve")).toMatchObject({ status: 200 });
  });

  test("rejecting a changed or deleted agent's call ends the run, not charged; approving it is 409", async () => {
    await using platform = await pausedRun(engine, { rate: 1000 }, "k");
    const { owner, call } = platform;
    expect((await call("DELETE", "/api/v1/agents/support", { headers: owner.asProgram })).status).toBe(204);
    // A new agent of the same name is not the deleted one.
    await addPlatformAgent(platform, owner, "support");
    const deleted = "Agent support was deleted after the run paused, so the run can't resume.";
    const approved = await platform.decide("approve");
    expect(approved).toMatchObject({ status: 409, body: { error: "agent_changed" } });
    expect(approved.body.message).toStartWith(deleted);
    expect(approved.body.message).not.toContain("Restore");
    expect(await invocationsOf(platform)).toMatchObject([{ status: "awaiting_approval" }]);
    const ended = `${deleted} The call is rejected, and the run has ended without a charge.`;
    const refused = { status: 409, body: { error: "agent_changed", message: ended } };
    expect(await platform.decide("reject", { comment: "no" })).toMatchObject(refused);
    expect(await invocationsOf(platform)).toMatchObject([
      { status: "error", errorCode: "agent_changed", chargedMicros: 0 },
    ]);
    expect(await countersOf(platform)).toMatchObject([
      { heldMicros: 0, chargedMicros: 0, cancelledCostMicros: 12 },
    ]);
    expect(await listOf(platform)).toMatchObject([{ status: "rejected", comment: "no" }]);
    expect(await platform.decide("reject")).toMatchObject({ body: { error: "approval_decided" } });
    expect(platform.runtime.decisions).toEqual([]);
  });

  test.each(["agent_changed", "approval_not_found", "approval_decided"])(
    "what the runtime can't go on with (%s) is 409 and ends the run, not charged",
    async (code) => {
      await using platform = await pausedRun(engine);
      platform.runtime.decide = () => {
        throw new AppError("conflict", code, "It can't go on.");
      };
      expect(await platform.decide("approve")).toMatchObject({ status: 409, body: { error: code } });
      expect(await invocationsOf(platform)).toMatchObject([
        { status: "error", errorCode: code, chargedMicros: 0 },
      ]);
      expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 0 }]);
    },
  );

  test("a runtime that has lost the agent is given it before the decision", async () => {
    await using platform = await pausedRun(engine);
    const { decide } = platform.runtime;
    platform.runtime.agents.clear();
    platform.runtime.decide = (id, decision) => {
      if (platform.runtime.agents.size > 0) return decide(id, decision);
      throw new AppError("not_found", "agent_not_found", "The agent of this approval is not registered.");
    };
    expect(await platform.decide("approve")).toMatchObject({ status: 200 });
  });

  test("the token of the resumed run reaches what the first one did", async () => {
    await using platform = await pausedRun(engine);
    let reach: unknown;
    const { storage } = platform.deps;
    platform.runtime.plays(async function* () {
      [reach] = (await storage.read.select().from(storage.tables.runTokens)).map((token) => token.reach);
      yield ended();
    });
    await platform.decide("approve");
    expect(reach).toMatchObject({ channel: "echo", sender: "ada" });
    expect(await storage.read.select().from(storage.tables.runTokens)).toEqual([]);
  });

  test("a stream ends with approval_required, once", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(async function* () {
      const asked = {
        approval_id: "a1",
        session_id: "s",
        agent: "t__support",
        tool: "refund",
        expires_at: "x",
      };
      yield { type: "approval_required", ...asked };
      yield pausing("a1");
    });
    const socket = await openRunSocket(platform.url, `${path}/stream?query=hi`, platform.owner.asProgram);
    const [run] = await invocationsOf(platform);
    expect(await socket.rest()).toMatchObject([
      {
        type: "approval_required",
        approval_id: "a1",
        status: "awaiting_approval",
        session_id: expect.any(String),
      },
    ]);
    expect(run).toBeDefined();
  });

  test("what is another tenant's is 404, and without a credential 401", async () => {
    await using platform = await pausedRun(engine);
    const stranger = await platform.tenant();
    for (const verdict of ["approve", "reject"]) {
      const foreign = await platform.decide(verdict, {}, stranger.asProgram);
      const missing = await platform.call("POST", `/api/v1/approvals/${newId()}/${verdict}`, {
        headers: stranger.asProgram,
        body: {},
      });
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    }
    const list = await platform.call("GET", "/api/v1/approvals", { headers: stranger.asProgram });
    expect(list).toMatchObject({ status: 200, body: { approvals: [] } });
    expect(await platform.call("GET", "/api/v1/approvals")).toMatchObject({ status: 401 });
    expect(await platform.decide("approve", {}, {})).toMatchObject({ status: 401 });
  });
});
