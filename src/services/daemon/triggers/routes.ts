import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  Fire,
  FireList,
  FireRequest,
  TriggerList,
  TriggerSummary,
} from "../../../contracts/daemon/triggers.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idCursor, pageLimit, pageOf, readIdCursor } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { NewId } from "../../../kit/id.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { presentFire, presentTrigger } from "./present-trigger.ts";
import type { FireRow, TriggerRow } from "./schema.ts";
import { findTrigger, lastFires, listFires, listTriggers, pauseTrigger } from "./store.ts";
import type { LoadedTrigger, Triggers } from "./triggers.ts";

const FiresQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor: idCursor });

const tags = ["triggers"];

export interface TriggerRoutesDeps {
  catalog: AgentCatalog;
  triggers: Triggers;
  newId: NewId;
}

/** Routes for `spec.triggers`: they are listed, paused, resumed and fired by hand. */
export const triggerRoutes = ({ catalog, triggers, newId }: TriggerRoutesDeps) => {
  const { storage } = triggers;
  const keyOf = ({ agent, trigger }: LoadedTrigger) => ({
    tenant: operatorTenant,
    agent: agent.name,
    name: trigger.declared.name,
  });
  const present = (loaded: LoadedTrigger, row: TriggerRow | undefined, last: FireRow | undefined) =>
    presentTrigger(catalog, loaded, { row, nextAt: triggers.nextAt(loaded), last });
  const presentOne = async (loaded: LoadedTrigger) => {
    const key = keyOf(loaded);
    const [last] = await listFires(storage, key, { before: undefined, limit: 1 });
    return present(loaded, await findTrigger(storage, key), last);
  };
  const pause = async (agent: string, name: string, isPaused: boolean) => {
    const loaded = await triggers.get(agent, name);
    if (!(await pauseTrigger(storage, keyOf(loaded), isPaused))) {
      await triggers.note();
      await pauseTrigger(storage, keyOf(loaded), isPaused);
    }
    return presentOne(loaded);
  };
  return new Elysia({ prefix: "/v1/triggers" })
    .use(jsonRoutes())
    .get(
      "",
      async () => {
        const [rows, fires] = await Promise.all([
          listTriggers(storage, operatorTenant),
          lastFires(storage, operatorTenant),
        ]);
        return {
          triggers: triggers.loaded().map((loaded) => {
            const { agent, name } = keyOf(loaded);
            const row = rows.find((one) => one.agent === agent && one.name === name);
            return present(
              loaded,
              row,
              fires.find((one) => one.agent === agent && one.trigger === name),
            );
          }),
        };
      },
      {
        response: TriggerList,
        detail: { tags, operationId: "listTriggers", summary: "Lists the triggers of the loaded agents" },
      },
    )
    .get("/:agent/:name", async ({ params }) => presentOne(await triggers.get(params.agent, params.name)), {
      response: TriggerSummary,
      detail: { tags, operationId: "getTrigger", summary: "Returns a trigger with its last fire" },
    })
    .post("/:agent/:name/pause", async ({ params }) => pause(params.agent, params.name, true), {
      response: TriggerSummary,
      detail: {
        tags,
        operationId: "pauseTrigger",
        summary: "Pauses a trigger",
        description:
          "Its events fire nothing until it is resumed, and are not made up for. Fires that wait already run. It can still be fired by hand.",
      },
    })
    .post("/:agent/:name/resume", async ({ params }) => pause(params.agent, params.name, false), {
      response: TriggerSummary,
      detail: { tags, operationId: "resumeTrigger", summary: "Resumes a paused trigger" },
    })
    .post(
      "/:agent/:name/fire",
      async ({ params, body, set }) => {
        const loaded = await triggers.get(params.agent, params.name);
        const key = `hand:${body.key ?? newId()}`;
        set.status = 202;
        return presentFire(
          await triggers.fire(loaded, { key, payload: body.payload ?? {}, byPerson: true }),
        ) as never;
      },
      {
        ...jsonBody(FireRequest),
        response: { 202: Fire },
        detail: {
          tags,
          operationId: "fireTrigger",
          summary: "Fires a trigger by hand",
          description:
            "Returns at once; the fire's list shows what becomes of it. While 200 fires wait, the answer is 503 `trigger_queue_full`.",
        },
      },
    )
    .get(
      "/:agent/:name/fires",
      async ({ params, query }) => {
        const key = keyOf(await triggers.get(params.agent, params.name));
        const { limit } = query;
        const rows = await listFires(storage, key, { before: readIdCursor(query.cursor), limit });
        const { page, next } = pageOf(rows, limit, ({ id }) => id);
        return { fires: page.map(presentFire), ...next };
      },
      {
        query: FiresQuery,
        response: FireList,
        detail: {
          tags,
          operationId: "listFires",
          summary: "Lists the fires of a trigger, newest first",
          description: "Fires are kept for 30 days.",
        },
      },
    );
};
