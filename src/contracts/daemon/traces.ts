import { type Static, Type } from "@sinclair/typebox";
import { Trace } from "./run.ts";

export const TraceList = Type.Object({ traces: Type.Array(Trace) });
export type TraceList = Static<typeof TraceList>;
