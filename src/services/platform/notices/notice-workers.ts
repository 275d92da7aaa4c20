import { and, isNull, lt, ne } from "drizzle-orm";
import { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { outboxWorker } from "../../../channels/outbox/outbox-worker.ts";
import { storageUse } from "../../../control-plane/room/storage-use.ts";
import { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Random } from "../../../kit/retry.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import { storageLimit } from "../room/tenant-room.ts";
import type { StoreDeps } from "../tables.ts";
import { type HookDeps, hookSeal } from "./change-hooks.ts";
import { giveNotice, hasHooks, hookChannel } from "./give-notice.ts";
import { openMail } from "./link-mail.ts";
import { createNoticeSender, mailAccount, type NoticePorts } from "./notice-sender.ts";
import type { HookRow } from "./schema.ts";

export interface NoticeWorkerDeps extends HookDeps, NoticePorts {
  random: Random;
  /** Id of this process. */
  owner: string;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Time that deliveries and given notices are kept. A notice is given again at most once a year. */
const deliveryDays = 90;
const markDays = 400;

/** Workers that send notices, look at what tenants store, and delete old deliveries. */
export function noticeWorkers(deps: NoticeWorkerDeps): Worker[] {
  const { clock, sealer, storage } = deps;
  const outbox = outboxWorker({
    ...deps,
    sender: createNoticeSender(deps, (sealed) => {
      if (sealer === undefined) throw new Error("No sealing key is set.");
      return openMail(sealer, sealed);
    }),
    ledger: { async settled() {}, async reported() {}, async moved() {} },
    bell: new OutboxBell(clock),
    tenantOwners: new KnownOwners(),
    openAccount(account) {
      // The claim reads whole rows.
      const { id, tenantId, url, secret } = account as HookRow;
      if (sealer === undefined) throw new Error("No sealing key is set.");
      const credentials = { url, secret: id === mailAccount ? "" : sealer.open(secret, hookSeal(id)) };
      return { id, tenantId, channel: hookChannel, externalId: id, credentials, emulated: false };
    },
  });
  return [
    { ...outbox, name: "notices" },
    repeatedWorker("storage-notices", minuteMs, clock, () => noticeStorage(deps)),
    repeatedWorker("old-notices", dayMs, clock, async () => {
      const { outbox: rows, noticeMarks } = storage.tables;
      const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
      const isDue = and(lt(rows.createdAt, before(deliveryDays)), ne(rows.status, "sending"));
      await deleteInPieces(storage, rows, isDue);
      await deleteInPieces(storage, noticeMarks, lt(noticeMarks.at, before(markDays)));
    }),
  ];
}

/** Gives a notice of each tenant that stores 80 % of what it may, once a month. */
export async function noticeStorage(deps: StoreDeps): Promise<void> {
  const { storage, clock } = deps;
  const { read, tables } = storage;
  const live = await read
    .select({ id: tables.tenants.id })
    .from(tables.tenants)
    .where(isNull(tables.tenants.deletedAt));
  for (const { id: tenantId } of live) {
    await othersTurn();
    if (!(await hasHooks(read, tables, tenantId))) continue;
    const limit = await storageLimit(deps, tenantId);
    const { stored_bytes: used } = await storageUse(storage, tenantId, limit);
    if (limit === null || limit === 0 || used < limit * 0.8) continue;
    const now = clock.now();
    const month = monthOf(now);
    const text = `${Math.floor((used * 100) / limit)} % of the storage is used.`;
    const data = { period: month, used_bytes: used, limit_bytes: limit };
    await storage.transact((tx) =>
      giveNotice(tx, tables, { tenantId, event: "storage.80", occasion: month, text, data }, now),
    );
  }
}
