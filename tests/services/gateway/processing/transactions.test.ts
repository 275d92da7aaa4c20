import { expect, test } from "bun:test";
import { claimEvents } from "../../../../src/channels/inbox/claim-events.ts";
import { processEvent } from "../../../../src/services/gateway/processing/process-event.ts";
import { asAdmin, deliver, startGateway } from "../../../support/gateway.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

test("a message is answered in two transactions, and its run is stored before the platform is called", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const { deps, platform } = gateway;
  const { storage, newId, clock } = deps;
  const account_id = await gateway.account("a", "echo", "e1");
  const binding = { tenant_id: "a", channel: "echo", account_id, entry_agent: "support" };
  const body = { ...binding, config: { platform_api_key: "a-key-of-the-platform" } };
  expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body })).status).toBe(201);
  const text = { from: "ana", text: "hi", id: "1" };
  expect((await deliver(gateway, "echo", text, { account: "e1", headers: {} })).status).toBe(200);
  const claim = { owner: "w", attemptId: newId(), now: clock.now(), limit: 1, leaseMs: 10_000, busy: [] };
  const [row] = await claimEvents(storage, claim);
  if (row === undefined) throw new Error("Nothing was delivered.");

  let transactions = 0;
  const counting: typeof storage = {
    ...storage,
    transact(run, options) {
      transactions++;
      return storage.transact(run, options);
    },
  };
  const stored: unknown[] = [];
  const ask = platform.answers;
  platform.answers = async (order, call) => {
    const [open] = await storage.read.select().from(storage.tables.inbound);
    stored.push({ transactions, request: open?.plan?.request, asked: order.request });
    return ask(order, call);
  };
  const { signal } = new AbortController();
  await processEvent({ ...deps, storage: counting }, row, signal);

  const { request } = platform.runs[0] ?? {};
  expect(request).toMatchObject({ query: "hi" });
  expect(stored).toEqual([{ transactions: 1, request, asked: request }]);
  expect(transactions).toBe(2);
});
