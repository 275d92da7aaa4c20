import { Text } from "@mantine/core";
import { useState } from "react";
import { CodeEditor } from "../../../editor/code-editor.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { ProblemList } from "../../../parts/states/problem-list.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import { partTexts } from "../../../texts/parts.ts";
import type { Check } from "./use-check.ts";

/** The manifest that the form compiles to, and everything that is missing. */
export function CheckPanel({ check, isUntouched }: { check: Check; isUntouched: boolean }) {
  const { result, isPending, failure } = check;
  const problems = isUntouched ? [] : (result?.problems ?? []);
  const missing = result?.missing ?? [];
  const [last, setLast] = useState<string>();
  const manifest = result?.manifest ?? last;
  if (manifest !== last) setLast(manifest);
  return (
    <Panel
      title={texts.manifest}
      actions={
        <>
          {!isUntouched && <Mark isPending={isPending} problems={problems.length} missing={missing.length} />}
          {manifest !== undefined && <CopyButton value={manifest} label={partTexts.copy} />}
        </>
      }
    >
      <div className="ar-stack">
        {failure !== undefined && <FailureView thrown={failure} />}
        {problems.length > 0 && (
          <section aria-label={texts.problems}>
            <Text fw={600}>{texts.problems}</Text>
            <ProblemList problems={problems} />
          </section>
        )}
        {missing.length > 0 && (
          <section aria-label={texts.missing}>
            <Text fw={600}>{texts.missing}</Text>
            <ProblemList problems={missing} />
          </section>
        )}
        {manifest === undefined ? (
          <Text className="ar-soft">{texts.manifestWaits}</Text>
        ) : (
          <>
            {problems.length > 0 && <Text className="ar-soft">{texts.earlierManifest}</Text>}
            <CodeEditor value={manifest} language="yaml" label={texts.manifest} maxHeight="60vh" />
          </>
        )}
      </div>
    </Panel>
  );
}

function Mark({ isPending, problems, missing }: { isPending: boolean; problems: number; missing: number }) {
  if (isPending) return <StatusBadge tone="plain">{texts.checking}</StatusBadge>;
  if (problems > 0) return <StatusBadge tone="bad">{texts.faults(problems)}</StatusBadge>;
  if (missing > 0) return <StatusBadge tone="warn">{texts.notYet}</StatusBadge>;
  return <StatusBadge tone="good">{texts.ready}</StatusBadge>;
}
