import type { TSchema } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import { MeshRun } from "../../../../contracts/daemon/mesh-run.ts";
import { holdOpen } from "../../../../http/call.ts";
import { rawRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { onAbort, ToldController } from "../../../../kit/concurrency/on-abort.ts";
import { signatureHeader } from "../../../../mesh/message-signature.ts";
import type { DurableRuns } from "../../durable-runs/durable-runs.ts";
import type { RunDeps } from "../../runs/admit-run.ts";
import { HttpWay } from "./http-way.ts";
import { runPath } from "./node-exchange.ts";
import { type RunHop, RunReceiver } from "./receive-run.ts";
import { linesType, wholeType } from "./whole-answer.ts";

/** Largest run: a query, its context and its images. */
const bodyBytesMax = 16 * 1024 * 1024;

/** The routes by which another node hands over runs. */
export function hopRoutes(deps: RunDeps & { durable: DurableRuns }, hop: RunHop | undefined): AnyElysia {
  const receiver = hop && new RunReceiver(deps, hop);
  return new Elysia().use(rawRoutes(bodyBytesMax)).post(
    runPath,
    async ({ request, body, call }) => {
      if (receiver === undefined) throw hopsDisabled();
      const left = new ToldController();
      const leave = () => left.abort(request.signal.reason);
      const forget = onAbort(request.signal, leave);
      if (request.signal.aborted) leave();
      const way = new HttpWay();
      await receiver.begin({
        signature: request.headers.get(signatureHeader),
        body: body instanceof Uint8Array ? body : new Uint8Array(),
        left,
        way,
        // Nodes of earlier versions don't name the type of lines.
        onlyLines: request.headers.get("accept")?.includes(linesType) !== true,
        call,
        ended: forget,
      });
      holdOpen(call, request);
      return way.response;
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

const hopsDisabled = () =>
  new AppError("unavailable", "mesh_disabled", "This daemon takes no runs of other nodes.", {
    details: { hint: "Set PLATFORM_MESH_SECRET on all nodes; see docs/mesh.md." },
  });
