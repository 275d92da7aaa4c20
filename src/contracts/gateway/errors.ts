import { type Static, Type } from "@sinclair/typebox";

/** Error body of the gateway: one sentence that says what happened and what to do. */
export const GatewayError = Type.Object({ error: Type.String() }, { $id: "GatewayError" });
export type GatewayError = Static<typeof GatewayError>;
