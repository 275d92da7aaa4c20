import { useQueries, useQuery } from "@tanstack/react-query";
import type { McpServerView } from "../../../contracts/daemon/agents.ts";
import { useDaemon } from "../use-daemon.ts";

/** A server in an agent's manifest. */
export interface AgentServer {
  agent: string;
  server: McpServerView;
}

const startingMs = 2000;

/** The servers of all agents. While a server starts, its agent is polled. */
export function useMcpServers() {
  const daemon = useDaemon();
  const list = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const names = list.data?.agents.map(({ name }) => name) ?? [];
  const details = useQueries({
    queries: names.map((name) => ({
      queryKey: ["daemon", "agent", name],
      queryFn: () => daemon.getAgent(name),
      refetchInterval: ({ state }: { state: { data?: { mcp_servers?: McpServerView[] } | undefined } }) =>
        state.data?.mcp_servers?.some(({ status }) => status === "starting") ? startingMs : (false as const),
    })),
  });
  const servers = details.flatMap(({ data }) =>
    (data?.mcp_servers ?? []).map((server): AgentServer => ({ agent: data?.name ?? "", server })),
  );
  const isComplete = list.data !== undefined && details.every(({ data }) => data !== undefined);
  const failure = details.find(({ data, isError }) => data === undefined && isError)?.error;
  return {
    list,
    servers,
    isComplete,
    failure,
    isFetching: list.isFetching || details.some((one) => one.isFetching),
  };
}
