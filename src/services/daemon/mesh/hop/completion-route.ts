import { type TSchema, Type } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import { MeshPeer, NodeId } from "../../../../contracts/daemon/mesh.ts";
import { ChatCompletionRequest } from "../../../../contracts/daemon/openai.ts";
import { invalidPart } from "../../../../http/errors/validation-problems.ts";
import { rawRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { schemaChecker } from "../../../../kit/json/schema-checker.ts";
import { answerHeader, signatureHeader } from "../../../../mesh/message-signature.ts";
import { AnswerFormats } from "../../openai/answer-formats.ts";
import type { OpenAiDeps } from "../../openai/completion.ts";
import { answerCompletion } from "../../openai/routes.ts";
import { completionPath } from "./inference-calls.ts";
import type { RunHop } from "./receive-run.ts";

export const peerPath = "/v1/mesh/peer";

/** A node that asks another one what it offers. */
export const MeshQuestion = Type.Object({ node_id: NodeId });

/** The part of a hop that these routes need. */
type Hop = Pick<RunHop, "signer" | "requireOpen" | "own">;

/** Largest request: a conversation with images. */
const bodyBytesMax = 16 * 1024 * 1024;

/** Routes by which other nodes use the models of this one, and ask what it offers. */
export function nodeRoutes(deps: OpenAiDeps, hop: Hop | undefined): AnyElysia {
  const formats = new AnswerFormats();
  const completion = schemaChecker(ChatCompletionRequest);
  const question = schemaChecker(MeshQuestion);
  const read = (request: Request, body: unknown, path: string) => {
    if (hop === undefined) throw hopsDisabled();
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    const sender = hop.signer.verify(request.headers.get(signatureHeader), path, bytes);
    // The node that signed it has read it strictly.
    return { hop, sender, value: JSON.parse(new TextDecoder().decode(bytes)) as unknown };
  };
  return new Elysia()
    .use(rawRoutes(bodyBytesMax))
    .post(
      completionPath,
      async ({ request, body, call }) => {
        const { hop, sender, value } = read(request, body, completionPath);
        if (!completion.fits(value))
          throw invalidPart("The body", completion.faultsOf(value), ChatCompletionRequest);
        if (value.model.startsWith("agent/")) {
          throw new AppError("invalid", "invalid_request", "model must name a model, not an agent.");
        }
        hop.requireOpen();
        const exchange = { request, call, formats, isCounted: false };
        const answer = await answerCompletion(deps, value, exchange);
        const response = answer instanceof Response ? answer : Response.json(answer);
        response.headers.set(answerHeader, hop.signer.signAnswer(sender.mac, completionPath));
        return response;
      },
      {
        detail: {
          tags: ["mesh"],
          operationId: "completeMesh",
          summary: "Calls a model of this node for another node",
          description:
            "Like `/v1/chat/completions` for `<provider>/<model>`. The sender signs the request in the header `argosy-mesh`.",
          security: [],
          requestBody: {
            content: {
              "application/json": {
                schema: { type: "object", description: "As for `/v1/chat/completions`." },
              },
            },
          },
          responses: { 200: { description: "The completion." } },
        },
      },
    )
    .post(
      peerPath,
      async ({ request, body }) => {
        const { hop, sender, value } = read(request, body, peerPath);
        if (!question.fits(value)) throw invalidPart("The body", question.faultsOf(value), MeshQuestion);
        const written = JSON.stringify(hop.own());
        return new Response(written, {
          headers: {
            "content-type": "application/json",
            [answerHeader]: hop.signer.signAnswer(sender.mac, written),
          },
        });
      },
      {
        detail: {
          tags: ["mesh"],
          operationId: "askMeshPeer",
          summary: "Returns what this node offers to a peer",
          description: "Agents, models and load. The sender signs the request in the header `argosy-mesh`.",
          security: [],
          requestBody: { content: { "application/json": { schema: MeshQuestion as TSchema } } },
          responses: {
            200: {
              description: "This node, signed.",
              content: { "application/json": { schema: MeshPeer as TSchema } },
            },
          },
        },
      },
    );
}

const hopsDisabled = () =>
  new AppError("unavailable", "mesh_disabled", "This daemon takes no requests of other nodes.", {
    details: { hint: "Set PLATFORM_MESH_SECRET on all nodes; see docs/mesh.md." },
  });
