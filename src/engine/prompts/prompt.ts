import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { ToolSpec } from "../models/model.ts";
import type { Rendered, TemplateEngine, TextTemplate } from "../templates/template.ts";
import {
  type RecalledSource,
  type RecalledTexts,
  recalledUnshown,
  recalledValues,
  recalledVariables,
} from "./recalled-texts.ts";
import { declaredStages } from "./stage-prompts.ts";

/*
 * Prompts: the texts that an agent's model gets, rendered from the templates of its manifest.
 */

/** Facts about a run for rendering its prompt. */
export interface PromptInput {
  query: string;
  sessionId: string;
  /** The caller's context; keys that begin with `_` are reserved and never shown. */
  context: Readonly<Record<string, unknown>>;
  /** Turns of the conversation that the model receives; a first one with role `system` is the summary of earlier turns. */
  history: readonly { role: "system" | "user" | "assistant"; content: string }[];
  tools: readonly ToolSpec[];
  /** Recalled texts from memories and documents for the query. */
  recalled: RecalledTexts;
  now: Date;
}

/** An agent's prompts, compiled once. */
export interface AgentPrompt {
  /** The system prompt: the agent's own, or one built from its identity. */
  system(input: PromptInput): Rendered;
  /** Text before the user's message: recalled texts that no template shows, then the agent's `context` prompt. */
  contextBlock(input: PromptInput): Rendered;
  /** The prompt whose template shows the texts of a source; undefined if none does and they precede the user's message. */
  recalledIn(source: RecalledSource): "system" | "context" | "stage" | undefined;
  /** Stages of a pipeline in order; empty for other patterns. */
  stages: readonly StagePrompt[];
}

/** Instruction of one stage of a pipeline. */
export interface StagePrompt {
  name: string;
  /** `previous`: result of the previous stage; `outputs`: results of all earlier stages by name. */
  render(
    input: PromptInput,
    before: { previous: string; outputs: Readonly<Record<string, string>> },
  ): Rendered;
}

/** Compiles the agent's prompts. Throws AppError `template_invalid` naming prompt, line and column. */
export function compilePrompt(engine: TemplateEngine, manifest: AgentManifest): AgentPrompt {
  const { metadata, spec } = manifest;
  const { system, context, templates } = spec.prompts;
  const identity = { ...spec.identity, name: metadata.name };
  const compile = (path: string, source: string) => engine.compile(`spec.prompts.${path}`, source, templates);
  for (const [name, source] of Object.entries(templates)) compile(`templates.${name}`, source);
  const systemTemplate = system === undefined ? undefined : compile("system", system);
  const contextTemplate = context === undefined ? undefined : compile("context", context);
  const introduction = introduce(identity);
  const stages = declaredStages(manifest).map(({ name, prompt }, index) => ({
    name,
    template: engine.compile(`spec.orchestration.stages[${index}].prompt`, prompt, templates),
  }));
  const renderContext = contextTemplate ? renderer(contextTemplate, identity) : () => "";
  const unshown = recalledUnshown(
    [systemTemplate, contextTemplate, ...stages.map(({ template }) => template)].flatMap((template) =>
      template === undefined ? [] : [template.names],
    ),
  );
  return {
    system: systemTemplate ? renderer(systemTemplate, identity) : () => introduction,
    contextBlock(input) {
      const own = renderContext(input);
      const recalled = unshown.map((of) => input.recalled[of].text).filter(Boolean);
      if (recalled.length === 0) return own;
      const block = (own: string) => [...recalled, own].filter(Boolean).join("\n\n");
      return typeof own === "string" ? block(own) : own.then(block);
    },
    recalledIn(source) {
      if (unshown.includes(source)) return undefined;
      const shows = (template: TextTemplate | undefined) =>
        template !== undefined && !recalledUnshown([template.names]).includes(source);
      if (shows(systemTemplate)) return "system";
      return shows(contextTemplate) ? "context" : "stage";
    },
    stages: stages.map(({ name, template }) => ({
      name,
      render: (input, { previous, outputs }) =>
        template.render(promptVariables(identity, input, { stage: name, previous, outputs })),
    })),
  };
}

/** Variables that differ between runs, and the filter that uses randomness. */
const varying = new Set([
  "conversation_history",
  "user_query",
  "session_id",
  "context",
  "random",
  ...recalledVariables,
]);

/**
 * Renders for each run. A template that reads nothing of the run is rendered again only if the agent's tools change, or, if it shows the
 * date, on another day.
 */
function renderer(template: TextTemplate, identity: Identity): (input: PromptInput) => Rendered {
  const { names } = template;
  const readsRun = [...names].some((name) => varying.has(name));
  const showsDate = names.has("current_date");
  let last: { tools: PromptInput["tools"]; date: string; text: Rendered } | undefined;
  return (input) => {
    if (readsRun || Object.keys(input.context).some((key) => names.has(key)))
      return template.render(promptVariables(identity, input));
    const date = showsDate ? dateOf(input) : "";
    if (last?.tools !== input.tools || last.date !== date) {
      const next = { tools: input.tools, date, text: template.render(promptVariables(identity, input)) };
      last = next;
      // A failed render is retried.
      if (typeof next.text !== "string") {
        next.text.catch(() => {
          if (last === next) last = undefined;
        });
      }
      return next.text;
    }
    return last.text;
  };
}

function dateOf({ now }: PromptInput): string {
  return now.toISOString().slice(0, "2026-01-01".length);
}

interface Identity {
  name: string;
  display_name?: string;
  description?: string;
  role?: string;
  personality?: string;
}

/** Getters, because a template reads only the variables it names, and unused values are not built. */
function promptVariables(
  identity: Identity,
  input: PromptInput,
  further: Record<string, unknown> = {},
): Record<string, unknown> {
  const open = Object.entries(input.context).filter(([key]) => !key.startsWith("_"));
  const builtIn = {
    ...further,
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
    session_id: input.sessionId,
    get context() {
      return Object.fromEntries(open);
    },
    ...recalledValues(input.recalled),
    get current_date() {
      return dateOf(input);
    },
  };
  return Object.defineProperties(Object.fromEntries(open), Object.getOwnPropertyDescriptors(builtIn));
}

function introduce({ name, display_name, description, role, personality }: Identity): string {
  return [`You are ${display_name ?? name}.`, role, description, personality].filter(Boolean).join("\n");
}
