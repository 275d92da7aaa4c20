import type { AgentParts } from "../engine/agents/build-agent.ts";
import type { TemplateEngine } from "../engine/templates/template.ts";

/** Parts for sent agents and overrides: their templates are rendered in a process that is killed after its time limit. */
export function withSentTemplates<Parts extends AgentParts>(parts: Parts, templates: TemplateEngine): Parts {
  return { ...parts, templates, tools: { ...parts.tools, templates } };
}
