import { SegmentedControl } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ReactNode, useMemo, useState } from "react";
import type { ProblemBody as Problem } from "../../../../contracts/error-body.ts";
import { CodeEditor } from "../../../editor/code-editor.tsx";
import { DiffView } from "../../../editor/diff-view.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { ProblemList } from "../../../parts/states/problem-list.tsx";
import { editorTexts as texts } from "../../../texts/platform/tenant.ts";
import { addTool, toolNames } from "./add-tool.ts";
import { ToolCatalog } from "./tool-catalog.tsx";

interface AgentEditorProps {
  tenantId: string;
  text: string;
  change: (text: string) => void;
  /** The stored text, for the comparison. */
  stored?: string;
  problems: readonly Problem[];
  save: () => void;
  /** Shown above the problems. */
  children?: ReactNode;
}

/** Edits an agent's manifest as text, with its problems at their lines and the available tools. */
export function AgentEditor(props: AgentEditorProps) {
  const { tenantId, text, change, stored, problems, save, children } = props;
  const [view, setView] = useState("text");
  useHotkeys([["mod+S", save]], ["INPUT", "TEXTAREA", "SELECT"], true);
  const present = useMemo(() => toolNames(text), [text]);
  return (
    <div className="ar-tn-agent-editor">
      <Panel
        title={texts.manifest}
        flush
        actions={
          stored !== undefined && (
            <SegmentedControl
              size="xs"
              aria-label={texts.view}
              value={view}
              data={[
                { value: "text", label: texts.text },
                { value: "changes", label: texts.changes },
              ]}
              onChange={setView}
            />
          )
        }
      >
        {view === "changes" && stored !== undefined ? (
          <DiffView before={stored} after={text} language="yaml" label={texts.changes} />
        ) : (
          <CodeEditor
            value={text}
            onChange={change}
            language="yaml"
            label={texts.manifest}
            faults={problems}
            minHeight={420}
            maxHeight="calc(100dvh - 240px)"
          />
        )}
      </Panel>
      <div className="ar-stack">
        {children}
        <Panel title={texts.problems(problems.length)}>
          <div aria-live="polite">
            {problems.length === 0 ? (
              <span className="ar-soft">{texts.noProblems}</span>
            ) : (
              <ProblemList problems={problems} />
            )}
          </div>
        </Panel>
        <Panel title={texts.tools}>
          <ToolCatalog tenantId={tenantId} present={present} add={(tool) => change(addTool(text, tool))} />
        </Panel>
      </div>
    </div>
  );
}
