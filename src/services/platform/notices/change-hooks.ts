import { randomBytes } from "node:crypto";
import { and, desc, eq, lt } from "drizzle-orm";
import type {
  NewWebhook,
  Notice,
  NoticeDeliveryList,
  Webhook,
  WebhookInput,
  WebhookList,
} from "../../../contracts/platform/notices.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { type PageRequest, pageOf, readIdCursor } from "../../../http/paging.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { StoreDeps } from "../tables.ts";
import type { NoticeMail } from "./notice-sender.ts";
import { type HookRow, installation } from "./schema.ts";

export interface HookDeps extends StoreDeps {
  sealer: Sealer | undefined;
  noticeMail: NoticeMail | undefined;
}

/** Who changes the hooks of a tenant, or of the installation. */
export interface HookOwner {
  tenantId: string;
  actor: string;
}

const hooksMax = 20;

export const hookSeal = (id: string) => ({ purpose: "notice_hooks", tenant: id, name: "secret" });

/** Creates a hook. Its secret is shown once. */
export async function createHook(
  deps: HookDeps,
  { tenantId, actor }: HookOwner,
  input: WebhookInput,
  requestId: string,
): Promise<NewWebhook> {
  const { storage, clock, newId, sealer } = deps;
  if (sealer === undefined)
    throw new AppError("unavailable", "sealing_key_missing", "No sealing key is set.");
  requireUrl(input.url, deps.noticeMail !== undefined);
  const { accounts } = storage.tables;
  const secret = input.secret ?? randomBytes(32).toString("base64url");
  const now = clock.now();
  const id = newId();
  const row = {
    id,
    tenantId,
    url: input.url,
    secret: sealer.seal(secret, hookSeal(id)),
    events: [...input.events],
    createdBy: actor,
    createdAt: now,
    pausedReason: null,
    quietUntil: null,
  };
  await storage.transact(async (tx) => {
    const known = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.tenantId, tenantId));
    if (known.length >= hooksMax)
      throw new AppError("conflict", "webhook_limit_reached", `At most ${hooksMax} webhooks may exist.`);
    await tx.insert(accounts).values(row);
    await writeAudit(deps, tx, now, {
      actor,
      action: "webhook.create",
      ownerId: tenantId === installation ? null : tenantId,
      subject: id,
      detail: { url: shownUrl(input.url), events: input.events },
      requestId,
    });
  });
  return { ...presentHook(row), secret };
}

/** The query of an address may hold a secret. */
const shownUrl = (url: string) => url.replace(/\?.*$/s, "?…");

function requireUrl(text: string, hasMail: boolean): void {
  const message = urlProblem(text, hasMail);
  if (message === undefined) return;
  throw new AppError("invalid", "invalid_request", `The body is not valid: url ${message}.`, {
    details: { problems: [{ path: "url", message }] },
  });
}

function urlProblem(text: string, hasMail: boolean): string | undefined {
  if (text.startsWith("mailto:")) {
    if (!hasMail) return "must be an https address: this installation has no mail server";
    return /^mailto:[^\s@,;<>?]{1,64}@[^\s@,;<>?]{1,255}$/.test(text)
      ? undefined
      : "must have one e-mail address";
  }
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:") return "must be an https address";
  return url.username === "" && url.password === "" ? undefined : "must not contain a password";
}

export async function listHooks(
  { storage: { read, tables } }: StoreDeps,
  tenantId: string,
): Promise<WebhookList> {
  const rows = await read
    .select()
    .from(tables.accounts)
    .where(eq(tables.accounts.tenantId, tenantId))
    .orderBy(desc(tables.accounts.id));
  return { webhooks: rows.map(presentHook) };
}

/** Deletes a hook. Its waiting notices fail. Throws 404. */
export async function deleteHook(
  deps: HookDeps,
  { tenantId, actor }: HookOwner,
  { id, requestId }: { id: string; requestId: string },
): Promise<void> {
  const { storage, clock } = deps;
  const { accounts } = storage.tables;
  await storage.transact(async (tx) => {
    const [gone] = await tx
      .delete(accounts)
      .where(and(eq(accounts.tenantId, tenantId), eq(accounts.id, id)))
      .returning();
    if (gone === undefined) throw noHook();
    await writeAudit(deps, tx, clock.now(), {
      actor,
      action: "webhook.delete",
      ownerId: tenantId === installation ? null : tenantId,
      subject: id,
      requestId,
    });
  });
}

/** Lists notices to a hook, newest first, with what became of them. Throws 404. */
export async function listDeliveries(
  { storage: { read, tables } }: StoreDeps,
  { tenantId, id }: { tenantId: string; id: string },
  { limit, cursor }: PageRequest,
): Promise<NoticeDeliveryList> {
  const { accounts, outbox } = tables;
  const before = readIdCursor(cursor);
  const [hook] = await read
    .select()
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), eq(accounts.id, id)));
  if (hook === undefined) throw noHook();
  const rows = await read
    .select()
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.accountId, id),
        before === undefined ? undefined : lt(outbox.id, before),
      ),
    )
    .orderBy(desc(outbox.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, (row) => row.id);
  const deliveries = page.map((row) => {
    const notice = JSON.parse(row.payload.text ?? "{}") as Notice;
    return {
      id: row.id,
      event: notice.event,
      tenant_id: notice.tenant_id,
      status: row.status,
      attempts: row.attempts,
      last_error: row.lastError,
      next_retry_at: row.status === "pending" ? row.dueAt.toISOString() : null,
      created_at: row.createdAt.toISOString(),
      sent_at: row.sentAt?.toISOString() ?? null,
      notice,
    };
  });
  return { deliveries, ...next };
}

const presentHook = (row: HookRow): Webhook => ({
  id: row.id,
  tenant_id: row.tenantId === installation ? null : row.tenantId,
  url: row.url,
  events: row.events,
  created_at: row.createdAt.toISOString(),
});

const noHook = () => new AppError("not_found", "not_found", "There is no such webhook.");
