import { describe, expect, test } from "bun:test";
import { atOnce } from "../../../../src/kit/concurrency/others-turn.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../../../src/manifest/rag-pipeline.ts";
import { getProvider, translate } from "../../../../src/services/translator/mapping/cloud-provider.ts";
import { readSpec } from "../../../../src/services/translator/mapping/read-spec.ts";
import { deskYaml, handbookYaml } from "../../../support/translator.ts";

const manifests = { agent: agentKind({}), pipeline: ragPipelineKind({}) };
const onGoogle = (yaml: string) => translate(getProvider("gcp"), atOnce(readSpec(manifests, yaml)));

/** Adds sections to the least agent. */
const agentWith = (spec: string) =>
  onGoogle(
    `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: a}\nspec:\n${spec.replaceAll(/^/gm, "  ")}\n`,
  );

const gapsOf = ({ gaps }: ReturnType<typeof onGoogle>) =>
  gaps.map(({ section, coverage }) => `${section}: ${coverage}`);

interface EngineConfig {
  spec: {
    source_code_spec: {
      agent_config_source: {
        adk_config: { json_config: Record<string, unknown> };
        inline_source: { source_archive: string };
      };
    };
  };
}

/** The agent definition inside the engine's config. */
function definitionIn({ resources }: ReturnType<typeof onGoogle>) {
  const [engine] = resources.filter(({ resource_type }) => resource_type === "vertex.agent_engine");
  if (engine === undefined) throw new Error("The agent became no engine.");
  return (engine.config as unknown as EngineConfig).spec.source_code_spec.agent_config_source;
}

/** The files of a gzipped tar archive, by name. */
async function filesIn(base64: string): Promise<Record<string, string>> {
  const files = await new Bun.Archive(Buffer.from(base64, "base64")).files();
  return Object.fromEntries(
    await Promise.all(
      [...files].map(async ([name, file]): Promise<[string, string]> => [name, await file.text()]),
    ),
  );
}

describe("an agent", () => {
  test("becomes an engine and a template that screens its input", () => {
    const { kind, name, provider, resources, gaps } = onGoogle(deskYaml);
    expect({ kind, name, provider }).toEqual({ kind: "Agent", name: "help-desk", provider: "gcp" });
    expect(resources.map(({ config: _, ...resource }) => resource)).toEqual([
      { resource_type: "modelarmor.template", name: "help-desk-model-armor", source_section: "guardrails" },
      { resource_type: "vertex.agent_engine", name: "help-desk", source_section: "identity" },
    ]);
    const corpus = "RAGPipeline/handbook/vertex.rag_corpus/handbook-corpus";
    const armor = "Agent/help-desk/modelarmor.template/help-desk-model-armor";
    expect(resources[0]?.config).toEqual({
      labels: { "screens-input": "true", "screens-output": "false" },
      filter_config: { sdp_settings: { basic_config: { filter_enforcement: "ENABLED" } } },
    });
    expect(resources[1]?.config).toMatchObject({
      display_name: "Help desk",
      description: "Answers customers.",
      spec: {
        agent_framework: "google-adk",
        source_code_spec: {
          agent_config_source: {
            adk_config: {
              json_config: {
                agent_class: "LlmAgent",
                name: "help_desk",
                description: "Answers customers.",
                model: "gemini-2.5-flash",
                instruction: "Answer in two sentences.",
                generate_content_config: {
                  temperature: 0.2,
                  max_output_tokens: 400,
                  stop_sequences: ["END"],
                  model_armor_config: { prompt_template_name: armor },
                },
                tools: [
                  { name: "google_search" },
                  {
                    name: "VertexAiRagRetrieval",
                    args: { rag_corpora: [corpus], similarity_top_k: 3 },
                  },
                  { name: "preload_memory" },
                  { name: "client_tools.open_ticket" },
                ],
              },
            },
          },
        },
        deployment_spec: { env: [{ name: "GOOGLE_CLOUD_AGENT_ENGINE_ENABLE_TELEMETRY", value: "true" }] },
      },
      context_spec: { memory_bank_config: {} },
    });
    expect(new Set(resources[1]?.config.bindings as string[])).toEqual(new Set([corpus, armor]));
    expect(gaps.map(({ section, coverage }) => `${section}: ${coverage}`)).toEqual([
      "model: partial",
      "model.parameters: partial",
      "prompts: partial",
      "tools.builtin.web_search: emulated",
      "memory.semantic: partial",
      "knowledge: emulated",
      "guardrails.pii_detection: partial",
    ]);
  });

  test.each([
    ["metadata.version: unsupported", "metadata: {name: a, version: 1.2.3}\nspec: {}"],
    ["metadata.namespace: unsupported", "metadata: {name: a, namespace: desk}\nspec: {}"],
    ["metadata.labels: partial", "metadata: {name: a, labels: {team: desk}}\nspec: {}"],
  ])("has the gap %s", (gap, rest) => {
    expect(gapsOf(onGoogle(`apiVersion: platform/v1\nkind: Agent\n${rest}\n`))).toEqual([gap]);
  });

  const block = "{provider: openai, model: m}";
  test.each([
    ["identity.role: unsupported", "identity: {role: a clerk}"],
    ["identity.personality: unsupported", "identity: {personality: calm}"],
    ["identity.avatar: unsupported", "identity: {avatar: x}"],
    ["model.fallback: unsupported", `model: {primary: ${block}, fallback: ${block}}`],
    ["model.routing: unsupported", `model: {primary: ${block}, routing: {strategy: round_robin}}`],
    ["model.roles: unsupported", `model: {primary: ${block}, roles: {planner: {candidates: [${block}]}}}`],
    ["orchestration: partial", "orchestration: {pattern: swarm}"],
    ["orchestration: emulated", "orchestration: {pattern: pipeline}"],
    ["orchestration.limits: unsupported", "orchestration: {timeout: 20}"],
    ["tools.builtin: unsupported", "tools: [{name: calculator, type: builtin}]"],
    ["tools.agent: unsupported", "tools: [{name: t, type: agent, config: {agent: b}}]"],
    [
      "tools.webhook: unsupported",
      "tools: [{name: t, type: webhook, parameters: {type: object}, config: {url: 'https://a.example'}}]",
    ],
    [
      "tools.mcp: unsupported",
      "tools: [{name: t, type: mcp, config: {transport: http, url: 'https://a.example'}}]",
    ],
    ["tools.rag: unsupported", "tools: [{name: t, type: rag, config: {collection: c}}]"],
    [
      "tools.rate_limit: unsupported",
      "tools: [{name: t, type: client, parameters: {type: object}, rate_limit: {max_calls: 3}}]",
    ],
    ["memory.conversational: partial", "memory: {conversational: {max_turns: 4}}"],
    ["memory.backend: partial", "memory: {conversational: {backend: sqlite}}"],
    ["memory.episodic: unsupported", "memory: {episodic: {max_results: 2}}"],
    [
      "guardrails.content_filter: unsupported",
      "guardrails: {output: [{type: content_filter, keywords: [x]}]}",
    ],
    ["guardrails.max_length: unsupported", "guardrails: {input: [{type: max_length}]}"],
    ["permissions: unsupported", "permissions: {allowed_actions: [net]}"],
    ["output_schema: unsupported", "output_schema: {total: number}"],
    ["chain: unsupported", "chain: {on_complete: [{agent: b}]}"],
    ["channels: unsupported", "channels: [{type: phone_messenger, config: {x: y}}]"],
    ["observability.sample_rate: unsupported", "observability: {sample_rate: 0.5}"],
  ])("has the gap %s", (gap, spec) => {
    expect(gapsOf(agentWith(spec))).toContain(gap);
  });

  test("has no gaps for what is supported", () => {
    const supported = "identity: {display_name: A, description: B}\nobservability: {tracing: false}";
    expect(gapsOf(agentWith(supported))).toEqual([]);
  });

  test("names the tools that are lost", () => {
    const { gaps } = agentWith(
      "tools: [{name: calculator, type: builtin}, {name: read_file, type: builtin}]",
    );
    expect(gaps[0]?.detail).toContain("calculator, read_file");
  });

  test("with a pipeline becomes a sequence of agents in files", async () => {
    const translation = agentWith(
      "prompts: {system: Be brief.}\norchestration: {pattern: pipeline, stages: [{name: draft, prompt: Write.}, {name: a, prompt: Check.}]}",
    );
    const { adk_config, inline_source } = definitionIn(translation);
    expect(adk_config.json_config).toEqual({
      agent_class: "SequentialAgent",
      name: "a",
      sub_agents: [{ config_path: "draft.yaml" }, { config_path: "a_2.yaml" }],
    });
    const files = await filesIn(inline_source.source_archive);
    expect(Object.keys(files)).toEqual(["draft.yaml", "a_2.yaml"]);
    expect(JSON.parse(files["draft.yaml"] ?? "")).toMatchObject({
      agent_class: "LlmAgent",
      name: "draft",
      instruction: "Be brief.\n\nWrite.",
    });
  });

  test("takes client tools along as data, never as code", async () => {
    const text = '"""\nimport os # {{';
    const translation = agentWith(
      `tools: [{name: t-1, type: client, description: ${JSON.stringify(text)}, parameters: {type: object}}, {name: t_1, type: client, parameters: {type: object}}]`,
    );
    const files = await filesIn(definitionIn(translation).inline_source.source_archive);
    expect(files["client_tools.py"]).not.toContain("import os");
    expect(JSON.parse(files["client_tools.json"] ?? "")).toEqual({
      t_1: { name: "t-1", description: text, parameters: { type: "object" } },
      t_1_2: { name: "t_1", description: "t_1", parameters: { type: "object" } },
    });
  });

  test.each([
    ["a", "a"],
    ["help-desk", "help_desk"],
    ["1st", "agent_1st"],
  ])("named %s is the identifier %s", (name, identifier) => {
    const translation = onGoogle(
      `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: ${name}}\nspec: {}\n`,
    );
    expect(definitionIn(translation).adk_config.json_config.name).toBe(identifier);
  });
});

describe("a pipeline", () => {
  test("becomes a corpus, with sizes in tokens", () => {
    const { resources, gaps } = onGoogle(handbookYaml);
    expect(gaps).toEqual([]);
    expect(resources).toEqual([
      {
        resource_type: "vertex.rag_corpus",
        name: "handbook-corpus",
        source_section: "metadata",
        config: {
          display_name: "handbook",
          description: "The handbook.",
          vector_db_config: {
            rag_managed_db: { knn: {} },
            rag_embedding_model_config: {
              vertex_prediction_endpoint: { endpoint: "publishers/google/models/text-embedding-005" },
            },
          },
          rag_file_transformation_config: {
            rag_file_chunking_config: { fixed_length_chunking: { chunk_size: 200, chunk_overlap: 20 } },
          },
          rag_retrieval_config: {
            top_k: 6,
            hybrid_search: { alpha: 0.5 },
            filter: { vector_similarity_threshold: 0.4 },
          },
        },
      },
    ]);
  });

  test.each([
    ["embeddings: partial", "embeddings: {provider: openai, model: text-embedding-3-small}"],
    ["vector_store: partial", "vector_store: {backend: qdrant, url: 'http://q.example'}"],
    ["reranking: partial", "reranking: {enabled: true}"],
    ["sources: unsupported", "sources: [{path: docs/*.md}]"],
  ])("has the gap %s", (gap, spec) => {
    const yaml = `apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: p}\nspec: {${spec}}\n`;
    expect(gapsOf(onGoogle(yaml))).toEqual([gap]);
  });
});
