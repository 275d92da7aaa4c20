import type { MeshEntry } from "../../../../contracts/daemon/mesh.ts";
import type { ProviderFetch } from "../../../../engine/models/providers/provider-kind.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Logger } from "../../../../kit/log.ts";
import { answerHeader, signatureHeader } from "../../../../mesh/message-signature.ts";
import type { NodeCallDeps } from "./call-node.ts";

export const completionPath = "/v1/mesh/completion";

export interface InferenceCallDeps extends Pick<NodeCallDeps, "fetch" | "signer" | "self"> {
  others(): readonly MeshEntry[];
  baseUrlOf(node: MeshEntry): string;
  log: Logger;
}

/** Nodes that are asked for one call. */
const triesMax = 2;

/**
 * Returns a `fetch` for OpenAI-compatible calls to the nodes with the role `inference`: the least busy one with the model answers. If it
 * can't be reached or is busy, one other is asked. Nothing is repeated after the answer's head.
 */
export function inferenceFetch(deps: InferenceCallDeps): ProviderFetch {
  return async (url, init) => {
    if (new URL(url).pathname.endsWith("/models")) return Response.json(modelList(deps));
    const text = String(init.body ?? "");
    const { model } = JSON.parse(text) as { model: string };
    const nodes = nodesWith(model, deps);
    if (nodes.length === 0)
      return openAiError(404, "model_not_found", `No reachable inference node has ${model}.`);
    let failure: unknown;
    for (const node of nodes.slice(0, triesMax)) {
      try {
        const response = await call(deps, node, text, init);
        if (response.status !== 503) return response;
        failure = new AppError("unavailable", "too_busy", `The node ${node.node_id} is busy.`, {
          details: { retryAfterSeconds: 1 },
        });
      } catch (thrown) {
        init.signal?.throwIfAborted();
        failure = thrown;
      }
      deps.log.warn("mesh.inference_failed", { node: node.node_id, model, err: failure });
    }
    throw failure;
  };
}

async function call(
  { fetch, signer, self, baseUrlOf }: InferenceCallDeps,
  node: MeshEntry,
  body: string,
  { signal }: RequestInit,
): Promise<Response> {
  const signature = signer.sign(self(), completionPath, body);
  const response = await fetch(`${baseUrlOf(node)}${completionPath}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", [signatureHeader]: signature },
    ...(signal && { signal }),
  });
  // A refusal comes before the node has read who asks, so it is not signed.
  if (response.ok) signer.verifyAnswer(signature, response.headers.get(answerHeader), completionPath);
  return response;
}

const nodesWith = (model: string, { others }: InferenceCallDeps): readonly MeshEntry[] =>
  others()
    .filter(({ state, models }) => state !== "dead" && models?.includes(model))
    .toSorted(
      (a, b) => Number(a.state === "suspect") - Number(b.state === "suspect") || loadOf(a) - loadOf(b),
    );

const loadOf = ({ active_requests: active }: MeshEntry) => active;

function modelList({ others }: InferenceCallDeps): object {
  const living = others().filter(({ state }) => state !== "dead");
  const ids = [...new Set(living.flatMap(({ models = [] }) => models))].sort();
  return { object: "list", data: ids.map((id) => ({ id, object: "model" })) };
}

const openAiError = (status: number, code: string, message: string) =>
  Response.json({ error: { message, type: "invalid_request_error", param: null, code } }, { status });
