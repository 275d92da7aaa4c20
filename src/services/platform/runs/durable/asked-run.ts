import type { RuntimeRun } from "../../../../contracts/runtime/runs.ts";
import { openText, sealText } from "../../../../storage/sealed-text.ts";
import type { Sealer } from "../../../../storage/sealing/seal.ts";

/** The part of a run that its caller asked for. It is stored with a durable run, because another process may have to ask again. */
export type AskedRun = Pick<
  RuntimeRun,
  "query" | "context" | "images" | "turns" | "trace_content" | "remember" | "source" | "traceparent"
>;

type Sealing = { sealer: Sealer | undefined };
type Whose = { tenantId: string; invocationId: string };

export function sealAsked({ sealer }: Sealing, run: Whose, asked: AskedRun): string {
  return sealText(sealer, JSON.stringify(asked), contextOf(run));
}

export function openAsked({ sealer }: Sealing, run: Whose, kept: string): AskedRun {
  return JSON.parse(openText(sealer, kept, contextOf(run)));
}

const contextOf = ({ tenantId, invocationId }: Whose) => ({
  purpose: "platform request",
  tenant: tenantId,
  name: invocationId,
});
