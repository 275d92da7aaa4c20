import { CopyButton } from "../../parts/copy-button.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/session.tsx";
import { mcpTexts as texts } from "../../texts/studio-parts.ts";
import { connectSnippets } from "./connect-snippets.ts";

/** How to connect other programs to this daemon's agents. */
export function ConnectPanel() {
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
