import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { invocationWindows } from "../../../../src/services/platform/usage/invocation-windows.ts";
import { addAgent, addInvocation, startWithTenant } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("windows over invocations", (engine) => {
  test.each([1, 2, 3, 6, 7, 8, 100])(
    "of %d rows hold each run of the scope once, newest first",
    async (rows) => {
      await using platform = await startWithTenant(engine);
      const { owner, deps } = platform;
      const stranger = await platform.tenant();
      const agentId = await addAgent(platform, owner, "support");
      const ids: string[] = [];
      for (let run = 0; run < 7; run += 1) {
        ids.unshift((await addInvocation(platform, { tenantId: owner.id, agentId })).id);
        await addInvocation(platform, { tenantId: stranger.id, agentId });
      }
      const { read, tables } = deps.storage;
      const { invocations } = tables;
      const scope = eq(invocations.tenantId, owner.id);
      const windows: string[][] = [];
      for await (const window of invocationWindows(read, tables, scope, { rows })) {
        const found = await read.select({ id: invocations.id }).from(invocations).where(and(window));
        windows.push(
          found
            .map(({ id }) => id)
            .sort()
            .reverse(),
        );
      }
      expect(windows.flat()).toEqual(ids);
      expect(Math.max(...windows.map(({ length }) => length))).toBeLessThanOrEqual(rows);

      const older: string[] = [];
      for await (const window of invocationWindows(read, tables, scope, { rows, before: ids[2] })) {
        const found = await read.select({ id: invocations.id }).from(invocations).where(and(window));
        older.push(...found.map(({ id }) => id));
      }
      expect(older.sort().reverse()).toEqual(ids.slice(3));
    },
  );
});
