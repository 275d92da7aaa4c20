import type { TSchema } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import type { MeshEntry } from "../../../../contracts/daemon/mesh.ts";
import { MeshRun } from "../../../../contracts/daemon/mesh-run.ts";
import type { ImagePart, Message } from "../../../../engine/models/model.ts";
import { holdOpen } from "../../../../http/call.ts";
import { invalidPart } from "../../../../http/errors/validation-problems.ts";
import { rawRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { endOfTurn } from "../../../../kit/concurrency/others-turn.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";
import { schemaChecker } from "../../../../kit/json/schema-checker.ts";
import { type MessageSigner, signatureHeader } from "../../../../mesh/message-signature.ts";
import { requireNoPause } from "../../openai/agent-completion.ts";
import { AnswerFormats } from "../../openai/answer-formats.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { admitHere, type RunDeps } from "../../runs/admit-run.ts";
import { locateAgent } from "../../runs/locate-agent.ts";
import type { AdmittedRequest } from "../../runs/run-router.ts";
import { runPath } from "./call-node.ts";
import { type Answering, RunAnswers } from "./run-answer.ts";
import { linesType, wholeType } from "./whole-answer.ts";

/** Runs of other nodes, as this node accepts them. */
export interface RunHop {
  signer: Pick<MessageSigner, "verify" | "signAnswer" | "hasSecret">;
  nodeId: string;
  /** This node's present offers. */
  own(): MeshEntry;
  /** Throws `node_draining` or `node_resumed` (503) if this node takes no runs of others at the moment. */
  requireOpen(): void;
  /** Called when such a run ends. */
  ended(outcome: "ok" | "failed"): void;
}

/** Largest run: a query, its context and its images. */
const bodyBytesMax = 16 * 1024 * 1024;

/** The route by which another node hands over a run. It always runs here: a run makes one hop. */
export function hopRoutes(deps: RunDeps, hop: RunHop | undefined): AnyElysia {
  const checker = schemaChecker(MeshRun);
  const formats = new AnswerFormats();
  const answers = new RunAnswers(deps.clock);
  return new Elysia().use(rawRoutes(bodyBytesMax)).post(
    runPath,
    async ({ request, body, call }) => {
      if (hop === undefined) throw hopsDisabled();
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      const { nodeId, mac } = hop.signer.verify(request.headers.get(signatureHeader), runPath, bytes);
      // The node that signed it has read it strictly.
      const run = parseJson(new TextDecoder().decode(bytes));
      if (!checker.fits(run)) throw invalidPart("The body", checker.faultsOf(run), MeshRun);
      requireAddressed(run, { from: nodeId, to: hop.nodeId });
      // A process that was stopped reads runs whose caller has long gone. After a turn, it has read that too.
      hop.requireOpen();
      await endOfTurn();
      request.signal.throwIfAborted();
      holdOpen(call, request);
      // Without a secret, the sender could be any program of this machine.
      const sender = hop.signer.hasSecret ? run.sender : "stranger";
      const perform = await readyRun(deps, formats, { ...run, sender });
      const { signer, ended } = hop;
      return answers.answer({ request, call, perform, signer, mac, stream: run.stream, ended });
    },
    {
      detail: {
        tags: ["mesh"],
        operationId: "runMesh",
        summary: "Runs an agent for another node",
        description:
          "The sender signs the run in the header `argosy-mesh`. The answer has one signed line for each group of events. A run without a stream that ends early has a whole answer, signed in the header `argosy-mesh-answer`, if the sender accepts lines by name. 503 `node_draining` if the node leaves the mesh.",
        security: [],
        requestBody: { content: { "application/json": { schema: MeshRun as TSchema } } },
        responses: {
          200: {
            description: "The run's events.",
            content: {
              [linesType]: { schema: { type: "string" } },
              [wholeType]: { schema: { type: "string" } },
            },
          },
        },
      },
    },
  );
}

/** Finds the agent of a run on this node. Throws as the run's own surface would. */
async function readyRun(deps: RunDeps, formats: AnswerFormats, run: MeshRun): Promise<Answering["perform"]> {
  const { answer_schema: shape, record = false } = run;
  const format = shape && (await formats.get(shape.name, shape.schema, "answer_schema"));
  const terms = { sender: run.sender, override: run.override, format };
  const agent = locateAgent({ ...deps, router: undefined }, run.agent, terms);
  if (format !== undefined && agent.loaded !== undefined) requireNoPause(deps, agent.loaded);
  return (gone) => admitHere(deps, agent, requestOf(run, [gone, deps.stopping]), record);
}

function requestOf(run: MeshRun, cancelledBy: readonly AbortSignal[]): AdmittedRequest {
  const { images, history, parameters, limits, override, trace_content: traceContent } = run;
  const { tool_stubs: toolStubs, remember } = run;
  return {
    tenant: operatorTenant,
    sessionId: run.session_id,
    query: run.query,
    context: run.context,
    stream: run.stream,
    cancelledBy,
    routedFrom: run.from,
    ...(run.request_id !== undefined && { requestId: run.request_id }),
    // The node that accepted the request has checked these.
    ...(images && { images: images as ImagePart[] }),
    ...(history && { history: history as Message[] }),
    ...(parameters && { parameters }),
    ...(limits && { limits }),
    ...(override && { override }),
    ...(toolStubs && { toolStubs }),
    ...(remember && { remember }),
    ...(traceContent !== undefined && { traceContent }),
  };
}

/** Refuses a run that was meant for another node, or that one node sends in the name of another. */
function requireAddressed(run: MeshRun, { from, to }: { from: string; to: string }): void {
  if (run.from !== from) {
    throw new AppError("forbidden", "not_own_name", `Node ${from} can't speak for node ${run.from}.`);
  }
  if (run.to === to) return;
  throw new AppError("misdirected", "other_node", `This node is ${to}, not ${run.to}.`);
}

const hopsDisabled = () =>
  new AppError("unavailable", "mesh_disabled", "This daemon takes no runs of other nodes.", {
    details: { hint: "Set PLATFORM_MESH_SECRET on all nodes; see docs/mesh.md." },
  });
