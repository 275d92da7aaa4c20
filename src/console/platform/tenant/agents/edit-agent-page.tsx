import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation, useParams } from "wouter";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import type { Tagged } from "../../../../contracts/tagged.ts";
import { ConflictDialog, isConflict } from "../../../editor/conflict-dialog.tsx";
import { LeaveDialog } from "../../../editor/leave-dialog.tsx";
import { useLeaveGuard } from "../../../editor/use-leave-guard.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { SaveBar } from "../../../parts/layout/save-bar.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { editAgentTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { AgentEditor } from "./agent-editor.tsx";
import { GateNotice } from "./gate-notice.tsx";
import { manifestText } from "./manifest-text.ts";
import { useAgentDraft } from "./use-agent-draft.ts";

export default tenantPage(EditAgentPage, "agents");

function EditAgentPage({ tenant }: TenantPageProps) {
  const { name = "" } = useParams<{ name: string }>();
  const platform = usePlatform(tenant.id);
  const query = useQuery({
    queryKey: ["platform", tenant.id, "agents", name, "to edit"],
    queryFn: () => platform.readAgent(name),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query}>
      {(agent) => <AgentDraft key={agent.value.id} tenantId={tenant.id} read={agent} />}
    </Loaded>
  );
}

function AgentDraft({ tenantId, read }: { tenantId: string; read: Tagged<PlatformAgentDetail> }) {
  const platform = usePlatform(tenantId);
  const [, go] = useLocation();
  const [base, setBase] = useState(read);
  const agent = base.value;
  const path = tenantPaths(tenantId).agent(agent.name);
  const stored = useMemo(() => manifestText(agent.spec), [agent]);
  const [isConflicting, conflict] = useDisclosure(false);
  const done = (saved: PlatformAgentDetail) => {
    notify(texts.saved(saved.current_version));
    go(path);
  };
  const draft = useAgentDraft({
    tenantId,
    initial: stored,
    send: (text) =>
      platform.updateAgent(agent.name, text, { match: base.tag }).catch((thrown: unknown) => {
        if (isConflict(thrown)) conflict.open();
        throw thrown;
      }),
    done,
  });
  const guard = useLeaveGuard(draft.isChanged && !draft.isSaving);
  return (
    <>
      <PageHeader title={texts.title(agent.name)} lead={texts.lead} up={{ href: path, label: agent.name }} />
      {draft.failure !== undefined && !isConflict(draft.failure) && (
        <FailureView thrown={draft.failure} title={texts.failed} />
      )}
      {draft.isGated && <GateNotice tenantId={tenantId} text={draft.text} current={agent.spec} />}
      <AgentEditor
        tenantId={tenantId}
        text={draft.text}
        change={draft.setText}
        stored={stored}
        problems={draft.problems}
        save={draft.save}
      />
      <SaveBar>
        <Button loading={draft.isSaving} disabled={!draft.isChanged} onClick={draft.save}>
          {texts.save}
        </Button>
      </SaveBar>
      {isConflicting && (
        <ConflictDialog<PlatformAgentDetail>
          mine={draft.text}
          textOf={({ spec }) => manifestText(spec)}
          language="yaml"
          read={() => platform.readAgent(agent.name)}
          keepMine={({ tag }) =>
            draft.sendOver(() => platform.updateAgent(agent.name, draft.text, { match: tag }))
          }
          takeTheirs={(theirs) => {
            setBase(theirs);
            draft.setText(manifestText(theirs.value.spec));
          }}
          close={conflict.close}
        />
      )}
      <LeaveDialog guard={guard} />
    </>
  );
}
