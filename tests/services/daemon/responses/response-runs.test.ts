import { expect, test } from "bun:test";
import type { ResponseBody } from "../../../../src/contracts/daemon/responses.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import {
  type ContinueResponse,
  ResponseRuns,
} from "../../../../src/services/daemon/responses/response-runs.ts";
import {
  deleteResponse,
  endResponse,
  findResponse,
  forgetResponses,
  insertResponse,
} from "../../../../src/services/daemon/responses/store.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("stored responses", (engine) => {
  async function open() {
    const storage = await engine.open({ service: "daemon", tables, migrations });
    const clock = new FakeClock();
    /** Responses that a process was asked to continue. */
    const continued: string[] = [];
    const process = (owner: string) => {
      const runs = new ResponseRuns({ storage, owner, clock, log: silentLogger, isDurable: true });
      const proceed: ContinueResponse = async ({ tenant, id }) => {
        continued.push(`${owner} ${id}`);
        await endResponse(storage, tenant, id, { status: "completed", body: "{}" });
      };
      return Object.assign(runs, { look: () => runs.keep(proceed) });
    };
    const [one, two] = [process("one"), process("two")];
    let number = 0;
    /** Begins a response of process `one` that runs until it is stopped. */
    async function begin(agent: string | null = null, request: string | null = null) {
      const id = `resp_${number++}`;
      await insertResponse(storage, {
        tenant: "operator",
        id,
        status: "in_progress",
        agent,
        body: JSON.stringify({ id, status: "in_progress", error: null }),
        input: "[]",
        request,
        previousId: null,
        sessionId: null,
        createdAt: clock.now(),
        owner: "one",
        heldUntil: one.heldUntil(),
      });
      const stopped = Promise.withResolvers<void>();
      one.start(id, async (signal) => {
        signal.addEventListener("abort", () => stopped.resolve());
        await stopped.promise;
      });
      return { id, stopped: stopped.promise };
    }
    const read = async (id: string) => {
      const row = await findResponse(storage, "operator", id);
      return row && { status: row.status, body: JSON.parse(row.body) as ResponseBody };
    };
    return { storage, clock, one, two, begin, read, continued, process };
  }

  test("what a dead process left is failed once its lease is over, and not before", async () => {
    const { storage, clock, one, two, begin, read } = await open();
    await using _ = storage;
    const { id, stopped } = await begin();
    await clock.advance(59_000);
    await one.look();
    await clock.advance(59_000);
    await two.look();
    expect((await read(id))?.status).toBe("in_progress");
    await clock.advance(2_000);
    await two.look();
    expect(await read(id)).toMatchObject({
      status: "failed",
      body: { status: "failed", error: { code: "server_error" } },
    });
    // Its process, which was only slow, ends the run, and can't write over it.
    await one.look();
    await stopped;
    await one.ended();
  });

  test("what a dead process left is continued once its lease is over, until three processes died with it", async () => {
    const { storage, clock, one, two, begin, read, continued, process } = await open();
    await using _ = storage;
    const { id } = await begin("helper", "{}");
    await clock.advance(61_000);
    await two.look();
    await two.ended();
    expect(continued).toEqual([`two ${id}`]);
    expect((await read(id))?.status).toBe("completed");
    one.stop(id);
    await one.ended();

    const killer = await begin("helper", "{}");
    one.stop(killer.id);
    const names = ["a", "b", "c"];
    for (const name of names) {
      await clock.advance(61_000);
      const dies = new Promise<void>(() => {});
      await Object.assign(process(name), {}).keep(() => dies);
    }
    expect((await read(killer.id))?.status).toBe("in_progress");
    await clock.advance(61_000);
    await two.look();
    expect(continued).toHaveLength(1);
    expect(await read(killer.id)).toMatchObject({
      status: "failed",
      body: { error: { code: "server_error" } },
    });
    await one.ended();
  });

  test("a response that is cancelled or deleted on another node is stopped, and stays what it is", async () => {
    const { storage, one, begin, read } = await open();
    await using _ = storage;
    const [cancelled, deleted] = [await begin(), await begin()];
    const end = { status: "cancelled" as const, body: JSON.stringify({ status: "cancelled" }) };
    expect(await endResponse(storage, "operator", cancelled.id, end)).toBe(true);
    expect(await deleteResponse(storage, "operator", deleted.id)).toBe(true);
    await one.look();
    await Promise.all([cancelled.stopped, deleted.stopped]);
    await one.ended();
    const late = { status: "completed" as const, body: "{}" };
    expect(await endResponse(storage, "operator", cancelled.id, late)).toBe(false);
    expect((await read(cancelled.id))?.status).toBe("cancelled");
  });

  test("another tenant finds, ends and deletes nothing", async () => {
    const { storage, one, begin, read } = await open();
    await using _ = storage;
    const { id } = await begin("helper");
    expect(await findResponse(storage, "other", id)).toBeUndefined();
    expect(await deleteResponse(storage, "other", id)).toBe(false);
    expect(await endResponse(storage, "other", id, { status: "cancelled", body: "{}" })).toBe(false);
    await forgetResponses(storage, { tenant: "other", agent: "helper" });
    expect((await read(id))?.status).toBe("in_progress");
    one.stop(id);
    await one.ended();
  });

  test("responses of a deleted agent are gone, and all after 30 days", async () => {
    const { storage, clock, one, two, begin, read } = await open();
    await using _ = storage;
    const [ofAgent, ofModel] = [await begin("helper"), await begin()];
    one.stop(ofAgent.id);
    one.stop(ofModel.id);
    await one.ended();
    await forgetResponses(storage, { tenant: "operator", agent: "helper" });
    expect(await read(ofAgent.id)).toBeUndefined();
    await clock.advance(30 * 24 * 60 * 60 * 1000);
    await two.look();
    expect(await read(ofModel.id)).toBeDefined();
    await clock.advance(1);
    await two.look();
    expect(await read(ofModel.id)).toBeUndefined();
  });
});
