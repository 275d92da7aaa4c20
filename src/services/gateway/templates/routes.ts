import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { TemplateSource } from "../../../channels/templates/provider-templates.ts";
import { emulatedTemplates, readTemplate } from "../../../channels/templates/read-template.ts";
import { TemplateList } from "../../../contracts/gateway/templates.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { openAccount } from "../accounts/credentials.ts";
import { getAnyAccount } from "../accounts/store.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { GatewayStorage } from "../tables.ts";

export interface TemplatePorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  templates: TemplateSource;
  emulatedIds: readonly string[];
}

/** The route that lists what may be sent outside the window. */
export const templateRoutes = (ports: TemplatePorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/templates" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get(
      "",
      async ({ query, request }) => ({
        templates: await listTemplates(ports, query.account_id, request.signal),
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
  accountId: string,
  signal: AbortSignal,
): Promise<TemplateList["templates"]> {
  const account = await getAnyAccount(storage.read, storage.tables, accountId);
  const isEmulated = account.emulated || emulatedIds.includes(account.externalId);
  const found =
    isEmulated && account.channel === "phone_messenger"
      ? emulatedTemplates
      : isEmulated
        ? []
        : await templates.list(openAccount(sealer, account), signal);
  return found.flatMap((template) => readTemplate(template) ?? []);
}
