import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { tables } from "../../../src/services/gateway/tables.ts";
import { postgresMissing } from "../../support/postgres.ts";
import { postgresEngine } from "../../support/storage-engines.ts";

test.skipIf(postgresMissing !== undefined)(
  "counts each attempt that another transaction forbids",
  async () => {
    let conflicts = 0;
    await using storage = await postgresEngine.open({
      service: "gateway",
      tables,
      onConflict: () => conflicts++,
    });
    const { writeChecks } = storage.tables;
    const at = new Date(0);
    await storage.transact((tx) => tx.insert(writeChecks).values({ id: "one", at }));
    const bothRead = Promise.withResolvers<void>();
    let readers = 0;
    const raise = () =>
      storage.transact(async (tx) => {
        await tx.select().from(writeChecks);
        if (++readers === 2) bothRead.resolve();
        await bothRead.promise;
        await tx
          .update(writeChecks)
          .set({ at: new Date(1) })
          .where(eq(writeChecks.id, "one"));
      });
    await Promise.all([raise(), raise()]);
    expect(conflicts).toBe(1);
    // The refused one ran again.
    expect(readers).toBe(3);
  },
);
