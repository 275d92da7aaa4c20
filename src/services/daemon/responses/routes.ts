import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ResponseBody,
  ResponseDeleted,
  ResponseInputItems,
  type ResponseItem,
  ResponseRequest,
} from "../../../contracts/daemon/responses.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AnswerFormats } from "../openai/answer-formats.ts";
import { invalid } from "../openai/chat-messages.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { responseNotFound } from "./conversation.ts";
import { createResponse, type ResponseDeps } from "./create-response.ts";
import type { ResponseRow } from "./schema.ts";
import { deleteResponse, endResponse, findResponse } from "./store.ts";

const ListQuery = Type.Object({
  limit: pageLimit({ default: 20, max: 100 }),
  order: Type.Optional(
    Type.Union([Type.Literal("asc"), Type.Literal("desc")], { fault: "must be asc or desc" }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 255, description: "Id of the last item of the page before." }),
  ),
});

const RetrieveQuery = Type.Object({
  stream: Type.Optional(Type.Literal("false", { fault: "can't be true; retrieve it until it has ended" })),
});

const tags = ["openai"];

/** OpenAI's Responses, in front of agents and providers. */
export function responseRoutes(deps: ResponseDeps) {
  const formats = new AnswerFormats();
  const { responses } = deps;
  const get = async (id: string): Promise<ResponseRow> => {
    const row = await findResponse(responses.storage, operatorTenant, id);
    if (row === undefined) throw responseNotFound(id);
    return row;
  };
  const bodyOf = ({ body }: ResponseRow) => JSON.parse(body) as ResponseBody;
  return new Elysia({ prefix: "/v1/responses" })
    .use(jsonRoutes())
    .post(
      "",
      async ({ body, request, call }) => createResponse(deps, body, { request, call, formats }) as never,
      {
        ...jsonBody(ResponseRequest),
        response: ResponseBody,
        detail: {
          tags,
          operationId: "createResponse",
          summary: "OpenAI-compatible responses",
          description:
            "The model `agent/<name>` runs that agent. `<provider>/<model>` sends the request to that provider.",
        },
      },
    )
    .get("/:id", async ({ params }) => bodyOf(await get(params.id)), {
      query: RetrieveQuery,
      response: ResponseBody,
      detail: { tags, operationId: "getResponse", summary: "Returns a stored response" },
    })
    .delete(
      "/:id",
      async ({ params: { id } }) => {
        if (!(await deleteResponse(responses.storage, operatorTenant, id))) throw responseNotFound(id);
        responses.stop(id);
        return { id, object: "response" as const, deleted: true as const };
      },
      {
        response: ResponseDeleted,
        detail: { tags, operationId: "deleteResponse", summary: "Deletes a stored response, and cancels it" },
      },
    )
    .post(
      "/:id/cancel",
      async ({ params: { id } }) => {
        const response = bodyOf(await get(id));
        if (!response.background)
          throw invalid("id", "is of a response that was not made with background: true");
        const body = JSON.stringify({ ...response, status: "cancelled" });
        await endResponse(responses.storage, operatorTenant, id, { status: "cancelled", body });
        responses.stop(id);
        return bodyOf(await get(id));
      },
      {
        response: ResponseBody,
        detail: {
          tags,
          operationId: "cancelResponse",
          summary: "Cancels a response in the background; one that has ended is returned as it is",
        },
      },
    )
    .get("/:id/input_items", async ({ params, query }) => page(await get(params.id), query), {
      query: ListQuery,
      response: ResponseInputItems,
      detail: {
        tags,
        operationId: "listResponseInputItems",
        summary: "Lists the items of a response's request",
      },
    });
}

function page(
  { input }: ResponseRow,
  { limit, order = "desc", after }: { limit: number; order?: "asc" | "desc"; after?: string },
): ResponseInputItems {
  const items = JSON.parse(input) as (ResponseItem & { id: string })[];
  if (order === "desc") items.reverse();
  const at = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && at === 0) throw invalid("after", "names no item of this response");
  const data = items.slice(at, at + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: at + limit < items.length,
  };
}
