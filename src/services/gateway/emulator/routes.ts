import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  EmulatorFaultInput,
  EmulatorFaultSet,
  EmulatorOutbox,
  EmulatorReactionInput,
  EmulatorReceiptInput,
  EmulatorReceiptQueued,
} from "../../../contracts/gateway/admin.ts";
import { ChannelName } from "../../../contracts/gateway/channels.ts";
import { EmulatorInboundInput, InboundQueued } from "../../../contracts/gateway/emulator.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import {
  type EmulatorPorts,
  emulateFault,
  emulateInbound,
  emulateReaction,
  emulateReceipt,
} from "./emulate-inbound.ts";
import type { EmulatorRing } from "./emulator-ring.ts";

/** Routes that write to emulated accounts, show what these sent, and let them fail. */
export const emulatorRoutes = (ports: EmulatorPorts & { emulated: EmulatorRing }, adminToken: string) =>
  new Elysia({ prefix: "/admin/emulator" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .post(
      "/inbound",
      async ({ body, set }) => {
        const id = await emulateInbound(ports, body);
        set.status = 202;
        return { encolado: true as const, channel_message_id: id };
      },
      {
        ...jsonBody(EmulatorInboundInput),
        response: { 202: InboundQueued },
        detail: {
          tags: ["emulator"],
          operationId: "emulateInbound",
          summary: "Delivers a message to an emulated account",
        },
      },
    )
    .post(
      "/receipts",
      async ({ body, set }) => {
        await emulateReceipt(ports, body);
        set.status = 202;
        return { encolado: true as const };
      },
      {
        ...jsonBody(EmulatorReceiptInput),
        response: { 202: EmulatorReceiptQueued },
        detail: {
          tags: ["emulator"],
          operationId: "emulateReceipt",
          summary: "Reports that a message of an emulated account was delivered or read",
        },
      },
    )
    .post(
      "/reactions",
      async ({ body, set }) => {
        await emulateReaction(ports, body);
        set.status = 202;
        return { encolado: true as const };
      },
      {
        ...jsonBody(EmulatorReactionInput),
        response: { 202: EmulatorReceiptQueued },
        detail: {
          tags: ["emulator"],
          operationId: "emulateReaction",
          summary: "Reacts to a message of an emulated account as a customer would",
        },
      },
    )
    .post(
      "/faults",
      async ({ body, set }) => {
        const veces = await emulateFault(ports, body);
        set.status = 202;
        return { fault: body.fault, veces };
      },
      {
        ...jsonBody(EmulatorFaultInput),
        response: { 202: EmulatorFaultSet },
        detail: {
          tags: ["emulator"],
          operationId: "failEmulated",
          summary: "Lets messages of an emulated account fail: the next ones, or the answers to one message",
        },
      },
    )
    .get(
      "/outbox",
      async ({ query: { canal, cuenta, ultimos } }) => {
        const { total, messages } = ports.emulated.last({ channel: canal, account: cuenta }, ultimos);
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
