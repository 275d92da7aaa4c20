import type { AgentManifest } from "../../manifest/agent.ts";
import type { Message, ToolSpec } from "../models/model.ts";
import type { Template, TemplateEngine } from "./template.ts";

/** What a run knows when its prompt is rendered. */
export interface PromptInput {
  query: string;
  sessionId: string;
  /** The caller's context; keys that begin with `_` are reserved and never shown. */
  context: Readonly<Record<string, unknown>>;
  history: readonly { role: "user" | "assistant"; content: string }[];
  tools: readonly ToolSpec[];
  /** Passages of semantic memory and of the knowledge base, as text; empty when there are none. */
  semanticContext: string;
  knowledge: string;
  now: Date;
}

/** An agent's prompts, compiled once. */
export interface AgentPrompt {
  /** The system prompt: the agent's own, or one made from its identity. */
  system(input: PromptInput): string;
  /** What is said before the user's message; empty without a `context` prompt. */
  contextBlock(input: PromptInput): string;
}

/** Compiles the agent's prompts. Throws AppError `template_invalid` naming prompt, line and column. */
export function compilePrompt(engine: TemplateEngine, { metadata, spec }: AgentManifest): AgentPrompt {
  const { system, context, templates } = spec.prompts;
  const identity = { ...spec.identity, name: metadata.name };
  const compile = (path: string, source: string) => engine.compile(`spec.prompts.${path}`, source, templates);
  for (const [name, source] of Object.entries(templates)) compile(`templates.${name}`, source);
  const systemTemplate = system === undefined ? undefined : compile("system", system);
  const contextTemplate = context === undefined ? undefined : compile("context", context);
  const introduction = introduce(identity);
  const render = (template: Template, input: PromptInput) =>
    template.render(promptVariables(identity, input));
  return {
    system: (input) => (systemTemplate ? render(systemTemplate, input) : introduction),
    contextBlock: (input) => (contextTemplate ? render(contextTemplate, input) : ""),
  };
}

/** The messages in the order that keeps a provider's cache warm: system, history, then the context block and the query. */
export function promptMessages(
  system: string,
  history: PromptInput["history"],
  contextBlock: string,
  query: string,
): Message[] {
  const messages: Message[] = system === "" ? [] : [{ role: "system", content: system }];
  messages.push(...history.map(({ role, content }): Message => ({ role, content })));
  messages.push({ role: "user", content: contextBlock === "" ? query : `${contextBlock}\n\n${query}` });
  return messages;
}

interface Identity {
  name: string;
  display_name?: string;
  description?: string;
  role?: string;
  personality?: string;
}

/** Getters, because a template reads only what it names: nothing is built that no prompt shows. */
function promptVariables(identity: Identity, input: PromptInput): Record<string, unknown> {
  const open = Object.entries(input.context).filter(([key]) => !key.startsWith("_"));
  const builtIn = {
    get conversation_history() {
      return input.history.map(({ role, content }) => ({ role, content }));
    },
    user_query: input.query,
    get available_tools() {
      return input.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    },
    agent_name: identity.name,
    display_name: identity.display_name ?? identity.name,
    description: identity.description ?? "",
    role: identity.role ?? "",
    personality: identity.personality ?? "",
    semantic_context: input.semanticContext,
    session_id: input.sessionId,
    get context() {
      return Object.fromEntries(open);
    },
    knowledge: input.knowledge,
    get current_date() {
      return input.now.toISOString().slice(0, "2026-01-01".length);
    },
  };
  return Object.defineProperties(Object.fromEntries(open), Object.getOwnPropertyDescriptors(builtIn));
}

function introduce({ name, display_name, description, role, personality }: Identity): string {
  return [`You are ${display_name ?? name}.`, role, description, personality].filter(Boolean).join("\n");
}
