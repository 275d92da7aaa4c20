import { useQueryClient } from "@tanstack/react-query";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { notify } from "../../parts/notices.tsx";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { useDaemon } from "../use-daemon.ts";

/** Actions on an agent by name; each refetches the list of agents. */
export function useAgentChanges(name: string) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const changed = async (words: string) => {
    await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
    notify(words);
  };
  return {
    async pause() {
      await daemon.pauseAgent(name);
      await changed(agentsTexts.pausedNow(name));
    },
    async deploy() {
      await daemon.deployAgent(name);
      await changed(agentsTexts.deployedNow(name));
    },
    async remove() {
      await daemon.deleteAgent(name);
      // The deleted agent's data must not be fetched again.
      queries.removeQueries({ queryKey: ["daemon", "agents", name] });
      await changed(agentsTexts.deletedNow(name));
    },
  };
}

/** Actions that need a confirmation. */
export type AgentChangeQuestion = "pause" | "delete";

interface AgentConfirmsProps {
  name: string;
  question: AgentChangeQuestion | undefined;
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
