import type { TemplateEngine } from "../engine/prompts/template.ts";
import type { AgentParts } from "../engine/run/build-agent.ts";

/** The parts for agents and overrides that were sent: their templates render in a process that is killed when time is up. */
export function withSentTemplates(parts: AgentParts, templates: TemplateEngine): AgentParts {
  return { ...parts, templates, tools: { ...parts.tools, templates } };
}
