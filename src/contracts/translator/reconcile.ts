import { type Static, Type } from "@sinclair/typebox";
import { Gap, SpecReference } from "./translation.ts";

const names = (description: string) => Type.Array(Type.String(), { description });

export const ReconcileResult = Type.Composite([
  SpecReference,
  Type.Object({
    created: names("Names of the created resources."),
    updated: names("Names of the updated resources."),
    deleted: names("Names of the deleted resources."),
    gaps: names("Details of the gaps."),
  }),
]);
export type ReconcileResult = Static<typeof ReconcileResult>;

export const changeActions = ["create", "update", "delete"] as const;
export type ChangeAction = (typeof changeActions)[number];

/** Progress of a reconcile: one change begins, or is done. */
export const ReconcileStep = Type.Object({
  type: Type.Literal("step"),
  action: Type.Unsafe<ChangeAction>(Type.Union(changeActions.map((action) => Type.Literal(action)))),
  resource: Type.String(),
  resource_type: Type.String(),
  state: Type.Union([Type.Literal("begun"), Type.Literal("done")]),
});
export type ReconcileStep = Static<typeof ReconcileStep>;

/** Events of a streamed reconcile. The last is `done`, or `error` with the fields of the error body and its HTTP status. */
export type ReconcileFrame =
  | ReconcileStep
  | ({ type: "done" } & ReconcileResult)
  | ({ type: "error"; error: string; message: string; status: number } & Record<string, unknown>);

export const FieldChange = Type.Object({
  path: Type.String({ description: "Dotted path in the resource's config, such as `spec.agent_framework`." }),
  before: Type.Optional(Type.Unknown({ description: "Previous value. Absent for an added field." })),
  after: Type.Optional(Type.Unknown({ description: "New value. Absent for a removed field." })),
});
export type FieldChange = Static<typeof FieldChange>;

export const ResourceChange = Type.Object({
  action: Type.Unsafe<ChangeAction>(Type.Union(changeActions.map((action) => Type.Literal(action)))),
  resource: Type.String({ description: "Name of the resource." }),
  resource_type: Type.String(),
  fields: Type.Array(FieldChange),
});
export type ResourceChange = Static<typeof ResourceChange>;

export const ReconcilePlan = Type.Composite([
  SpecReference,
  Type.Object({
    provider: Type.String(),
    account: Type.String(),
    hash: Type.String({
      description:
        "SHA-256 of the planned changes and the current state of the account. A reconcile request with `If-Match: <hash>` applies exactly this plan or nothing.",
    }),
    changes: Type.Array(ResourceChange),
    gaps: Type.Array(Gap),
  }),
]);
export type ReconcilePlan = Static<typeof ReconcilePlan>;

export const Drift = Type.Composite([
  SpecReference,
  Type.Object({
    account: Type.String(),
    drifted: Type.Boolean({ description: "True if the account differs from the last applied state." }),
    changes: Type.Array(ResourceChange, {
      description: "Changes required to restore the last applied state.",
    }),
  }),
]);
export type Drift = Static<typeof Drift>;

export const AccountView = Type.Object({
  name: Type.String(),
  provider: Type.String(),
  driver: Type.String({ description: "Driver of the account: `embedded`, or the cloud's own API." }),
});
export type AccountView = Static<typeof AccountView>;

export const TranslatorAccountList = Type.Object({ accounts: Type.Array(AccountView) });
export type TranslatorAccountList = Static<typeof TranslatorAccountList>;

export const HeldResource = Type.Object({
  id: Type.String(),
  spec: Type.String({ description: "Manifest that the resource belongs to, as `<kind>/<name>`." }),
  resource_type: Type.String(),
  name: Type.String(),
  config: Type.Record(Type.String(), Type.Unknown()),
  updated_at: Type.String({ description: "Time of the last update, ISO 8601 UTC." }),
});
export type HeldResource = Static<typeof HeldResource>;

export const HeldResourceList = Type.Object({
  resources: Type.Array(HeldResource),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor for the next page; missing if there is none." }),
  ),
});
export type HeldResourceList = Static<typeof HeldResourceList>;

export const ForgottenResource = Type.Object({
  account: Type.String(),
  resource_type: Type.String(),
  resource: Type.String({ description: "Name of the resource." }),
  id: Type.String({ description: "ID of the resource in the account." }),
});
export type ForgottenResource = Static<typeof ForgottenResource>;

export const SpecRemoval = Type.Composite([
  SpecReference,
  Type.Object({
    deleted: names("Names of the resources deleted with the manifest."),
    forgotten: Type.Optional(
      Type.Array(ForgottenResource, {
        description:
          "With `forget_missing`: the resources in accounts that aren't in runtime.yaml any more. They stay in the cloud. Absent if there are none.",
      }),
    ),
  }),
]);
export type SpecRemoval = Static<typeof SpecRemoval>;

export const ResourceEdit = Type.Object(
  {
    set: Type.Record(Type.String({ minLength: 1, maxLength: 1024 }), Type.Unknown(), {
      description: "New values by dotted path in the config. Null removes a field.",
      minProperties: 1,
    }),
  },
  { additionalProperties: false },
);
export type ResourceEdit = Static<typeof ResourceEdit>;

export const AccountFailure = Type.Object(
  {
    action: Type.Unsafe<ChangeAction>(Type.Union(changeActions.map((action) => Type.Literal(action)))),
    resource_type: Type.Optional(
      Type.String({ maxLength: 128, description: "Resource type whose calls fail. Default: all types." }),
    ),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 1,
        description: "Number of calls that fail.",
      }),
    ),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  },
  { additionalProperties: false },
);
export type AccountFailure = Static<typeof AccountFailure>;
