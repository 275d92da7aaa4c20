import type { ProblemBody } from "../../../contracts/error-body.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Panel } from "../../parts/panel.tsx";
import { agentsTexts as texts } from "../../texts/studio-agents.ts";
import { useStoredManifest } from "./use-stored-manifest.ts";

interface AgentManifestProps {
  name: string;
  /** Problems, marked at their lines. */
  problems: readonly ProblemBody[];
}

/** The newest manifest of an agent, read-only. */
export function AgentManifest({ name, problems }: AgentManifestProps) {
  const query = useStoredManifest(name);
  const copy = query.data !== undefined && <CopyButton value={query.data} label={texts.copyManifest} />;
  return (
    <Panel title={texts.manifest} actions={copy}>
      <Loaded query={query}>
        {(text) => (
          <CodeEditor
            language="yaml"
            value={text}
            label={texts.manifestLabel(name)}
            faults={problems}
            maxHeight="70vh"
          />
        )}
      </Loaded>
    </Panel>
  );
}
