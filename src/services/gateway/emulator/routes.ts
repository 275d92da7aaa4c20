import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { EmulatorFaultInput, EmulatorFaultSet, EmulatorOutbox } from "../../../contracts/gateway/admin.ts";
import { ChannelName } from "../../../contracts/gateway/channels.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { EmulatorRing } from "./emulator-ring.ts";

/** Routes that show what emulated accounts sent, and let them fail. */
export const emulatorRoutes = (ring: EmulatorRing, adminToken: string) =>
  new Elysia({ prefix: "/admin/emulator" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .post(
      "/faults",
      async ({ body: { canal = "phone_messenger", cuenta, fault, veces = 1 }, set }) => {
        ring.fail({ channel: canal, account: cuenta }, fault, veces);
        set.status = 202;
        return { fault, veces };
      },
      {
        ...jsonBody(EmulatorFaultInput),
        response: { 202: EmulatorFaultSet },
        detail: {
          tags: ["emulator"],
          operationId: "failEmulated",
          summary: "Lets the next messages of an emulated account fail",
        },
      },
    )
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
