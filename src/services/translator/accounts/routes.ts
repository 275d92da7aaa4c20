import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AccountFailure,
  HeldResource,
  HeldResourceList,
  ResourceEdit,
  TranslatorAccountList,
} from "../../../contracts/translator/reconcile.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { cursor } from "../../../http/page-cursor.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Accounts } from "./accounts.ts";
import { editHeld, failNext, listHeld } from "./local/edit-local-account.ts";
import type { LocalAccountPorts } from "./local/local-account.ts";

const tags = ["accounts"];

const HeldQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor });

export interface CloudAccountPorts extends LocalAccountPorts {
  accounts: Accounts;
}

/** Routes that list the accounts, and that look into embedded ones and change them by hand. */
export const accountRoutes = (ports: CloudAccountPorts) => {
  /** Throws `account_not_found` (404), or `account_not_embedded` (422) for an account of a cloud. */
  const embedded = (name: string): string => {
    if (ports.accounts.get(name).driver === "embedded") return name;
    throw new AppError(
      "unprocessable",
      "account_not_embedded",
      `Account ${name} is a cloud's: look at its resources and change them there.`,
    );
  };
  return new Elysia({ prefix: "/v1/accounts" })
    .use(jsonRoutes())
    .get("", async () => ({ accounts: ports.accounts.list() }), {
      response: TranslatorAccountList,
      detail: { tags, operationId: "listAccounts", summary: "Lists the accounts of runtime.yaml" },
    })
    .get(
      "/:account/resources",
      async ({ params, query }) => listHeld(ports, embedded(params.account), query),
      {
        query: HeldQuery,
        response: HeldResourceList,
        detail: {
          tags,
          operationId: "listHeldResources",
          summary: "Lists the resources of an embedded account by manifest, type and name",
        },
      },
    )
    .patch(
      "/:account/resources/*",
      async ({ params, body }) => editHeld(ports, embedded(params.account), params["*"], body.set),
      {
        ...jsonBody(ResourceEdit),
        response: HeldResource,
        detail: {
          tags,
          operationId: "editHeldResource",
          summary: "Edits a resource of an embedded account",
        },
      },
    )
    .post(
      "/:account/failures",
      async ({ params, body, set }) => {
        await failNext(ports, embedded(params.account), body);
        set.status = 204;
      },
      {
        ...jsonBody(AccountFailure),
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "failNextCalls",
          summary: "Makes the next calls to an embedded account fail",
        },
      },
    );
};
