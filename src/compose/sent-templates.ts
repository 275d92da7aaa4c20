import type { TemplateEngine } from "../engine/prompts/template.ts";
import type { AgentParts } from "../engine/run/build-agent.ts";

/** The parts for agents and overrides that were sent: their templates render in a process that is killed when time is up. */
export function withSentTemplates<Parts extends AgentParts>(parts: Parts, templates: TemplateEngine): Parts {
  return { ...parts, templates, tools: { ...parts.tools, templates } };
}
