import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ChannelName, TenantId } from "../../../contracts/gateway/channels.ts";
import { Contact, ContactPage, ForgottenContact } from "../../../contracts/gateway/contacts.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { type DeskDoor, deskCredential, deskTenant, requireRole } from "../auth/desk-credential.ts";
import { type ForgetPorts, finishSoon } from "./finish-forgetting.ts";
import { forgetContact } from "./forget-contact.ts";
import { getContact, listContacts } from "./list-contacts.ts";

const tags = ["contacts"];

/** Routes through which operators see the persons behind addresses, and have them forgotten. */
export const contactRoutes = (ports: ForgetPorts, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/contacts" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query, desk }) =>
        listContacts(ports.storage, { ...query, tenant: deskTenant(desk, query.tenant) }),
      {
        query: Type.Object({
          tenant: Type.Optional(TenantId),
          channel: Type.Optional(ChannelName),
          q: Type.Optional(
            Type.String({
              maxLength: 255,
              pattern: "^[^\\u0000]*$",
              description: "Part of a name or address; a number in any spelling.",
              fault: "must be a text of at most 255 characters without NUL",
            }),
          ),
          limit: pageLimit({ default: 50, max: 200 }),
          offset: pageOffset(),
        }),
        response: ContactPage,
        detail: { tags, operationId: "listContacts", summary: "Contacts, newest first" },
      },
    )
    .get("/:id", async ({ params, desk }) => getContact(ports.storage, desk, params.id), {
      response: Contact,
      detail: { tags, operationId: "getContact", summary: "One contact" },
    })
    .delete(
      "/:id",
      async ({ params, desk }) => {
        requireRole(desk, "admin");
        const forgetting = await forgetContact(ports, desk, params.id);
        const conversations = forgetting.conversationIds.length;
        return { deleted: true as const, conversations, pending: !(await finishSoon(ports, forgetting)) };
      },
      {
        response: ForgottenContact,
        detail: {
          tags,
          operationId: "forgetContact",
          summary: "Forgets a contact",
          description:
            "Deletes its addresses, conversations, messages, files, notes and what agents remember of it; of groups, the messages that it wrote, and what agents remember of the group.",
        },
      },
    );
