import { useQueryClient } from "@tanstack/react-query";
import { useDaemon } from "../../api/use-server.tsx";
import { say } from "../../parts/say.ts";
import { agentsTexts } from "../../texts/studio-agents.ts";

/** Actions on an agent by name; each refetches the list of agents. */
export function useAgentChanges(name: string) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const changed = async (words: string) => {
    await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
    say(words);
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
