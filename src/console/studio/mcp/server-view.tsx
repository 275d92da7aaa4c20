import { Alert, Anchor, Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { McpServerView } from "../../../contracts/daemon/agents.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { mcpTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { asksForLogin, beginLogin, canComeBack } from "./mcp-login.ts";
import type { AgentServer } from "./use-mcp-servers.ts";

const tones: Readonly<Record<McpServerView["status"], Tone>> = {
  idle: "plain",
  starting: "accent",
  ready: "good",
  down: "bad",
};

/** One server of an agent: its status, its tools in the agent, and its sign-in. */
export function ServerView({ of: { agent, server } }: { of: AgentServer }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [isLeaving, setLeaving] = useState(false);
  const { name, status, message, tools_listed, tools_offered, tools_hash, notes = [], changed } = server;
  const signIn = useMutation({ mutationFn: () => beginLogin(daemon, agent, name) });
  const wantsLogin = asksForLogin(server);
  return (
    <Panel
      title={name}
      actions={
        <>
          <StatusBadge tone={tones[status]}>{texts.status[status]}</StatusBadge>
          <Anchor component={Link} href={`/studio/agents/${encodeURIComponent(agent)}`} size="sm">
            {agent}
          </Anchor>
        </>
      }
    >
      <div className="ar-mcp-server">
        {message !== undefined && <div className="ar-break">{message}</div>}
        {tools_listed > 0 && (
          <div className="ar-soft">
            {texts.tools(formatNumber(tools_offered), formatNumber(tools_listed))}
          </div>
        )}
        {tools_hash !== undefined && (
          <div className="ar-mcp-line" title={texts.pinHint}>
            <span className="ar-soft">{texts.pin}</span>
            <span className="ar-mono">{tools_hash}</span>
            <CopyButton value={tools_hash} label={texts.copyPin} />
          </div>
        )}
        {changed !== undefined && <ToolChanges changed={changed} />}
        {notes.length > 0 && (
          <div>
            <span className="ar-soft">{texts.notes}</span>
            <ul className="ar-mcp-notes">
              {notes.map((note) => (
                <li key={note} className="ar-break">
                  {note}
                </li>
              ))}
            </ul>
          </div>
        )}
        {signIn.isError && <FailureView thrown={signIn.error} />}
        {wantsLogin && !canComeBack() && <div>{texts.elsewhere(agent, name)}</div>}
        <div className="ar-mcp-line">
          {wantsLogin && canComeBack() && (
            <Button size="xs" loading={signIn.isPending} onClick={() => signIn.mutate()}>
              {texts.signIn}
            </Button>
          )}
          {server.logged_in && (
            <Button size="xs" variant="default" onClick={() => setLeaving(true)}>
              {texts.signOut}
            </Button>
          )}
        </div>
      </div>
      <Confirm
        opened={isLeaving}
        title={texts.signOutTitle(name)}
        text={texts.signOutText}
        action={texts.signOut}
        onClose={() => setLeaving(false)}
        onConfirm={async () => {
          await daemon.forgetMcpLogin(agent, name);
          await queries.invalidateQueries({ queryKey: ["daemon", "agent", agent] });
          notify(texts.signedOut(name));
        }}
      />
    </Panel>
  );
}

/** Differences between a server's tools and those it was first seen with. */
function ToolChanges({ changed }: { changed: NonNullable<McpServerView["changed"]> }) {
  const lists: readonly [string, readonly string[]][] = [
    [texts.added, changed.added],
    [texts.altered, changed.changed],
    [texts.removed, changed.removed],
  ];
  return (
    <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />} title={texts.changed}>
      {lists.map(
        ([label, names]) =>
          names.length > 0 && (
            <div key={label} className="ar-break">
              {label}: <span className="ar-mono">{names.join(", ")}</span>
            </div>
          ),
      )}
    </Alert>
  );
}
