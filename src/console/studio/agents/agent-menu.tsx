import { ActionIcon, Menu } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { Icon } from "../../parts/icon.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { type AgentChangeQuestion, AgentConfirms, useAgentChanges } from "./agent-changes.tsx";
import { agentPaths } from "./agent-paths.ts";

/** The actions for an agent in the list. */
export function AgentMenu({ agent: { name, status } }: { agent: AgentSummary }) {
  const [question, setQuestion] = useState<AgentChangeQuestion>();
  const [failure, setFailure] = useState<unknown>();
  const { deploy } = useAgentChanges(name);
  return (
    <>
      <Menu position="bottom-end" withinPortal onClose={() => setFailure(undefined)}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={agentsTexts.actionsOf(name)}>
            <Icon name="down" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {failure !== undefined && <FailureView thrown={failure} />}
          <Menu.Item component={Link} href={agentPaths.ask(name)} leftSection={<Icon name="play" />}>
            {agentsTexts.ask}
          </Menu.Item>
          <Menu.Item component={Link} href={agentPaths.edit(name)} leftSection={<Icon name="edit" />}>
            {agentsTexts.edit}
          </Menu.Item>
          <Menu.Item component={Link} href={agentPaths.traces(name)} leftSection={<Icon name="trace" />}>
            {agentsTexts.traces}
          </Menu.Item>
          <Menu.Divider />
          {status === "ready" && (
            <Menu.Item leftSection={<Icon name="stop" />} onClick={() => setQuestion("pause")}>
              {agentsTexts.pause}
            </Menu.Item>
          )}
          {status === "paused" && (
            <Menu.Item
              leftSection={<Icon name="check" />}
              closeMenuOnClick={false}
              onClick={() => void deploy().catch(setFailure)}
            >
              {agentsTexts.deploy}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Icon name="trash" />} onClick={() => setQuestion("delete")}>
            {agentsTexts.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <AgentConfirms name={name} question={question} onClose={() => setQuestion(undefined)} />
    </>
  );
}
