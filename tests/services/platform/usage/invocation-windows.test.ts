import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { readIdCursor } from "../../../../src/http/paging.ts";
import {
  findInvocations,
  invocationWindows,
} from "../../../../src/services/platform/usage/invocation-windows.ts";
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
      for await (const { isIn } of invocationWindows(read, tables, scope, { rows })) {
        const found = await read.select({ id: invocations.id }).from(invocations).where(and(isIn));
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
      for await (const { isIn } of invocationWindows(read, tables, scope, { rows, before: ids[2] })) {
        const found = await read.select({ id: invocations.id }).from(invocations).where(and(isIn));
        older.push(...found.map(({ id }) => id));
      }
      expect(older.sort().reverse()).toEqual(ids.slice(3));
    },
  );
});

onEachEngine("a search of invocations", (engine) => {
  test("ends its page after 20 windows without a match, and goes on behind them", async () => {
    await using platform = await startWithTenant(engine);
    const { owner, deps } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const { read, tables } = deps.storage;
    const { invocations } = tables;
    const add = async (status: "error" | "ok") =>
      (await addInvocation(platform, { tenantId: owner.id, agentId, status })).id;
    const failed = await add("error");
    const ids: string[] = [];
    for (let run = 0; run < 45; run += 1) ids.unshift(await add("ok"));
    const search = (before?: string) =>
      findInvocations(
        read,
        tables,
        {
          scope: eq(invocations.tenantId, owner.id),
          others: eq(invocations.status, "error"),
          limit: 50,
          before,
        },
        2,
      );
    const { page, next } = await search();
    expect(page).toEqual([]);
    const before = readIdCursor(next?.next_cursor);
    expect(before).toBe(ids[39]);
    const further = await search(before);
    expect(further.page.map(({ id }) => id)).toEqual([failed]);
    expect(further.next).toBeUndefined();
  });
});
