import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../../daemon/runs/run.ts";

export const ForgetSession = Type.Object({ session_id: SessionId }, { additionalProperties: false });

export const TenantSessionForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  runs: Type.Integer({ minimum: 0, description: "Runs of the session." }),
});
export type TenantSessionForgotten = Static<typeof TenantSessionForgotten>;
