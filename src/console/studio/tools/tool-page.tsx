import { Anchor, Button } from "@mantine/core";
import { Link } from "wouter";
import { usePathParts } from "../../parts/address/path-parts.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { toolTexts as texts } from "../../texts/studio/resources.ts";
import type { KnownTool } from "./merge-tools.ts";
import { ToolTrial } from "./tool-trial.tsx";
import { toolTypeText } from "./tool-type-text.ts";
import { toolPaths, useTools } from "./use-tools.ts";

/** One tool: its description, and a form to run it. */
export default function ToolPage() {
  const [, , name = ""] = usePathParts();
  const [type] = useUrlState("type");
  const query = useTools();
  const tool = query.data?.find((one) => one.name === name && (type === "" || one.type === type));
  return (
    <>
      <PageHeader
        title={name}
        up={{ href: toolPaths.list, label: texts.toTools }}
        {...(tool === undefined ? {} : { lead: tool.description, mark: <Mark tool={tool} /> })}
      />
      <Loaded query={query}>
        {() =>
          tool === undefined ? (
            <EmptyState title={texts.unknownTitle(name)} text={texts.unknown}>
              <Button component={Link} variant="default" href={toolPaths.list}>
                {texts.toTools}
              </Button>
            </EmptyState>
          ) : (
            <div className="ar-stack">
              {tool.agents.length > 0 && <Users agents={tool.agents} />}
              <ToolTrial key={`${tool.type} ${tool.name}`} tool={tool} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const Mark = ({ tool: { type } }: { tool: KnownTool }) => (
  <StatusBadge tone="plain">{toolTypeText(type)}</StatusBadge>
);

function Users({ agents }: { agents: readonly string[] }) {
  return (
    <div className="ar-tool-users">
      <span className="ar-soft">{texts.usedBy}</span>
      {agents.map((agent) => (
        <Anchor key={agent} component={Link} href={`/studio/agents/${encodeURIComponent(agent)}`}>
          {agent}
        </Anchor>
      ))}
    </div>
  );
}
