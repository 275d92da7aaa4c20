import { useUrlState } from "../../parts/use-url-state.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { AgentMemoryView } from "./agent-memory-view.tsx";

/** Whose memory there is, or that of one agent. */
export default function MemoryPage() {
  const [agent] = useUrlState("agent", { push: true });
  return agent === "" ? <AgentChoice /> : <AgentMemoryView key={agent} agent={agent} />;
}
