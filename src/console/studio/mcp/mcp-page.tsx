import { Button, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { LoadingState } from "../../parts/states/loading-state.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { useSession } from "../../session/session.tsx";
import { shellTexts } from "../../texts/shell.ts";
import { mcpTexts as texts } from "../../texts/studio/resources.ts";
import { connectSnippets } from "./connect-snippets.ts";
import { LoginReturn } from "./login-return.tsx";
import { ServerView } from "./server-view.tsx";
import { useMcpServers } from "./use-mcp-servers.ts";

/** The MCP servers that agents use, and this daemon as an MCP server. */
export default function McpPage() {
  const { list, servers, isComplete, failure, isFetching } = useMcpServers();
  const queries = useQueryClient();
  const [agent, setAgent] = useUrlState("agent");
  const agents = [...new Set(servers.map((one) => one.agent))];
  const shown = servers.filter((one) => agent === "" || one.agent === agent);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
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
      </PageHeader>
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
              ) : failure ? (
                <FailureView thrown={failure} title={shellTexts.failedToLoad} />
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

/** Instructions for programs that connect to this daemon's agents. */
function ConnectPanel() {
  const { state } = useSession();
  const isHere = state.home === "daemon";
  const { address, config, inspect } = connectSnippets(
    isHere ? location.origin : undefined,
    !state.ways.open,
  );
  return (
    <Panel title={texts.connect}>
      <div className="ar-mcp-server">
        <div>{texts.connectLead}</div>
        <div className="ar-mcp-line">
          <span className="ar-soft">{texts.address}</span>
          <span className="ar-mono ar-break">{address}</span>
          <CopyButton value={address} label={texts.copyAddress} />
        </div>
        {!isHere && <div>{texts.elsewhereAddress}</div>}
        {!state.ways.open && <div>{texts.needsToken}</div>}
        <div className="ar-soft">{texts.config}</div>
        <JsonView value={config} label={texts.config} />
        <div className="ar-soft">{texts.inspect}</div>
        <JsonView value={inspect} label={texts.inspect} />
      </div>
    </Panel>
  );
}
