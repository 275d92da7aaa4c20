import { Confirm } from "../../parts/confirm.tsx";
import { agentsTexts } from "../../texts/studio-agents.ts";
import { useAgentChanges } from "./use-agent-changes.ts";

/** Actions that need a confirmation. */
export type AgentQuestion = "pause" | "delete";

interface AgentConfirmsProps {
  name: string;
  question: AgentQuestion | undefined;
  onClose: () => void;
  onDeleted?: () => void;
}

/** Asks for confirmation before an agent is paused or deleted. */
export function AgentConfirms({ name, question, onClose, onDeleted }: AgentConfirmsProps) {
  const { pause, remove } = useAgentChanges(name);
  return (
    <>
      <Confirm
        title={agentsTexts.pauseTitle(name)}
        text={agentsTexts.pauseText}
        action={agentsTexts.pauseAction}
        opened={question === "pause"}
        onClose={onClose}
        onConfirm={pause}
      />
      <Confirm
        title={agentsTexts.deleteTitle(name)}
        text={agentsTexts.deleteText}
        action={agentsTexts.deleteAction}
        typed={name}
        opened={question === "delete"}
        onClose={onClose}
        onConfirm={async () => {
          await remove();
          onDeleted?.();
        }}
      />
    </>
  );
}
