import { Button, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { LoadingState } from "../../parts/loading-state.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useUrlState } from "../../parts/use-url-state.ts";
import { mcpTexts as texts } from "../../texts/studio-parts.ts";
import { ConnectPanel } from "./connect-panel.tsx";
import { LoginReturn } from "./login-return.tsx";
import { ServerView } from "./server-view.tsx";
import { useMcpServers } from "./use-mcp-servers.ts";

/** The MCP servers that agents use, and this daemon as an MCP server. */
export default function McpPage() {
  const { list, servers, isComplete, isFetching } = useMcpServers();
  const queries = useQueryClient();
  const [agent, setAgent] = useUrlState("agent");
  const agents = [...new Set(servers.map((one) => one.agent))];
  const shown = servers.filter((one) => agent === "" || one.agent === agent);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Button
          variant="default"
          loading={isFetching}
          onClick={() => {
            void queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
            void queries.invalidateQueries({ queryKey: ["daemon", "agent"] });
          }}
        >
          {texts.refresh}
        </Button>
      </PageHead>
      <div className="ar-stack">
        <LoginReturn />
        {agents.length > 1 && (
          <Select
            className="ar-mcp-agent"
            label={texts.agent}
            allowDeselect={false}
            data={[
              { value: "", label: texts.allAgents },
              ...agents.map((value) => ({ value, label: value })),
            ]}
            value={agent}
            onChange={(value) => setAgent(value ?? "")}
          />
        )}
        <Loaded query={list}>
          {() =>
            servers.length === 0 ? (
              isComplete ? (
                <EmptyState title={texts.noneHow} text={texts.none}>
                  <Button component={Link} variant="default" href="/studio/agents">
                    {texts.editAgent}
                  </Button>
                </EmptyState>
              ) : (
                <LoadingState />
              )
            ) : (
              shown.map((one) => <ServerView key={`${one.agent} ${one.server.name}`} of={one} />)
            )
          }
        </Loaded>
        <ConnectPanel />
      </div>
    </>
  );
}
