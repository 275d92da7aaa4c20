import { Type } from "@sinclair/typebox";
import { and, asc, eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { Deleted, TenantId } from "../../../contracts/gateway/channels.ts";
import { CannedReply, CannedReplyInput, CannedReplyList } from "../../../contracts/gateway/desk.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStoreDeps } from "../tables.ts";

const tags = ["conversations"];

/** Replies that one tenant keeps. */
const repliesMax = 500;

/** Routes of ready-made replies. */
export const cannedRoutes = (
  { storage, clock, newId, storageRoom }: GatewayStoreDeps & { storageRoom: StorageRoom },
  door: DeskDoor,
) => {
  const { cannedReplies } = storage.tables;
  return new Elysia({ prefix: "/admin/canned" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query: { tenant: asked }, desk }) => {
        const tenant = deskTenant(desk, asked);
        const rows = await storage.read
          .select()
          .from(cannedReplies)
          .where(eq(cannedReplies.tenantId, tenant))
          .orderBy(asc(cannedReplies.name))
          .limit(repliesMax);
        return { replies: rows.map(present) };
      },
      {
        query: Type.Object({ tenant: TenantId }),
        response: CannedReplyList,
        detail: { tags, operationId: "listCanned", summary: "Ready-made replies of a tenant, by name" },
      },
    )
    .post(
      "",
      async ({ body: { tenant_id: asked, name, text }, desk }) =>
        storage.transact(async (tx) => {
          const tenantId = deskTenant(desk, asked);
          const row = { id: newId(), tenantId, name: name.trim(), text, createdAt: clock.now() };
          if (row.name === "" || text.trim() === "") throw invalid("name and text must not be blank.");
          await storageRoom.requireRoom(tx, tenantId);
          const count = await tx.$count(cannedReplies, eq(cannedReplies.tenantId, tenantId));
          const [saved] = await tx
            .insert(cannedReplies)
            .values(row)
            .onConflictDoUpdate({ target: [cannedReplies.tenantId, cannedReplies.name], set: { text } })
            .returning();
          // One that only changes takes no room.
          if (count >= repliesMax && saved?.id === row.id)
            throw new AppError(
              "conflict",
              "limit_reached",
              `A tenant has at most ${repliesMax} canned replies.`,
            );
          return present(saved ?? row);
        }),
      {
        ...jsonBody(CannedReplyInput),
        response: CannedReply,
        detail: { tags, operationId: "saveCanned", summary: "Saves a ready-made reply under its name" },
      },
    )
    .delete(
      "/:id",
      async ({ params: { id }, desk }) =>
        storage.transact(async (tx) => {
          const [row] = await tx.select().from(cannedReplies).where(eq(cannedReplies.id, id));
          if (row === undefined || (desk.tenantId !== undefined && row.tenantId !== desk.tenantId))
            throw new AppError("not_found", "not_found", `There is no canned reply ${id}.`);
          await tx
            .delete(cannedReplies)
            .where(and(eq(cannedReplies.tenantId, row.tenantId), eq(cannedReplies.id, id)))
            .returning({ id: cannedReplies.id });
          return { deleted: true as const };
        }),
      {
        response: Deleted,
        detail: { tags, operationId: "deleteCanned", summary: "Deletes a ready-made reply" },
      },
    );
};

const present = (
  row: GatewayStoreDeps["storage"]["tables"]["cannedReplies"]["$inferSelect"],
): CannedReply => ({
  id: row.id,
  tenant_id: row.tenantId,
  name: row.name,
  text: row.text,
  created_at: row.createdAt.toISOString(),
});

const invalid = (message: string) => new AppError("invalid", "invalid_request", message);
