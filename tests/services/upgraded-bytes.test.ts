import { expect, test } from "bun:test";
import { eq, type SQL, sql } from "drizzle-orm";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { keepGate, takeGate } from "../../src/services/cloud/agents/kept-gates.ts";
import type { OrgAgentRow } from "../../src/services/cloud/agents/store.ts";
import { migrations as ofCloud } from "../../src/services/cloud/migrations.gen.ts";
import { tables as cloudTables } from "../../src/services/cloud/tables.ts";
import { migrations as ofGateway } from "../../src/services/gateway/migrations.gen.ts";
import { tables as gatewayTables } from "../../src/services/gateway/tables.ts";
import { migrations as ofPlatform } from "../../src/services/platform/migrations.gen.ts";
import { tables as platformTables } from "../../src/services/platform/tables.ts";
import type { ServiceMigrations } from "../../src/storage/migration.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { storedAreas } from "../../src/storage/room.ts";
import { postgresServer } from "../support/postgres.ts";
import { onEachEngine } from "../support/storage-engines.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/** The steps before the one of this name. */
const before = ({ sqlite, postgres }: ServiceMigrations, name: string): ServiceMigrations => {
  const end = sqlite.findIndex(({ tag }) => tag.endsWith(name));
  if (end < 0) throw new Error(`There is no step ${name}.`);
  return { sqlite: sqlite.slice(0, end), postgres: postgres.slice(0, end) };
};

/** Performs a statement that the tables of now can't say. */
function byHand(tx: object): (query: SQL) => Promise<unknown> {
  const { run, execute } = tx as Partial<Record<"run" | "execute", (query: SQL) => Promise<unknown>>>;
  const perform = run ?? execute;
  if (perform === undefined) throw new Error("The transaction performs no statement by hand.");
  return (query) => perform.call(tx, query);
}

onEachEngine("an upgrade of data from before bytes were counted", (engine) => {
  const isServer = engine.dialect === "postgres";
  const tableOf = (service: string, table: string) => sql.raw(isServer ? `${service}.${table}` : table);
  const instant = (at: Date) => (isServer ? sql`${at.toISOString()}` : sql`${at.getTime()}`);
  const json = (value: unknown) =>
    isServer ? sql`${JSON.stringify(value)}::text::jsonb` : sql`${JSON.stringify(value)}`;

  const place = async (folder: string) => ({
    folder,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
    ...(engine.dialect === "postgres" && { url: await (await postgresServer()).createDatabase() }),
  });

  test("counts an agent's rows, keeps its gate, and continues counting", async () => {
    using folder = temporaryFolder();
    const options = { ...(await place(folder.path)), service: "platform", tables: platformTables };
    const old = await openStorage({ ...options, migrations: before(ofPlatform, "_gates_and_stored_bytes") });
    const { agentVersions } = old.tables;
    const at = new Date("2026-01-01T00:00:00Z");
    const requires = [{ eval: "greets", min_score: 1 }];
    const spec = { kind: "Agent", spec: { release: { requires } } };
    const when = instant(at);
    await old.transact(async (tx) => {
      // By hand, because the tables have other columns now.
      await byHand(tx)(
        sql`insert into ${tableOf("platform", "agents")} (tenant_id, id, name, current_version, created_at, updated_at) values ('t', 'a', 'support', 1, ${when}, ${when})`,
      );
      await byHand(tx)(
        sql`insert into ${tableOf("platform", "agent_versions")} (tenant_id, agent_id, number, spec, author, checksum, created_at)
          values ('t', 'a', 1, ${json(spec)}, 'user:u', 'c', ${when})`,
      );
    });
    await old.close();
    const now = await openStorage({ ...options, migrations: ofPlatform });
    const { agents } = now.tables;
    expect(await now.read.select({ requires: agents.requires }).from(agents)).toEqual([
      { requires },
    ] as never);
    const [counted] = await storedAreas(now, "t");
    expect(counted?.area).toBe("agents");
    expect(counted?.bytes).toBeGreaterThan(2 * 96 + JSON.stringify(spec).length - 1);
    await now.transact(async (tx) => void (await tx.delete(agentVersions)));
    await now.transact(async (tx) => void (await tx.delete(agents)));
    expect(await storedAreas(now, "t")).toEqual([]);
    await now.close();
  });

  test("lets a cloud agent's gate outlive it, whatever version deleted the agent", async () => {
    using folder = temporaryFolder();
    const options = { ...(await place(folder.path)), service: "cloud", tables: cloudTables };
    const at = new Date("2026-01-01T00:00:00Z");
    const requires = [{ eval: "greets", min_score: 1 }];
    const old = await openStorage({ ...options, migrations: before(ofCloud, "_gates_and_stored_bytes") });
    await old.transact(async (tx) => {
      // By hand, because the table has other columns now.
      for (const name of ["early", "late", "live"])
        await byHand(tx)(
          sql`insert into ${tableOf("cloud", "agents")} (id, org_id, name, display_name, config, status, created_at, updated_at, released_checksum, requires)
            values (${name}, 'o', ${name}, ${name}, ${json({})}, 'draft', ${instant(at)}, ${instant(at)}, 'c', ${json(requires)})`,
        );
    });
    await old.close();
    /** Deletes an agent as the cloud does. */
    const drop = async (storage: typeof old, name: string) => {
      const { agents } = storage.tables;
      await storage.transact(async (tx) => {
        const { orgId, requires: required, releasedChecksum } = agents;
        const kept = { orgId, name: agents.name, requires: required, releasedChecksum };
        const [gone] = await tx.delete(agents).where(eq(agents.name, name)).returning(kept);
        if (gone !== undefined) await keepGate(tx, storage.tables, gone as OrgAgentRow);
      });
    };
    const between = await openStorage({ ...options, migrations: before(ofCloud, "_counted_apart") });
    await drop(between, "early");
    await between.close();
    const now = await openStorage({ ...options, migrations: ofCloud });
    await drop(now, "late");
    const take = (name: string) => now.transact((tx) => takeGate(tx, now.tables, "o", name));
    for (const name of ["early", "late"]) {
      expect([name, await take(name)]).toEqual([name, { requires, releasedChecksum: "c" }] as never);
      // It belongs to one agent at a time.
      expect(await take(name)).toEqual({ requires: null, releasedChecksum: null });
    }
    const [counted] = await storedAreas(now, "o");
    expect(counted?.area).toBe("agents");
    await drop(now, "live");
    await take("live");
    expect(await storedAreas(now, "o")).toEqual([]);
    await now.close();
  });

  test("counts the gateway's messages, and continues counting", async () => {
    using folder = temporaryFolder();
    const options = { ...(await place(folder.path)), service: "gateway", tables: gatewayTables };
    const old = await openStorage({ ...options, migrations: before(ofGateway, "_counted_apart") });
    const { conversationMessages: messages } = old.tables;
    const message = {
      id: "m",
      tenantId: "t",
      conversationId: "c",
      channel: "echo" as const,
      direction: "inbound" as const,
      kind: "text",
      text: "päpstlich",
      media: [],
      channelMessageId: null,
      at: new Date(0),
    };
    // By hand, because the table has other columns now.
    await old.transact(async (tx) => {
      await byHand(tx)(
        sql`insert into ${tableOf("gateway", "conversation_messages")} (id, tenant_id, conversation_id, channel, direction, kind, text, media, at)
          values ('m', 't', 'c', 'echo', 'inbound', 'text', ${message.text}, ${json([])}, ${instant(message.at)})`,
      );
    });
    await old.close();
    const now = await openStorage({ ...options, migrations: ofGateway });
    const first = await storedAreas(now, "t");
    expect(first).toMatchObject([{ area: "messages" }]);
    await now.transact(async (tx) => void (await tx.insert(messages).values({ ...message, id: "n" })));
    expect(await storedAreas(now, "t")).toEqual([{ area: "messages", bytes: 2 * (first[0]?.bytes ?? 0) }]);
    await now.transact(async (tx) => void (await tx.delete(messages)));
    expect(await storedAreas(now, "t")).toEqual([]);
    await now.close();
  });
});
