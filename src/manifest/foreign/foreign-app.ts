import { AppError } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { normalized } from "../../kit/text/normalize.ts";
import { readForeignYaml } from "../yaml/read-yaml.ts";
import type { Rewriting } from "./foreign-document.ts";

/** An agent made from an app of another program, with what was left out. */
export interface ForeignApp {
  document: Record<string, unknown>;
  changes: Rewriting[];
  leftOut: Rewriting[];
}

/**
 * Makes an agent from an app of Dify or a chatflow of Flowise; undefined if the text is neither. Throws AppError `not_importable` for what can't be
 * an agent: workflows, and the code that langgraph.json names. `name` is the agent's if the app has none.
 */
export function readForeignApp(text: string, name: string): ForeignApp | undefined {
  const value = readForeignYaml(text);
  if (!isRecord(value)) return undefined;
  if (isRecord(value.app) && typeof value.app.mode === "string") return readDify(value.app, value, name);
  if (Array.isArray(value.nodes) && Array.isArray(value.edges)) return readFlowise(value.nodes, name);
  if (isRecord(value.graphs) && Array.isArray(value.dependencies)) throw langGraph(value.graphs);
  return undefined;
}

const providers: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  cohere: "cohere",
  ollama: "ollama",
  chatopenai: "openai",
  chatanthropic: "anthropic",
  chatcohere: "cohere",
  chatollama: "ollama",
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

/** Numbers may be texts. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const recordsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

function slug(text: string | undefined, otherwise: string): string {
  const made = normalized(text ?? "", "NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return made.slice(0, 63).replaceAll(/^-+|-+$/g, "") || otherwise;
}

interface Found {
  name: string;
  displayName?: string | undefined;
  description?: string | undefined;
  system?: string | undefined;
  model?: { provider: string; model: string; parameters: Record<string, unknown> } | undefined;
  maxIterations?: number | undefined;
  tools?: readonly object[];
  memory?: object | undefined;
}

function agentOf({
  name,
  displayName,
  description,
  system,
  model,
  maxIterations,
  tools = [],
  memory,
}: Found) {
  return {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name },
    spec: {
      identity: {
        ...(displayName && { display_name: displayName.slice(0, 255) }),
        ...(description && { description: description.slice(0, 4096) }),
      },
      ...(model && {
        model: {
          primary: {
            provider: model.provider,
            model: model.model,
            ...(Object.keys(model.parameters).length > 0 && { parameters: model.parameters }),
          },
        },
      }),
      ...(system && { prompts: { system } }),
      ...(maxIterations !== undefined && {
        orchestration: {
          pattern: "react",
          max_iterations: Math.min(100, Math.max(1, Math.floor(maxIterations))),
        },
      }),
      ...(tools.length > 0 && { tools }),
      ...(memory && { memory: { conversational: memory } }),
    },
  };
}

/** Sampling parameters that agents have too; the others are left out. */
function parametersOf(
  given: Record<string, unknown>,
  path: string,
  leftOut: Rewriting[],
): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const number = numberOf(value);
    if (["temperature", "max_tokens", "top_p"].includes(key) && number !== undefined)
      parameters[key] = number;
    else leftOut.push({ path: `${path}.${key}`, message: "has no counterpart" });
  }
  return parameters;
}

function readDify(
  app: Record<string, unknown>,
  root: Record<string, unknown>,
  otherwise: string,
): ForeignApp {
  const mode = String(app.mode);
  if (!["chat", "agent-chat", "completion"].includes(mode))
    throw notImportable(
      `Dify's mode ${mode} is a graph of steps.`,
      "Write an agent for each step with a model, and connect them by spec.chain.",
    );
  const config = recordOf(root.model_config);
  const leftOut: Rewriting[] = [];
  const changes: Rewriting[] = [{ path: "app", message: `became an agent, from Dify's mode ${mode}` }];
  const { model, pre_prompt, agent_mode, ...rest } = config;
  const { provider, name, completion_params } = recordOf(model);
  const short =
    String(provider ?? "")
      .split("/")
      .at(-1)
      ?.toLowerCase() ?? "";
  const agentMode = recordOf(agent_mode);
  const tools: object[] = [];
  for (const [index, { tool_name, enabled }] of recordsOf(agentMode.tools).entries()) {
    const path = `model_config.agent_mode.tools[${index}]`;
    if (tool_name === "current_time" && enabled !== false)
      tools.push({ name: "datetime_now", type: "builtin" });
    else
      leftOut.push({
        path,
        message: `the tool ${String(tool_name)} runs in Dify; use a built-in tool, an MCP server or a webhook`,
      });
  }
  for (const [key, value] of Object.entries(rest)) {
    const isUsed = isRecord(value)
      ? value.enabled === true || key === "dataset_configs"
      : Array.isArray(value)
        ? value.length > 0
        : textOf(value) !== undefined;
    if (isUsed)
      leftOut.push({ path: `model_config.${key}`, message: difyHints[key] ?? "has no counterpart" });
  }
  for (const key of ["workflow", "dependencies"]) {
    const value = root[key];
    if (Array.isArray(value) ? value.length > 0 : isRecord(value))
      leftOut.push({ path: key, message: "belongs to Dify's own plugins and steps" });
  }
  const document = agentOf({
    name: slug(textOf(app.name), otherwise),
    displayName: textOf(app.name),
    description: textOf(app.description),
    system: textOf(pre_prompt),
    model:
      textOf(name) === undefined
        ? undefined
        : {
            provider: providers[short] ?? slug(short, "unknown"),
            model: String(name),
            parameters: parametersOf(
              recordOf(completion_params),
              "model_config.model.completion_params",
              leftOut,
            ),
          },
    maxIterations: agentMode.enabled === true ? (numberOf(agentMode.max_iteration) ?? 10) : undefined,
    tools,
    memory: mode === "completion" ? undefined : { strategy: "sliding_window" },
  });
  return { document, changes, leftOut };
}

const difyHints: Readonly<Record<string, string>> = {
  opening_statement: "agents answer; show it in your client",
  suggested_questions: "belongs to the client",
  user_input_form: "send these values as the run's context",
  dataset_configs: "documents stay in Dify; ingest them, and set spec.knowledge",
  file_upload: "belongs to the client",
  sensitive_word_avoidance: "use spec.guardrails",
};

function readFlowise(nodes: readonly unknown[], otherwise: string): ForeignApp {
  const leftOut: Rewriting[] = [];
  const nodesOfKind = nodes.flatMap((node, index) => {
    const data = recordOf(recordOf(node).data);
    const name = textOf(data.name);
    return name === undefined
      ? []
      : [{ index, name, category: String(data.category ?? ""), inputs: recordOf(data.inputs) }];
  });
  const leads = nodesOfKind.filter(({ category }) => category === "Agents" || category === "Chains");
  const models = nodesOfKind.filter(({ category }) => category === "Chat Models");
  const [lead] = leads;
  const isGraph = nodesOfKind.some(({ category }) =>
    /Sequential Agents|Agent Flows|Multi Agents/.test(category),
  );
  if (isGraph || leads.length !== 1 || lead === undefined || models.length !== 1)
    throw notImportable(
      "A chatflow becomes an agent if it has one agent or chain and one chat model.",
      "Write an agent for each, and connect them by spec.chain or tools of type agent.",
    );
  const [model] = models;
  let memory: object | undefined;
  for (const { index, name, category } of nodesOfKind) {
    if (
      category === "Agents" ||
      category === "Chains" ||
      category === "Chat Models" ||
      category === "Sticky Note"
    )
      continue;
    if (category === "Memory" && /^buffer(Window)?Memory$/.test(name)) {
      const turns = numberOf(nodesOfKind.find((one) => one.index === index)?.inputs.k);
      memory = {
        strategy: "sliding_window",
        ...(turns !== undefined && turns >= 1 && { max_turns: Math.floor(turns) }),
      };
    } else
      leftOut.push({
        path: `nodes[${index}]`,
        message: `${name} (${category}) runs in Flowise and has no counterpart here`,
      });
  }
  const { modelName, temperature, maxTokens, topP, ...others } = model?.inputs ?? {};
  for (const [key, value] of Object.entries(others))
    if (textOf(value) !== undefined && !String(value).startsWith("{{"))
      leftOut.push({ path: `nodes[${model?.index}].data.inputs.${key}`, message: "has no counterpart" });
  const parameters = parametersOf(
    Object.fromEntries(
      Object.entries({ temperature, max_tokens: maxTokens, top_p: topP }).filter(
        ([, value]) => numberOf(value) !== undefined,
      ),
    ),
    `nodes[${model?.index}].data.inputs`,
    leftOut,
  );
  const { systemMessage, systemMessagePrompt, maxIterations } = lead.inputs;
  const document = agentOf({
    name: otherwise,
    system: textOf(systemMessage) ?? textOf(systemMessagePrompt),
    model:
      textOf(modelName) === undefined
        ? undefined
        : {
            provider: providers[(model?.name ?? "").toLowerCase()] ?? slug(model?.name, "unknown"),
            model: String(modelName),
            parameters,
          },
    maxIterations: lead.category === "Agents" ? (numberOf(maxIterations) ?? 10) : undefined,
    memory,
  });
  return {
    document,
    changes: [{ path: `nodes[${lead.index}]`, message: `${lead.name} became an agent` }],
    leftOut,
  };
}

function langGraph(graphs: Record<string, unknown>): AppError {
  const names = Object.keys(graphs).slice(0, 20).join(", ");
  return notImportable(
    `langgraph.json names code (${names}), which is not a manifest.`,
    "Let LangGraph serve it, and ask it as a tool of type a2a or mcp.",
  );
}

const notImportable = (message: string, hint: string) =>
  new AppError("invalid", "not_importable", message, { details: { hint } });

/** The agent's name, for an app without one: that of its file. */
export const nameOfAppFile = (path: string): string =>
  slug(path.replace(/^.*[\\/]/, "").replace(/\.[^.]*$/, ""), "imported");
