import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { Command } from "../area.ts";
import { commandTexts as texts } from "../texts/shell.ts";

/** Actions in the daemon's area. */
export const actions: readonly Command[] = [
  { label: texts.newAgent, href: "/studio/agents/new", icon: "plus", keywords: texts.createWords },
  {
    label: texts.newPipeline,
    href: "/studio/knowledge/pipelines/edit",
    icon: "plus",
    keywords: texts.createWords,
  },
];

export async function findAgents(daemon: DaemonClient): Promise<Command[]> {
  const { agents } = await daemon.listAgents();
  return agents.map(({ name, description }) => ({
    label: name,
    description,
    href: `/studio/agents/${encodeURIComponent(name)}`,
    icon: "agents",
  }));
}

const traceId = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The newest traces, and the one whose id was typed. */
export async function findTraces(daemon: DaemonClient, text: string): Promise<Command[]> {
  const typed = text.trim();
  const { traces } = await daemon.listTraces({ limit: 20 });
  const recent = traces.map(
    ({ trace_id: id, agent, summary }): Command => ({
      label: summary.question ?? texts.traceOf(agent),
      description: `${agent} · ${id}`,
      href: `/studio/traces/${encodeURIComponent(id)}`,
      icon: "trace",
    }),
  );
  if (!traceId.test(typed) || traces.some(({ trace_id: id }) => id === typed)) return recent;
  return [
    { label: texts.openTrace, description: typed, href: `/studio/traces/${typed}`, icon: "trace" },
    ...recent,
  ];
}
