import { type Static, Type } from "@sinclair/typebox";
import { Instant } from "./fields.ts";
import { microsMax } from "./micros.ts";

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** Reason of a grant or of a correction, as the customer reads it on the statement. */
export const Reason = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const GrantInput = Type.Object({
  credits_micros: Type.Integer({
    minimum: 1,
    maximum: microsMax,
    description: "Granted credits, in micros of a credit.",
  }),
  reason: Reason("Reason, for example `trial`, `top-up` or `goodwill`. The tenant sees it on its statement."),
  expires_at: Type.Optional(
    orNull({
      ...Instant,
      description: "Time from which the rest can't be used. Null or absent: never.",
    }),
  ),
  price_micros: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 0,
        maximum: microsMax,
        description: "Price in micros of USD, charged as `recarga` in the current period. Null: free.",
      }),
    ),
  ),
});
export type GrantInput = Static<typeof GrantInput>;

/** Credits given to a tenant. Never changed. */
export const Grant = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  credits_micros: Type.Integer(),
  reason: Type.String(),
  expires_at: orNull(Type.String()),
  price_micros: orNull(Type.Integer()),
  created_by: Type.String(),
  created_at: Type.String(),
  used_micros: Type.Integer({ description: "Credits that runs have used." }),
  left_micros: Type.Integer({ description: "Credits that can still be used; 0 after the expiry." }),
  expired_micros: Type.Integer({ description: "Credits that expired unused." }),
});
export type Grant = Static<typeof Grant>;

export const GrantList = Type.Object({
  grants: Type.Array(Grant),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor of the next page. Absent on the last page." }),
  ),
});
export type GrantList = Static<typeof GrantList>;

/** A grant on a statement. `opening_micros` = `used_micros` + `left_micros` + `expired_micros`. */
export const StatementGrant = Type.Object({
  id: Type.String(),
  reason: Type.String(),
  created_at: Type.String(),
  expires_at: orNull(Type.String()),
  credits_micros: Type.Integer(),
  opening_micros: Type.Integer({ description: "Credits at the start of the period, or at their grant." }),
  used_micros: Type.Integer({ description: "Credits used by runs of the period." }),
  left_micros: Type.Integer({ description: "Credits left at the end of the period, or today." }),
  expired_micros: Type.Integer({ description: "Credits that expired unused in the period." }),
});
export type StatementGrant = Static<typeof StatementGrant>;
