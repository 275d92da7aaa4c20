import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { claimEvents } from "../../../src/channels/inbox/claim-events.ts";
import { claimMessages } from "../../../src/channels/outbox/claim-messages.ts";
import { newId } from "../../../src/kit/id.ts";
import { createAddressFollower } from "../../../src/services/gateway/contacts/follow-addresses.ts";
import { createOutboxLedger } from "../../../src/services/gateway/outbox/outbox-ledger.ts";
import { type GatewayStorage, tables } from "../../../src/services/gateway/tables.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

const claim = {
  owner: "o",
  attemptId: "a",
  now: new Date("2026-03-10T12:00:00.000Z"),
  limit: 10,
  leaseMs: 45_000,
};

/** Returns the steps of SQLite's plan for the claim that `perform` executes. */
async function planOf(perform: (storage: GatewayStorage) => Promise<unknown>): Promise<string[]> {
  await using storage = await sqliteEngine.open({ service: "gateway", tables });
  const query = spyOn(Database.prototype, "query");
  await perform(storage);
  const claims = query.mock.calls.flatMap(([text], at) =>
    text.startsWith('with "due"') ? [{ text, database: query.mock.contexts[at] as Database }] : [],
  );
  query.mockRestore();
  expect(claims).toHaveLength(1);
  return claims.flatMap(({ text, database }) => {
    using plan = database.prepare<{ detail: string }, []>(`explain query plan ${text}`);
    return plan.all().map(({ detail }) => detail);
  });
}

// Both tables keep closed rows for days, so a claim that reads all of them gets slower with each message.
test("a claim of messages reads only those that are due or in work", async () => {
  const plan = await planOf((storage) =>
    claimMessages(
      {
        storage,
        ledger: createOutboxLedger(
          storage.tables,
          newId,
          createAddressFollower(storage.tables, newId, { now: () => new Date() }),
        ),
      },
      { ...claim, busy: ["b"] },
    ),
  );
  expect(plan.filter((step) => step.startsWith("SCAN outbox"))).toEqual([]);
});

test("a claim of events reads only those that are due or in work", async () => {
  const plan = await planOf((storage) => claimEvents(storage, { ...claim, busy: ["b"] }));
  expect(plan.filter((step) => step.startsWith("SCAN inbound"))).toEqual([]);
  expect(plan.filter((step) => step.includes("inbound_due"))).toHaveLength(1);
});
