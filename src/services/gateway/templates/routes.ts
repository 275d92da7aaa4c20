import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { TemplateSource } from "../../../channels/templates/provider-templates.ts";
import { emulatedTemplates, readTemplate } from "../../../channels/templates/read-template.ts";
import { TemplateList } from "../../../contracts/gateway/templates.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { openAccount } from "../accounts/credentials.ts";
import { type AccountRow, getDeskAccount } from "../accounts/store.ts";
import { type DeskActor, type DeskDoor, deskCredential } from "../auth/desk-credential.ts";
import type { GatewayStorage } from "../tables.ts";

export interface TemplatePorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  templates: TemplateSource;
  emulatedIds: readonly string[];
}

/** The route that lists what may be sent outside the window. */
export const templateRoutes = (ports: TemplatePorts, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/templates" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query, desk, request }) => ({
        templates: await listTemplates(ports, desk, query.account_id, request.signal),
      }),
      {
        query: Type.Object({ account_id: Type.String({ minLength: 1, maxLength: 255 }) }),
        response: TemplateList,
        detail: {
          tags: ["messages"],
          operationId: "listTemplates",
          summary: "Templates of an account, as its provider has them; none on channels without templates",
        },
      },
    );

async function listTemplates(
  { storage, sealer, templates, emulatedIds }: TemplatePorts,
  desk: DeskActor,
  accountId: string,
  signal: AbortSignal,
): Promise<TemplateList["templates"]> {
  const account = await getDeskAccount(storage.read, storage.tables, desk, accountId);
  const found = await templatesOf({ sealer, templates, emulatedIds }, account, signal);
  return found.flatMap((template) => readTemplate(template) ?? []);
}

/** The templates of an account as its provider has them. */
export async function templatesOf(
  { sealer, templates, emulatedIds }: Omit<TemplatePorts, "storage">,
  account: AccountRow,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  if (!account.emulated && !emulatedIds.includes(account.externalId))
    return templates.list(openAccount(sealer, account), signal);
  return account.channel === "phone_messenger" ? emulatedTemplates : [];
}
