import { and, eq, gt, inArray } from "drizzle-orm";
import { Elysia } from "elysia";
import {
  type DeskEvent,
  DeskNoticeInput,
  DeskNoticeTaken,
  deskEvents,
} from "../../../contracts/platform/notices.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import type { PlatformTables } from "../tables.ts";
import { giveNotice } from "./give-notice.ts";

const hourMs = 60 * 60_000;
/** Notices of a tenant's desk within an hour: they may become e-mails, and the tenant's own key reports them. */
const noticesPerHour = 200;

/** The text of a notice contains nothing that a tenant wrote, because it may be sent to any address as an e-mail. */
const textOf: Readonly<Record<DeskEvent, (input: DeskNoticeInput) => string>> = {
  "desk.needs_person": ({ conversation_id: id }) => `Conversation ${id} needs a person.`,
  "desk.message": ({ conversation_id: id }) => `There is a new message in the assigned conversation ${id}.`,
  "desk.mention": ({ conversation_id: id }) => `A note in conversation ${id} mentions a person.`,
};

/** The route by which the gateway reports what the desk should know. */
export const deskNoticeRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/desk-notices" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "messages"))
    .post(
      "",
      async ({ tenant: { tenantId }, body, set }) => {
        const { event, occasion, ...data } = body;
        const { transact, tables } = deps.storage;
        const now = deps.clock.now();
        await transact(async (tx) => {
          await requireFew(tx, tables, tenantId, now);
          const notice = { tenantId, event, occasion, text: textOf[event](body), data };
          await giveNotice(tx, tables, notice, now);
        });
        set.status = 202;
        return { taken: true as const };
      },
      {
        ...jsonBody(DeskNoticeInput),
        response: { 202: DeskNoticeTaken },
        detail: {
          tags: ["notices"],
          operationId: "noticeDesk",
          summary: "Gives a notice about a conversation to the tenant's webhooks, once per occasion",
        },
      },
    );

async function requireFew(
  tx: Query,
  { noticeMarks }: PlatformTables,
  tenantId: string,
  now: Date,
): Promise<void> {
  const given = await tx.$count(
    noticeMarks,
    and(
      gt(noticeMarks.at, new Date(now.getTime() - hourMs)),
      eq(noticeMarks.tenantId, tenantId),
      inArray(noticeMarks.event, [...deskEvents]),
    ),
  );
  if (given < noticesPerHour) return;
  throw new AppError(
    "rate_limited",
    "notices_limited",
    `The desk of a tenant gives at most ${noticesPerHour} notices an hour.`,
    { details: { retryAfterSeconds: 600 } },
  );
}
