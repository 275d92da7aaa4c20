import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { refusalOf } from "../../../../contracts/refusal.ts";
import type { RuntimeCatalog } from "../../../../contracts/runtime/catalog.ts";
import type { BuilderHost, TrialAnswer, TrialFrame, UploadProps } from "../../../builder/host.ts";
import type { Schema } from "../../../builder/manifest/schema-at.ts";
import { UploadPanel } from "../../../documents/upload-panel.tsx";
import { fileBytesMax } from "../../../documents/upload-queue.ts";
import { formatBytes, formatDuration } from "../../../parts/text/format.ts";
import { tenantCollectionTexts } from "../../../texts/platform/documents.ts";
import { tenantBuilderTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { documentKeys } from "../documents/document-keys.ts";
import { useDocumentUploads } from "../documents/use-document-uploads.ts";
import { useRights } from "../rights.tsx";
import { JudgeRun } from "../runs/judge-run.tsx";

/** What the platform offers a tenant, and the schema of its manifests. */
export interface TenantBuilderOffer {
  catalog: RuntimeCatalog;
  schema: Schema;
}

/** Reads what the editor of a tenant's agents needs before it opens. */
export function useTenantOffer(tenantId: string) {
  const platform = usePlatform(tenantId);
  return useQuery({
    queryKey: ["platform", tenantId, "offer"],
    async queryFn(): Promise<TenantBuilderOffer> {
      const [catalog, { localSchema }] = await Promise.all([
        platform.catalog(),
        import("../../../builder/local-schema.ts"),
      ]);
      const of = (stage: "input" | "output") =>
        catalog.guardrails.filter(({ stages }) => stages.includes(stage));
      return { catalog, schema: localSchema({ guardrails: { input: of("input"), output: of("output") } }) };
    },
    staleTime: 300_000,
  });
}

export function useTenantHost(tenantId: string, { catalog, schema }: TenantBuilderOffer): BuilderHost {
  const platform = usePlatform(tenantId);
  const mayUpload = useRights()("documents");
  return useMemo(() => {
    const { collections } = documentKeys(tenantId);
    const Upload = ({ collection, added }: UploadProps) => (
      <TenantUpload tenantId={tenantId} collection={collection} added={added} />
    );
    const Judge = ({ agent, query, answer, run }: TrialAnswer) =>
      run !== undefined && (
        <JudgeRun tenantId={tenantId} agent={agent} invocation={run} query={query} answer={answer} />
      );
    return {
      schema,
      Judge,
      providers: {
        key: ["platform", tenantId, "offer", "providers"],
        read: async () => catalog.providers.map(({ provider: name, models }) => ({ name, models })),
      },
      tools: {
        key: ["platform", tenantId, "offer", "tools"],
        read: async () => [
          ...catalog.builtins.map((tool) => ({ ...tool, type: "builtin" as const })),
          ...catalog.integrations.flatMap(({ actions }) =>
            actions.map((action) => ({ ...action, type: "internal" as const })),
          ),
        ],
      },
      otherTools: ["webhook", "client", "mcp", "agent"],
      collections: {
        key: [...collections, "names"],
        read: async () => (await platform.listCollections()).collections.map(({ name }) => name),
      },
      ...(mayUpload && { Upload }),
      async check(text) {
        const { checkManifest } = await import("../../../editor/check-manifest.ts");
        return { problems: checkManifest("Agent", text) };
      },
      checkKey: ["platform", tenantId, "manifest-check"],
      trial: {
        hint: texts.trialHint,
        async *ask({ text: spec, query, turns }, signal): AsyncIterable<TrialFrame> {
          const beganMs = performance.now();
          const trial = { spec, query, turns: [...turns], trace_content: true };
          for await (const frame of platform.tryAgent(trial, signal)) {
            if (frame.type === "token") yield { type: "token", content: frame.content };
            else if (frame.type === "tool_call") yield { type: "tool", name: frame.tool };
            else if (frame.type === "approval_required") yield { type: "answer", answer: texts.waits };
            else if (frame.type === "error") throw new Error(frame.message);
            else if (frame.type === "done") {
              const { tokens_in: read, tokens_out: written } = frame.usage;
              const duration = formatDuration(performance.now() - beganMs);
              yield {
                type: "answer",
                answer: frame.answer,
                figures: texts.figures(read + written, duration),
                run: frame.invocation_id,
              };
            }
          }
        },
      },
    };
  }, [platform, tenantId, catalog, schema, mayUpload]);
}

function TenantUpload({ tenantId, collection, added }: UploadProps & { tenantId: string }) {
  const platform = usePlatform(tenantId);
  const { data } = useQuery({
    queryKey: documentKeys(tenantId).collections,
    queryFn: platform.listCollections,
  });
  const bytesMax = data?.limits.document_bytes_max ?? fileBytesMax;
  const uploads = useDocumentUploads(tenantId, collection, bytesMax);
  const add = (files: readonly File[]) => {
    uploads.add(files);
    added();
  };
  return (
    <UploadPanel uploads={{ ...uploads, add }} hint={tenantCollectionTexts.kinds(formatBytes(bytesMax))} />
  );
}

/** Returns true if the release gate refused a version. */
export const isGated = (thrown: unknown): boolean => refusalOf(thrown)?.code === "release_refused";
