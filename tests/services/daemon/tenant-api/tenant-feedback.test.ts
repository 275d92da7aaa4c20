import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTenantRuntime, tenantA, tenantB } from "../../../support/tenant-runtime.ts";

test.each(["in process", "over the network"] as const)(
  "the runtime keeps verdicts beside the traces of their own tenant, %s",
  async (transport) => {
    await using runtime = await startTenantRuntime({ transport });
    const name = await runtime.register();
    const { ended } = await runtime.run(name);
    if (ended.outcome !== "ok") throw new Error("The run failed.");
    const traceId = (ended.result as { trace_id: string }).trace_id;
    const at = "2026-01-31T12:00:00.000Z";
    const ofUsers = { rating: "down" as const, channel: "phone_messenger", emoji: "👎", at };
    const { client } = runtime;
    await client.judge(tenantA, traceId, { channel_feedback: ofUsers });
    await client.judge(tenantA, traceId, { feedback: { rating: "up", note: "fine" } });
    // Another tenant's, and an unknown one, have no place.
    await client.judge(tenantB, traceId, { channel_feedback: { ...ofUsers, rating: "up" } });
    await client.judge(tenantA, "unknown", { channel_feedback: ofUsers });
    expect(rowsOf(runtime.workspace)).toEqual([
      { tenant: tenantA, trace: traceId, rating: "down", emoji: "👎" },
      { tenant: tenantA, trace: traceId, rating: "up", emoji: null },
    ]);
    await client.unjudge(tenantB, traceId, "channel");
    await client.unjudge(tenantA, traceId, "person");
    expect(rowsOf(runtime.workspace)).toEqual([
      { tenant: tenantA, trace: traceId, rating: "down", emoji: "👎" },
    ]);
    await client.unjudge(tenantA, traceId, "channel");
    expect(rowsOf(runtime.workspace)).toEqual([]);
  },
);

/** All verdicts that are stored. */
function rowsOf(workspace: string) {
  using database = new Database(join(workspace, ".argosy/daemon.db"), { readonly: true });
  return database
    .query(
      "select tenant, trace_id as trace, rating, emoji from channel_feedback union all select tenant, trace_id, rating, null from feedback",
    )
    .all();
}
