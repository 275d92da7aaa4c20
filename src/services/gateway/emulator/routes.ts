import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { EmulatorOutbox } from "../../../contracts/gateway/admin.ts";
import { ChannelName } from "../../../contracts/gateway/channels.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { EmulatorRing } from "./emulator-ring.ts";

/** The route that shows what emulated accounts sent. */
export const emulatorRoutes = (ring: EmulatorRing, adminToken: string) =>
  new Elysia({ prefix: "/admin/emulator" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get(
      "/outbox",
      async ({ query: { canal, cuenta, ultimos } }) => {
        const { total, messages } = ring.last({ channel: canal, account: cuenta }, ultimos);
        return {
          total,
          mensajes: messages.map(({ at, account, recipient, content }) => ({
            cuando: at.toISOString(),
            cuenta: account,
            destino: recipient,
            contenido: content,
          })),
        };
      },
      {
        query: Type.Object({
          canal: Type.Optional(ChannelName),
          cuenta: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
          ultimos: pageLimit({ default: 50, max: 500 }),
        }),
        response: EmulatorOutbox,
        detail: {
          tags: ["emulator"],
          operationId: "listEmulated",
          summary: "The last messages of emulated accounts, oldest first",
        },
      },
    );
