import { useUrlState } from "../../parts/address/use-url-state.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { AgentMemoryView } from "./agent-memory-view.tsx";

/** The list of agents with memory, or the memory of one agent. */
export default function MemoryPage() {
  const [agent] = useUrlState("agent", { push: true });
  return agent === "" ? <AgentChoice /> : <AgentMemoryView key={agent} agent={agent} />;
}
