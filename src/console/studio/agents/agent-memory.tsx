import { Anchor } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "wouter";
import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { agentsTexts as texts } from "../../texts/studio/agents.ts";

const kinds = ["conversational", "semantic", "episodic"] as const;

/** An agent's kinds of memory with their settings. */
export function AgentMemory({ name, memory }: Pick<AgentDetail, "name" | "memory">) {
  const present = kinds.filter((kind) => memory[kind] !== undefined);
  return (
    <Panel
      title={texts.memory}
      actions={
        <Anchor component={Link} href={`/studio/memory?agent=${encodeURIComponent(name)}`} size="sm">
          {texts.toMemory}
        </Anchor>
      }
    >
      {present.length === 0 ? (
        <span className="ar-soft">{texts.plainMemory}</span>
      ) : (
        <dl className="ar-agents-facts">
          {present.map((kind) => (
            <Fragment key={kind}>
              <dt>{texts.memoryKinds[kind]}</dt>
              <dd>{optionsOf(memory[kind])}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </Panel>
  );
}

/** Formats settings as `strategy: summary, max_turns: 10`. */
function optionsOf(section: unknown): string {
  return Object.entries(section ?? {})
    .filter(([, value]) => typeof value !== "object")
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join(", ");
}
