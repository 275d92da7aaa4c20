import { Elysia } from "elysia";
import { Binding, BindingChange, BindingInput, BindingList } from "../../../contracts/gateway/bindings.ts";
import { Deleted } from "../../../contracts/gateway/channels.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import { TenantListQuery } from "../tenant-list-query.ts";
import { type BindingPorts, bindingTag, changeBinding, createBinding } from "./save-binding.ts";
import { type BindingRow, deleteBinding, getAnyBinding, listBindings, presentBinding } from "./store.ts";

const tags = ["bindings"];

/** Routes through which operators say who answers an account's messages. */
export const bindingRoutes = (ports: BindingPorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/bindings" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .post(
      "",
      async ({ body, request, set }) => {
        const binding = await createBinding(ports, body, request.signal);
        set.status = 201;
        return binding;
      },
      {
        ...jsonBody(BindingInput),
        response: { 201: Binding },
        detail: { tags, operationId: "createBinding", summary: "Binds an account to an agent or a callback" },
      },
    )
    .get("", async ({ query }) => ({ bindings: await listBindings(ports.storage, query) }), {
      query: TenantListQuery,
      response: BindingList,
      detail: { tags, operationId: "listBindings", summary: "The bindings of a tenant, oldest first" },
    })
    .get(
      "/:id",
      async ({ params, set }) => {
        const { read, tables } = ports.storage;
        return tagged(await getAnyBinding(read, tables, params.id), set);
      },
      {
        response: Binding,
        detail: { tags, operationId: "getBinding", summary: "Returns a binding, with its ETag" },
      },
    )
    .put(
      "/:id",
      async ({ params, body, request, set }) =>
        tagged(await changeBinding(ports, params.id, body, request.signal, matchIn(request.headers)), set),
      {
        ...jsonBody(BindingChange),
        headers: IfMatch,
        response: Binding,
        detail: { tags, operationId: "changeBinding", summary: "Changes a binding; the config is merged" },
      },
    )
    .delete(
      "/:id",
      async ({ params }) => {
        await deleteBinding(ports.storage, params.id);
        return { deleted: true as const };
      },
      { response: Deleted, detail: { tags, operationId: "deleteBinding", summary: "Deletes a binding" } },
    );

/** Presents a binding and sets the ETag of the answer. */
function tagged(row: BindingRow, set: { headers: Record<string, string | number> }): Binding {
  set.headers.etag = bindingTag(row);
  return presentBinding(row);
}
