import { expect, test } from "bun:test";
import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/platform/migrations.gen.ts";
import { tables } from "../../../../src/services/platform/tables.ts";
import { openStorage } from "../../../../src/storage/open-storage.ts";
import { postgresServer } from "../../../support/postgres.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const isBefore = ({ tag }: { tag: string }) => tag < "0008_evals_and_members";
const earlier = {
  sqlite: migrations.sqlite.filter(isBefore),
  postgres: migrations.postgres.filter(isBefore),
};

onEachEngine("a database from before members", (engine) => {
  test("upgrades: the account of each tenant, deleted ones included, is its owner", async () => {
    using folder = temporaryFolder();
    const base = { service: "platform", log: silentLogger, clock: systemClock, random: Math.random, tables };
    const place =
      engine.dialect === "sqlite"
        ? { ...base, folder: folder.path }
        : { ...base, folder: folder.path, url: await (await postgresServer()).createDatabase() };
    const old = await openStorage({ ...place, migrations: earlier });
    const createdAt = new Date("2026-03-10T12:00:00.123Z");
    const [ada, bob] = [newId(), newId()];
    const rows = [ada, ada, bob].map((userId, turn) => ({
      id: newId(),
      userId,
      crName: `tenant-${turn}`,
      displayName: "kept",
      createdAt,
      deletedAt: turn === 1 ? createdAt : null,
    }));
    await old.transact((tx) => tx.insert(old.tables.tenants).values(rows));
    await old.close();

    for (let opened = 0; opened < 2; opened++) {
      const storage = await openStorage({ ...place, migrations });
      const { tenants, tenantMembers, tenantInvitations } = storage.tables;
      expect(await storage.read.select().from(tenants).orderBy(tenants.id)).toEqual(rows);
      expect(await storage.read.select().from(tenantMembers).orderBy(tenantMembers.tenantId)).toEqual(
        rows.map(({ id: tenantId, userId }) => ({ tenantId, userId, role: "owner", joinedAt: createdAt })),
      );
      expect(await storage.read.select().from(tenantInvitations)).toEqual([]);
      await storage.close();
    }
  });
});
