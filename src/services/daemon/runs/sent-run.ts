import type { MeshRun } from "../../../contracts/daemon/mesh-run.ts";
import type { ImagePart, Message } from "../../../engine/models/model.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { LocatedAgent } from "./locate-agent.ts";
import type { AdmittedRequest } from "./run-router.ts";

/** A run as data, by which another process can perform it: a node of the mesh, or the one that continues it after a crash. */
export type SentRun = Omit<MeshRun, "from" | "to">;

/** Returns the data of an admitted run. */
export function sentRun(
  { name, terms: { sender, override, format } }: LocatedAgent,
  request: AdmittedRequest,
  record: boolean,
): SentRun {
  const { images, history, parameters, limits, traceContent, requestId } = request;
  const { toolStubs, remember, source, trigger, turns } = request;
  return {
    agent: name,
    sender,
    session_id: request.sessionId,
    query: request.query,
    context: request.context,
    stream: request.stream,
    ...(requestId !== undefined && { request_id: requestId }),
    ...(record && { record }),
    ...(traceContent !== undefined && { trace_content: traceContent }),
    ...(override && { override }),
    ...(toolStubs && { tool_stubs: toolStubs }),
    ...(remember && { remember }),
    ...(source && source !== "trigger" && { source }),
    ...(trigger && { trigger }),
    ...(turns && { turns: [...turns] }),
    ...(images && { images: [...images] }),
    ...(history && { history: [...history] }),
    ...(parameters && { parameters: { ...parameters } }),
    ...(limits && { limits }),
    ...(format && { answer_schema: { name: format.schema.name, schema: { ...format.schema.schema } } }),
  };
}

/** Returns the request of a run that came as data. The process that admitted it has checked its parts. */
export function receivedRequest(run: SentRun, cancelledBy: readonly AbortSignal[]): AdmittedRequest {
  const { images, history, parameters, limits, override, trace_content: traceContent } = run;
  const { tool_stubs: toolStubs, remember, source, trigger, turns } = run;
  return {
    tenant: operatorTenant,
    sessionId: run.session_id,
    query: run.query,
    context: run.context,
    stream: run.stream,
    cancelledBy,
    ...(run.request_id !== undefined && { requestId: run.request_id }),
    ...(images && { images: images as ImagePart[] }),
    ...(history && { history: history as Message[] }),
    ...(parameters && { parameters }),
    ...(limits && { limits }),
    ...(override && { override }),
    ...(toolStubs && { toolStubs }),
    ...(remember && { remember }),
    ...(source && { source }),
    ...(trigger && { trigger }),
    ...(turns && { turns }),
    ...(traceContent !== undefined && { traceContent }),
  };
}
