import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  Drift,
  ReconcilePlan,
  ReconcileResult,
  SpecRemoval,
} from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { wantsEventStream } from "../../../http/streams/accept.ts";
import { inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { ReadSpec } from "../mapping/cloud-provider.ts";
import { getProvider } from "../mapping/cloud-provider.ts";
import { readSpec, requireKind, type SpecManifests } from "../mapping/read-spec.ts";
import { getSpec } from "../specs/store.ts";
import type { TellStep } from "./apply-changes.ts";
import { findDrift } from "./find-drift.ts";
import { makePlan } from "./make-plan.ts";
import { reconcile } from "./reconcile.ts";
import { type RemovePorts, removeSpec } from "./remove-spec.ts";
import { streamReconcile } from "./stream-reconcile.ts";

const tags = ["reconcile"];

const AccountQuery = Type.Object({
  provider: Type.Optional(Type.String({ description: "ID of the cloud provider." })),
  account: Type.Optional(
    Type.String({ description: "Account in runtime.yaml. Default: first account of the provider." }),
  ),
});

const RemovalQuery = Type.Object({
  cascade: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` also deletes the manifest's resources in all accounts.",
    }),
  ),
  forget_missing: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description:
        "With `cascade=true`: `true` forgets resources in accounts that aren't in runtime.yaml any more. They stay in the cloud, and the response lists them in `forgotten`. Otherwise such an account is refused with 409 `account_missing`.",
    }),
  ),
});

export interface ReconcileRoutePorts extends RemovePorts {
  manifests: SpecManifests;
}

/** Routes that compare a stored manifest with a cloud account, and make the account like it. A cloud may take minutes for an answer. */
export const reconcileRoutes = (ports: ReconcileRoutePorts) => {
  const { storage, accounts, manifests } = ports;
  /** Reads the stored manifest. Throws `unknown_kind` (422) before `spec_not_found` (404). */
  const stored = async (kind: string, name: string): Promise<ReadSpec> => {
    const { yaml } = await getSpec(storage, requireKind(kind), name);
    const spec = await inPieces(readSpec(manifests, yaml));
    await othersTurn();
    return spec;
  };
  const chosen = (query: { provider?: string | undefined; account?: string | undefined }) => {
    if (query.provider !== undefined) getProvider(query.provider);
    return accounts.choose(query);
  };
  return new Elysia({ prefix: "/v1/specs/:kind/:name" })
    .use(jsonRoutes())
    .post(
      "/reconcile",
      async ({ params, query, headers, request, call }) => {
        holdOpen(call, request);
        const spec = await stored(params.kind, params.name);
        const ifMatch = headers["if-match"]?.replace(/^(?:W\/)?"(.*)"$/, "$1");
        const account = chosen(query);
        const begin = (tell?: TellStep) =>
          reconcile(ports, account, referenceOf(spec), spec, { ifMatch, tell });
        if (!wantsEventStream(request.headers)) return begin();
        // Elysia sends a Response unchanged, but its types don't allow an async handler to return one or a result.
        return streamReconcile({ begin, call, request, clock: ports.clock }) as never;
      },
      {
        query: AccountQuery,
        headers: Type.Object({
          "if-match": Type.Optional(Type.String({ description: "Hash of the plan to apply." })),
        }),
        response: ReconcileResult,
        detail: {
          tags,
          operationId: "reconcileSpec",
          summary: "Creates, updates and deletes resources until the account is like the manifest",
          description:
            "With `Accept: text/event-stream`, the response is a stream: a `step` event when a change begins and when it is done, then `done` with the result, or `error`.",
        },
      },
    )
    .post(
      "/plan",
      async ({ params, query, request, call }) => {
        holdOpen(call, request);
        const spec = await stored(params.kind, params.name);
        const made = await makePlan(storage, chosen(query), referenceOf(spec), spec, request.signal);
        return made.plan;
      },
      {
        query: AccountQuery,
        response: ReconcilePlan,
        detail: {
          tags,
          operationId: "planSpec",
          summary: "Plans a reconcile without changing anything",
        },
      },
    )
    .get(
      "/drift",
      async ({ params, query, request, call }) => {
        holdOpen(call, request);
        const { kind, name } = await getSpec(storage, requireKind(params.kind), params.name);
        return findDrift(storage, chosen(query), { kind, name }, request.signal);
      },
      {
        query: AccountQuery,
        response: Drift,
        detail: {
          tags,
          operationId: "getDrift",
          summary: "Compares the account with what was last applied",
        },
      },
    )
    .delete(
      "",
      async ({ params, query, request, call }) => {
        holdOpen(call, request);
        const { kind, name } = await getSpec(storage, requireKind(params.kind), params.name);
        const isCascade = query.cascade === "true";
        const removed = await removeSpec(ports, { kind, name }, isCascade, query.forget_missing === "true");
        return { kind, name, ...removed };
      },
      {
        query: RemovalQuery,
        response: SpecRemoval,
        detail: {
          tags,
          operationId: "deleteSpec",
          summary: "Deletes a manifest, with `cascade` its resources too",
          description:
            "If an account fails, the error has the names of all resources `deleted` until then, the resource that `failed`, and those of this and the other accounts that were `not_tried`.",
        },
      },
    );
};

const referenceOf = ({ kind, name }: SpecReference): SpecReference => ({ kind, name });
