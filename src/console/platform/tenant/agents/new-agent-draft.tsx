import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { LeaveDialog } from "../../../editor/leave-dialog.tsx";
import { useLeaveGuard } from "../../../editor/use-leave-guard.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { SaveBar } from "../../../parts/layout/save-bar.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { newAgentTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { tenantPaths } from "../tenant-paths.ts";
import { AgentEditor } from "./agent-editor.tsx";
import { type TemplateName, templateNames } from "./agent-templates.ts";
import { GateNotice } from "./gate-notice.tsx";
import { useAgentDraft } from "./use-agent-draft.ts";

interface NewAgentDraftProps {
  tenantId: string;
  /** Absent for a copy. */
  template: TemplateName | undefined;
  /** The agent of the Studio that the text is a copy of. */
  copied: string | undefined;
  setTemplate: (name: string) => void;
  initial: string;
}

/** The editor for a new agent. */
export function NewAgentDraft({ tenantId, template, copied, setTemplate, initial }: NewAgentDraftProps) {
  const platform = usePlatform(tenantId);
  const [, go] = useLocation();
  const paths = tenantPaths(tenantId);
  const [asked, ask] = useState<string>();
  const draft = useAgentDraft({
    tenantId,
    initial,
    send: (text) => platform.createAgent(text),
    done({ name }) {
      notify(texts.created(name));
      go(paths.agent(name));
    },
  });
  const guard = useLeaveGuard(draft.isChanged && !draft.isSaving);
  const choose = (name: string | null) => {
    if (name === null || name === (template ?? "")) return;
    if (draft.isChanged) ask(name);
    else setTemplate(name);
  };
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} up={{ href: paths.agents, label: texts.up }} />
      {draft.failure !== undefined && <FailureView thrown={draft.failure} title={texts.failed} />}
      {draft.isGated && <GateNotice tenantId={tenantId} text={draft.text} />}
      <AgentEditor
        tenantId={tenantId}
        text={draft.text}
        change={draft.setText}
        problems={draft.problems}
        save={draft.save}
      >
        <Select
          label={texts.template}
          description={texts.templateHint}
          allowDeselect={false}
          value={template ?? ""}
          data={[
            ...(copied === undefined ? [] : [{ value: "", label: texts.copyOf(copied) }]),
            ...templateNames.map((value) => ({ value, label: texts.templates[value] })),
          ]}
          onChange={choose}
        />
      </AgentEditor>
      <SaveBar>
        <Button loading={draft.isSaving} onClick={draft.save}>
          {texts.create}
        </Button>
      </SaveBar>
      <Confirm
        opened={asked !== undefined}
        title={texts.replaceTitle}
        text={texts.replaceText}
        action={texts.replaceAction}
        onClose={() => ask(undefined)}
        onConfirm={async () => setTemplate(asked ?? "")}
      />
      <LeaveDialog guard={guard} />
    </>
  );
}
