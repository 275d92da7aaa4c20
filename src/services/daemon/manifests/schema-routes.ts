import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { jsonSchemaOf } from "../../../manifest/schema/json-schema.ts";
import type { ManifestShape } from "../../../manifest/schema/manifest-kind.ts";

interface PublishedSchema {
  text: string;
  etag: string;
}

/** Libraries whose manifests have a schema. */
export interface SchemaRoutesDeps {
  library: { kind: ManifestShape };
  rag: { pipelines: { kind: ManifestShape } };
}

/** JSON Schemas of the manifests that this daemon accepts, with its own restrictions, so that editors complete only accepted values. */
export const schemaRoutes = ({ library, rag }: SchemaRoutesDeps) => {
  const kinds = { agent: () => library.kind, "rag-pipeline": () => rag.pipelines.kind };
  // The schema of agents changes with the providers.
  const published = new WeakMap<ManifestShape, PublishedSchema>();
  return new Elysia().use(jsonRoutes()).get(
    "/v1/schema/:kind",
    async ({ params: { kind }, request }) => {
      const shape = kinds[kind]();
      const schema = published.get(shape) ?? publish(shape);
      published.set(shape, schema);
      const headers = { etag: schema.etag, "cache-control": "no-cache" };
      if (request.headers.get("if-none-match") === schema.etag)
        return new Response(null, { status: 304, headers });
      return new Response(schema.text, {
        headers: { ...headers, "content-type": "application/schema+json" },
      });
    },
    {
      params: Type.Object({ kind: Type.Union([Type.Literal("agent"), Type.Literal("rag-pipeline")]) }),
      detail: {
        tags: ["system"],
        operationId: "getManifestSchema",
        summary: "Returns the JSON Schema (2020-12) of a kind of manifest",
        responses: {
          200: {
            description: "JSON Schema of the kind.",
            content: { "application/schema+json": { schema: { type: "object" } } },
          },
          304: { description: "Not modified. The schema matches the ETag in `If-None-Match`." },
        },
      },
    },
  );
};

function publish(kind: ManifestShape): PublishedSchema {
  const text = JSON.stringify(jsonSchemaOf(kind));
  return { text, etag: `"${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)}"` };
}
