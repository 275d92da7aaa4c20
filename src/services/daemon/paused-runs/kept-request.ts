import type { EngineRequest } from "../../../engine/run-state/run-request.ts";

/**
 * Each field of a request: `kept` with the paused run, as JSON, or `renewed` by the decision or the result that resumes it. A new field of
 * `RunRequest` has to be added here.
 */
const fields = {
  sessionId: "kept",
  query: "kept",
  context: "kept",
  images: "kept",
  turns: "kept",
  history: "kept",
  limits: "kept",
  parameters: "kept",
  override: "kept",
  version: "kept",
  remember: "kept",
  traceContent: "kept",
  traceParent: "kept",
  begunAtMs: "kept",
  trigger: "kept",
  source: "kept",
  /** A column of its own. */
  tenant: "renewed",
  /** Secrets of a tenant, which are never stored. */
  means: "renewed",
  interceptor: "renewed",
  /** A run with stubs never pauses. */
  toolStubs: "renewed",
  stream: "renewed",
  bundles: "renewed",
  progress: "renewed",
  cancelledBy: "renewed",
  requestId: "renewed",
  /** The node that took the first request did not take this one. */
  routedFrom: "renewed",
} as const satisfies Record<keyof EngineRequest, "kept" | "renewed">;

type Fields = typeof fields;
type KeptField = { [Field in keyof Fields]: Fields[Field] extends "kept" ? Field : never }[keyof Fields];

/** Parts of a request that a resumed run needs. */
export type KeptRequest = Pick<EngineRequest, KeptField>;

/** Returns the parts of a request that are stored with its paused run. */
export function keptRequest(request: EngineRequest): KeptRequest {
  const fieldsKept = Object.entries(request).filter(([name]) => fields[name as keyof Fields] === "kept");
  return Object.fromEntries(fieldsKept) as unknown as KeptRequest;
}
