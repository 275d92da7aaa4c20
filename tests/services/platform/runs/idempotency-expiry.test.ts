import { expect, test } from "bun:test";
import { expireApprovals } from "../../../../src/services/platform/runs/decisions/expire-approvals.ts";
import { sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { pausedRun } from "../../../support/paused-run.ts";
import { type PlatformWithAgent, platformWithAgent } from "../../../support/platform-agent.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 24 * 60 * 60 * 1000;

onEachEngine("the key of a run", (engine) => {
  const run = ({ call, owner }: PlatformWithAgent) =>
    call("POST", "/api/v1/agents/support/run", {
      headers: { ...owner.asProgram, "idempotency-key": "k" },
      body: { query: "hi", context: { channel: "echo", sender: "ada" } },
    });
  /** Ends the runs in progress as if their process had died. */
  const interrupt = async ({ deps: { storage }, clock }: PlatformWithAgent) => {
    const { invocations } = storage.tables;
    await storage.transact((tx) => tx.update(invocations).set({ heldUntil: clock.now() }));
    expect(await sweepInterrupted(storage, clock.now())).toBe(1);
  };
  /** The run of the key answers this for a day, then the key begins another run. */
  const expectDay = async (platform: PlatformWithAgent, expected: object) => {
    await platform.clock.advance(dayMs - 1);
    expect(await run(platform)).toMatchObject(expected);
    const before = platform.runtime.runs.length;
    await platform.clock.advance(1);
    expect(await run(platform)).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(platform.runtime.runs).toHaveLength(before + 1);
  };

  test("that was interrupted (503) is free after 24 hours", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(async function* () {
      await interrupt(platform);
      yield ended();
    });
    expect(await run(platform)).toMatchObject({ status: 503, body: { error: "interrupted" } });
    platform.runtime.plays(async function* () {
      yield ended();
    });
    await expectDay(platform, { status: 503, body: { error: "interrupted" } });
  });

  test("whose approval expired (409) is free after 24 hours", async () => {
    await using platform = await pausedRun(engine, {}, "k");
    await platform.clock.advance(dayMs);
    expect(await expireApprovals(platform.deps.storage, platform.clock.now())).toBe(1);
    await expectDay(platform, { status: 409, body: { error: "approval_expired" } });
  });

  test("whose call was rejected after its agent changed (409) is free after 24 hours", async () => {
    await using platform = await pausedRun(engine, {}, "k");
    const { storage } = platform.deps;
    const { agentVersions } = storage.tables;
    const [version] = await storage.read.select().from(agentVersions);
    await storage.transact(async (tx) => {
      await tx.update(storage.tables.agents).set({ currentVersion: 2 });
      if (version) await tx.insert(agentVersions).values({ ...version, number: 2, checksum: "other" });
    });
    const rejected = await platform.decide("reject");
    expect(rejected.body.message).toStartWith("Agent support has changed since the run paused");
    await expectDay(platform, { status: 409, body: rejected.body });
  });

  test("that was interrupted after a decision is 503, no longer waiting", async () => {
    await using platform = await pausedRun(engine, {}, "k");
    platform.runtime.plays(async function* () {
      await interrupt(platform);
      yield ended();
    });
    await platform.decide("approve");
    platform.runtime.plays(async function* () {
      yield ended();
    });
    await expectDay(platform, { status: 503, body: { error: "interrupted" } });
  });

  test("that succeeded answers for 30 days", async () => {
    await using platform = await platformWithAgent(engine);
    const first = await run(platform);
    await platform.clock.advance(30 * dayMs - 1);
    expect((await run(platform)).body).toEqual(first.body);
    await platform.clock.advance(1);
    expect((await run(platform)).body.invocation_id).not.toBe(first.body.invocation_id);
  });
});
