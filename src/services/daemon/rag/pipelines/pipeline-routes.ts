import { Elysia } from "elysia";
import {
  PipelineDeleted,
  PipelineDetail,
  PipelineList,
  type PipelineView,
} from "../../../../contracts/daemon/rag/rag-pipelines.ts";
import type { RunPorts } from "../../../../engine/run/run.ts";
import {
  type ManifestBody,
  manifestRequestBody,
  readManifestBody,
} from "../../../../http/bodies/manifest-body.ts";
import type { Call } from "../../../../http/call.ts";
import { entityTag, IfMatch, matchIn } from "../../../../http/entity-tag.ts";
import { callContext, jsonRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { learnSecretsIn } from "../../../../kit/secrets/learn-secret.ts";
import { maskValues } from "../../../../kit/secrets/mask-values.ts";
import { SecretRegistry } from "../../../../kit/secrets/secret-registry.ts";
import type { RagPipelineManifest } from "../../../../manifest/rag-pipeline.ts";
import { readSent, senderIn } from "../../manifests/read-sent.ts";
import type { DaemonRag } from "../daemon-rag.ts";
import type { PipelineEntry } from "./pipeline-library.ts";
import { maskedSecrets } from "./pipeline-source.ts";

const tags = ["rag"];

export interface PipelineRoutesDeps {
  rag: DaemonRag;
  runs: RunPorts;
}

/** Routes that list, read and delete pipelines. */
export const pipelineRoutes = ({ rag: { pipelines }, runs }: PipelineRoutesDeps) =>
  new Elysia({ prefix: "/v1/rag/pipelines" })
    .use(jsonRoutes())
    .get("", async () => ({ pipelines: pipelines.list().map(presentPipeline) }), {
      response: PipelineList,
      detail: { tags, operationId: "listPipelines", summary: "Lists the loaded pipelines" },
    })
    .get(
      "/:name",
      async ({ params, set }) => {
        await pipelines.findFresh(params.name);
        return tagged(detailOf(pipelines.getEntry(params.name), runs.maskKnown), set);
      },
      {
        response: PipelineDetail,
        detail: { tags, operationId: "getPipeline", summary: "Returns a pipeline" },
      },
    )
    .delete(
      "/:name",
      async ({ params, call }) => {
        await pipelines.remove(params.name, senderIn(call));
        return { status: "deleted" as const, name: params.name };
      },
      {
        response: PipelineDeleted,
        detail: {
          tags,
          operationId: "deletePipeline",
          summary: "Deletes a pipeline; its collection stays",
          description:
            "With `PLATFORM_PERSIST_AGENTS=1`, a pipeline loaded from a file is deleted together with the file. Otherwise the request fails with 409 `pipeline_in_file`.",
        },
      },
    );

const requestBody = manifestRequestBody(
  "Pipeline manifest. `argosy schema rag-pipeline` prints its JSON Schema.",
);

/** Routes whose body is a pipeline's manifest, in YAML or JSON. */
export const pipelineManifestRoutes = ({ rag: { pipelines }, runs }: PipelineRoutesDeps) => {
  const sentIn = (body: unknown, call: Call) => {
    const { kind, vet } = pipelines.loader;
    return readSent<RagPipelineManifest>(kind, body as ManifestBody, senderIn(call), (manifest, sender) => [
      ...vet(manifest, sender),
      ...maskedSecrets(manifest),
    ]);
  };
  return new Elysia({ prefix: "/v1/rag/pipelines" })
    .use(callContext())
    .onParse(({ request, call }) => readManifestBody(request, call))
    .post(
      "",
      async ({ body, call, set }) => {
        const { entry } = await pipelines.put(await sentIn(body, call), requireNew);
        set.status = 201;
        return tagged(detailOf(entry, runs.maskKnown), set);
      },
      {
        response: { 201: PipelineDetail },
        detail: {
          tags,
          operationId: "createPipeline",
          summary: "Creates a pipeline",
          description:
            "With `PLATFORM_PERSIST_AGENTS=1`, the pipeline is written to `rag/<name>.rag.yaml`. Otherwise it is kept in memory only (`persisted: false`). Submitted manifests can't read environment variables. Only the owner of this machine may refer to databases, keys, private networks and sources.",
          requestBody,
        },
      },
    )
    .put(
      "/:name",
      async ({ params, body, call, request, set }) => {
        const match = matchIn(request.headers);
        const sent = await sentIn(body, call);
        if (sent.manifest.metadata.name !== params.name) {
          const message = `must be the name in the path: ${params.name}`;
          throw sent.refuse([{ path: "metadata.name", message }]);
        }
        const { entry, isNew } = await pipelines.put(sent, (present) =>
          match(present && pipelineTag(detailOf(present, runs.maskKnown))),
        );
        set.status = isNew ? 201 : 200;
        return tagged(detailOf(entry, runs.maskKnown), set);
      },
      {
        headers: IfMatch,
        response: { 200: PipelineDetail, 201: PipelineDetail },
        detail: {
          tags,
          operationId: "replacePipeline",
          summary: "Creates or replaces a pipeline",
          description:
            "The collection keeps its documents. If the embedder changes, re-index the collection.",
          requestBody,
        },
      },
    );
};

/** The content alone: a pipeline that can't be built any more has not changed. */
const pipelineTag = ({ name, spec }: PipelineDetail) => entityTag([name, spec]);

/** Sets the ETag of an answer. */
function tagged(detail: PipelineDetail, set: { headers: Record<string, string | number> }): PipelineDetail {
  set.headers.etag = pipelineTag(detail);
  return detail;
}

function requireNew(present: PipelineEntry | undefined): void {
  if (present === undefined) return;
  const { name } = present;
  throw new AppError("conflict", "pipeline_exists", `There is a pipeline named ${name} already.`, {
    details: { hint: `PUT /v1/rag/pipelines/${name} replaces it.` },
  });
}

function detailOf(entry: PipelineEntry, mask: ((text: string) => string) | undefined): PipelineDetail {
  const { manifest } = entry;
  if (manifest === undefined) return presentPipeline(entry);
  const own = new SecretRegistry();
  learnSecretsIn(manifest.spec, own);
  const spec = maskValues(manifest.spec, (text) => own.mask(mask?.(text) ?? text));
  return { ...presentPipeline(entry), spec: spec as Record<string, unknown> };
}

/** Converts a pipeline to the form that the list returns. */
function presentPipeline({ name, file, version, manifest, fault }: PipelineEntry): PipelineView {
  return {
    name,
    description: manifest?.spec.description ?? "",
    collection: manifest?.spec.collection ?? name,
    status: version === undefined ? "failed" : "ready",
    ...(fault && { error: fault.message }),
    ...(fault && fault.problems.length > 0 && { problems: fault.problems }),
    persisted: file !== undefined,
    ...(file !== undefined && { file }),
  };
}
