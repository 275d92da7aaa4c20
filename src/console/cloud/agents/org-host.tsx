import { Alert, Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import type { CloudCatalog } from "../../../contracts/cloud/agents.ts";
import type { CloudClient } from "../../../contracts/cloud/client.ts";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import { pathOf } from "../../../manifest/fault.ts";
import type { YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import type { BuilderHost, Findings, TrialAnswer, TrialFrame } from "../../builder/host.ts";
import type { Schema } from "../../builder/manifest/schema-at.ts";
import { AddCase } from "../../hosted-evals/add-case.tsx";
import { evalKeys } from "../../hosted-evals/eval-host.ts";
import { Icon } from "../../parts/icon.tsx";
import { formatDuration } from "../../parts/text/format.ts";
import { orgKeyTexts as descriptions, orgBuilderTexts as texts } from "../../texts/cloud/agents.ts";
import { orgPaths } from "../cloud-paths.ts";
import type { OrgPageProps } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { inputOfManifest, orgKeys, placeOf, strangeProblems } from "./org-manifest.ts";

/** What the cloud offers, and the schema of a manifest that it keeps. */
export interface OrgOffer {
  catalog: CloudCatalog;
  schema: Schema;
}

/** Reads what the editor of an org's agents needs before it opens. */
export function useOrgOffer({ org }: OrgPageProps) {
  const cloud = useCloud();
  return useQuery({
    queryKey: ["cloud", org.slug, "offer"],
    async queryFn(): Promise<OrgOffer> {
      const [catalog, { localSchema }] = await Promise.all([
        cloud.catalog(org.slug),
        import("../../builder/local-schema.ts"),
      ]);
      const { input_guardrails: input, output_guardrails: output } = catalog;
      return { catalog, schema: localSchema({ guardrails: { input, output }, keep: orgKeys, descriptions }) };
    },
    staleTime: 300_000,
  });
}

export function useOrgHost({
  org,
  offer: { catalog, schema },
}: OrgPageProps & { offer: OrgOffer }): BuilderHost {
  const cloud = useCloud();
  const keyed = useQuery({
    queryKey: ["cloud", org.slug, "providers"],
    queryFn: () => cloud.providers(org.slug),
  });
  return useMemo(() => {
    const { slug } = org;
    const needed = new Set(
      catalog.providers.filter(({ needs_key: needs }) => needs).map(({ provider }) => provider),
    );
    const present = keyed.data && new Set(keyed.data.providers.map(({ provider }) => provider));
    const calls = cloud.evals(slug);
    const Judge = ({ agent, query }: TrialAnswer) => (
      <span className="ar-verdict">
        <AddCase
          host={{ calls, keys: evalKeys("cloud", slug) }}
          agent={agent}
          query={query}
          expected={undefined}
        />
      </span>
    );
    return {
      schema,
      Judge,
      providers: {
        key: ["cloud", slug, "offer", "providers"],
        read: async () => catalog.providers.map(({ provider: name, models }) => ({ name, models })),
      },
      providerNote: (provider) =>
        needed.has(provider) &&
        present?.has(provider) === false && (
          <Alert variant="outline" className="ar-warning" icon={<Icon name="key" />}>
            {texts.needsKey(provider)}{" "}
            <Anchor component={Link} href={orgPaths(slug).providers}>
              {texts.toProviders}
            </Anchor>
          </Alert>
        ),
      tools: {
        key: ["cloud", slug, "offer", "tools"],
        read: async () => catalog.tools.map((tool) => ({ ...tool, type: "builtin" as const })),
      },
      otherTools: [],
      check: (_, reading, signal) => checkManifest(cloud, slug, reading, signal),
      checkKey: ["cloud", slug, "manifest-check"],
      trial: {
        hint: texts.trialHint,
        async *ask({ value, query, turns }, signal): AsyncIterable<TrialFrame> {
          const trial = { agent: inputOfManifest(value), query, turns: [...turns] };
          for await (const frame of cloud.tryAgent(slug, trial, signal)) {
            if (frame.type === "token") yield frame;
            else if (frame.type === "tool_call") yield { type: "tool", name: frame.tool };
            else if (frame.type === "error") throw new Error(frame.message);
            else if (frame.type === "done") {
              const { answer, tokens_used: tokens, model, latency_ms: ms } = frame;
              yield { type: "answer", answer, figures: texts.figures(tokens, model, formatDuration(ms)) };
            }
          }
        },
      },
    };
  }, [cloud, org, catalog, schema, keyed.data]);
}

/** Asks the cloud about the config that a manifest stands for, and tells its answer by the manifest's own places. */
async function checkManifest(
  cloud: CloudClient,
  slug: string,
  reading: YamlReading,
  signal: AbortSignal,
): Promise<Findings> {
  if (!("value" in reading)) return { problems: [reading.problem] };
  const { value, locate } = reading;
  const strange = strangeProblems(value);
  const { problems, missing } = await cloud.checkConfig(slug, inputOfManifest(value), signal);
  const placed = ({ path, message }: ProblemBody): ProblemBody => {
    const place = placeOf(path);
    return { path: place, message, ...locate(pathOf(place), "value") };
  };
  const located = (problem: ProblemBody) => ({ ...problem, ...locate(pathOf(problem.path), "key") });
  return { problems: [...strange.map(located), ...problems.map(placed)], missing: missing.map(placed) };
}
