import { expect, test } from "bun:test";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import type { ApprovalState } from "../../../src/services/daemon/paused-runs/schema.ts";
import {
  claimApproval,
  closeRejected,
  endApproval,
  expireApprovals,
  failAbandoned,
  findApproval,
  forgetApprovals,
  holdApprovals,
  insertApproval,
  listApprovals,
  type NewApproval,
  pruneApprovals,
  releaseApproval,
} from "../../../src/services/daemon/paused-runs/store.ts";
import { type DaemonTables, tables } from "../../../src/services/daemon/tables.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

const asked = (id: string, more: Partial<NewApproval> = {}): NewApproval => ({
  id,
  kind: "approval",
  agent: "helper",
  sessionId: "s",
  fingerprint: "f",
  asked: "sealed",
  run: "sealed",
  createdAt: at(0),
  expiresAt: at(60),
  ...more,
});

const approve = (owner = "me", minute = 1) => ({
  status: "approved" as const,
  comment: null,
  owner,
  now: at(minute),
  heldUntil: at(minute + 2),
});

type Step = (storage: Storage<DaemonTables>) => Promise<unknown>;

const steps = {
  approve: (storage) => claimApproval(storage, "t", "a", approve()),
  approveLate: (storage) => claimApproval(storage, "t", "a", approve("me", 60)),
  approveAsOther: (storage) => claimApproval(storage, "t", "a", approve("other")),
  foreign: (storage) => claimApproval(storage, "other", "a", approve()),
  release: (storage) => releaseApproval(storage, "t", "a", "me"),
  releaseAsOther: (storage) => releaseApproval(storage, "t", "a", "other"),
  close: (storage) => closeRejected(storage, "t", "a", { now: at(1), comment: null }),
  end: (storage) => endApproval(storage, "t", "a", { owner: "me", now: at(2), outcome: "o" }),
  fail: (storage) => endApproval(storage, "t", "a", { owner: "me", now: at(2), outcome: "o", failed: true }),
  endAsOther: (storage) => endApproval(storage, "t", "a", { owner: "other", now: at(2), outcome: "o" }),
  again: (storage) => endApproval(storage, "t", "a", { owner: "me", now: at(2), outcome: null }, asked("b")),
  expireEarly: (storage) => expireApprovals(storage, at(59)),
  expire: (storage) => expireApprovals(storage, at(60)),
  abandonEarly: (storage) => failAbandoned(storage, at(3), at(3)),
  hold: (storage) => holdApprovals(storage, "me", ["a"], at(50)),
  abandon: (storage) => failAbandoned(storage, at(4), at(4)),
  abandonAll: (storage) => failAbandoned(storage, at(1), undefined),
} satisfies Record<string, Step>;

onEachEngine("the states of an approval", (engine) => {
  const cases: [path: (keyof typeof steps)[], status: ApprovalState, goesOn: boolean][] = [
    [[], "pending", true],
    [["approve"], "approved", true],
    [["approve", "approveAsOther", "end"], "approved", false],
    [["approveLate"], "pending", true],
    [["foreign"], "pending", true],
    [["approve", "release"], "pending", true],
    [["approve", "releaseAsOther"], "approved", true],
    [["approve", "endAsOther"], "approved", true],
    [["approve", "end", "release"], "approved", false],
    [["approve", "fail"], "failed", false],
    [["approve", "again"], "approved", false],
    [["end"], "pending", true],
    [["close"], "rejected", false],
    [["approve", "close"], "approved", true],
    [["close", "approve"], "rejected", false],
    [["expireEarly"], "pending", true],
    [["expire"], "expired", false],
    [["expire", "approve"], "expired", false],
    [["approve", "expire"], "approved", true],
    [["approve", "abandonEarly"], "approved", true],
    [["approve", "abandon"], "failed", false],
    [["approve", "hold", "abandon"], "approved", true],
    [["approve", "abandonAll"], "failed", false],
    [["abandonAll"], "pending", true],
    [["close", "abandonAll"], "rejected", false],
    [["approve", "end", "abandonAll"], "approved", false],
    [["approve", "abandonAll", "end"], "failed", false],
  ];
  test.each(cases)("%j leads to %s", async (path, status, goesOn) => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    await insertApproval(storage, "t", asked("a"));
    for (const name of path) await steps[name](storage);
    const row = await findApproval(storage, "t", "a");
    expect(row?.status).toBe(status);
    // The paused run is kept only as long as it can resume.
    expect(row?.run !== null).toBe(goesOn);
    expect((await findApproval(storage, "t", "b"))?.status).toBe(
      path.includes("again") ? "pending" : undefined,
    );
  });
});

onEachEngine("approvals", (engine) => {
  test("one of many decisions at once is taken", async () => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    await insertApproval(storage, "t", asked("a"));
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, index) => claimApproval(storage, "t", "a", approve(`p${index}`))),
    );
    const [taken, ...others] = claims.filter((claim) => claim !== undefined);
    expect(others).toEqual([]);
    expect((await findApproval(storage, "t", "a"))?.owner).toBe(taken?.owner ?? "nobody");
  });

  test("are listed newest first, by state and agent, each tenant's own", async () => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    await insertApproval(storage, "t", asked("a", { createdAt: at(1) }));
    await insertApproval(storage, "t", asked("b", { createdAt: at(2), agent: "clerk" }));
    await insertApproval(storage, "t", asked("c", { createdAt: at(3) }));
    await insertApproval(storage, "u", asked("d", { createdAt: at(4) }));
    await claimApproval(storage, "t", "a", approve());
    const ids = async (query: Parameters<typeof listApprovals>[3]) =>
      (await listApprovals(storage, "t", "approval", query)).map(({ id }) => id);
    expect(await ids({ limit: 10 })).toEqual(["c", "b", "a"]);
    expect(await ids({ limit: 2 })).toEqual(["c", "b"]);
    expect(await ids({ limit: 10, status: "pending" })).toEqual(["c", "b"]);
    expect(await ids({ limit: 10, agent: "helper" })).toEqual(["c", "a"]);
    expect(await findApproval(storage, "t", "d")).toBeUndefined();
    await insertApproval(storage, "t", asked("e", { kind: "tool_call" }));
    expect(await ids({ limit: 10 })).toEqual(["c", "b", "a"]);
    const calls = await listApprovals(storage, "t", "tool_call", { limit: 10 });
    expect(calls.map(({ id }) => id)).toEqual(["e"]);
  });

  test("are forgotten with their agent, and when they have been over for long", async () => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    for (const id of ["a", "b"]) await insertApproval(storage, "t", asked(id));
    await insertApproval(storage, "t", asked("c", { agent: "clerk" }));
    await closeRejected(storage, "t", "a", { now: at(5), comment: null });
    await pruneApprovals(storage, at(5));
    expect(await findApproval(storage, "t", "a")).toBeDefined();
    await pruneApprovals(storage, at(6));
    expect(await findApproval(storage, "t", "a")).toBeUndefined();
    await forgetApprovals(storage, { tenant: "t", agent: "helper" });
    expect((await listApprovals(storage, "t", "approval", { limit: 10 })).map(({ id }) => id)).toEqual(["c"]);
  });
});
