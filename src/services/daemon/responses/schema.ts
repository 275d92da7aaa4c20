import type { ResponseStatus } from "../../../contracts/daemon/responses.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Answers of the Responses API that their callers let us store. */
export const responseTables = ({ table, id, text, instant, index, primaryKey }: Columns) => ({
  responses: table(
    "responses",
    {
      tenant: id("tenant").notNull(),
      id: id("id").notNull(),
      status: text("status").$type<ResponseStatus>().notNull(),
      /** Agent that answered; null for a model. */
      agent: id("agent"),
      /** The answer as JSON text, whose escapes make any text storable. */
      body: text("body").notNull(),
      /** JSON text: the items of the request. */
      input: text("input").notNull(),
      /** JSON text: the request and key of one that is made in the background, so that another process can continue it. */
      request: text("request"),
      previousId: id("previous_id"),
      /** Session of the agent, if it keeps the conversation. */
      sessionId: text("session_id"),
      createdAt: instant("created_at").notNull(),
      /** Process that runs it, and the end of its lease. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
    },
    (response) => [
      primaryKey({ columns: [response.tenant, response.id] }),
      index("responses_agent").on(response.tenant, response.agent),
      index("responses_age").on(response.createdAt),
      index("responses_held").on(response.status, response.heldUntil),
    ],
  ),
});

export type ResponseTables = ReturnType<typeof responseTables>;

export type ResponseRow = ResponseTables["responses"]["$inferSelect"];
