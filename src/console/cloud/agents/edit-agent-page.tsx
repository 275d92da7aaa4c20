import { Alert } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { stringify } from "yaml";
import type { AgentChange, CloudAgent } from "../../../contracts/cloud/agents.ts";
import type { CloudClient } from "../../../contracts/cloud/client.ts";
import type { Tagged } from "../../../contracts/tagged.ts";
import { ConflictDialog, isConflict } from "../../editor/conflict-dialog.tsx";
import type { LeaveGuard } from "../../editor/use-leave-guard.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { notify } from "../../parts/notices.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { agentTexts, wizardTexts as texts } from "../../texts/cloud/agents.ts";
import { orgPaths } from "../cloud-paths.ts";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { AgentLoaded } from "./agent-loaded.tsx";
import { Wizard } from "./wizard/wizard.tsx";
import { changeOf, formOf, inputOf, type WizardForm } from "./wizard/wizard-form.ts";

export default orgPage(EditAgentPage);

function EditAgentPage({ org }: OrgPageProps) {
  return (
    <AgentLoaded org={org}>
      {(agent) => (
        <>
          <PageHeader
            title={texts.editTitle(agent.display_name)}
            lead={texts.editLead}
            up={{ href: orgPaths(org.slug).agent(agent.name), label: agent.display_name }}
          />
          {isDrafted(agent) && (
            <Alert mb="md" variant="outline" icon={<Icon name="edit" />}>
              {agentTexts.editDraft}
            </Alert>
          )}
          <EditedAgent key={agent.agent_id} org={org} name={agent.name} />
        </>
      )}
    </AgentLoaded>
  );
}

/** The wizard over the version that was read when it opened. A newer version never replaces what the user typed. */
function EditedAgent({ org, name }: OrgPageProps & { name: string }) {
  const cloud = useCloud();
  const query = useQuery({
    queryKey: ["cloud", org.slug, "agent", name, "to edit"],
    queryFn: () => readEdited(cloud, org.slug, name),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return <Loaded query={query}>{(read) => <EditedVersion org={org} name={name} read={read} />}</Loaded>;
}

function EditedVersion({ org, name, read }: OrgPageProps & { name: string; read: Tagged<CloudAgent> }) {
  const cloud = useCloud();
  const [base, setBase] = useState(read);
  const [conflict, setConflict] = useState<Pick<AgentConflictProps, "form" | "pass">>();
  return (
    <>
      <Wizard
        key={base.tag}
        org={org}
        initial={formOf(base.value)}
        isStored
        isDraft={isDrafted(base.value)}
        store={async (form, pass) => {
          try {
            await storeChange(cloud, org.slug, base, changeOf(form));
          } catch (thrown) {
            if (isConflict(thrown)) setConflict({ form, pass });
            throw thrown;
          }
        }}
      />
      {conflict !== undefined && (
        <AgentConflict
          org={org}
          name={name}
          {...conflict}
          take={setBase}
          close={() => setConflict(undefined)}
        />
      )}
    </>
  );
}

/** A deployed agent, and one that has a draft already, is changed by a draft. */
const isDrafted = ({ status, has_draft }: CloudAgent): boolean => status === "deployed" || has_draft === true;

/** Reads what the wizard edits: the draft if there is one, with the tag of its agent. */
async function readEdited(cloud: CloudClient, slug: string, name: string): Promise<Tagged<CloudAgent>> {
  const read = await cloud.readAgent(slug, name);
  if (read.value.has_draft !== true) return read;
  const { step1: _1, step2: _2, step3: _3, step4: _4, step5: _5, ...agent } = read.value;
  return { ...read, value: { ...agent, ...(await cloud.draft(slug, name)) } };
}

const storeChange = (
  cloud: CloudClient,
  slug: string,
  { value, tag }: Tagged<CloudAgent>,
  change: AgentChange,
): Promise<unknown> =>
  isDrafted(value)
    ? cloud.changeDraft(slug, value.name, change, tag)
    : cloud.updateAgent(slug, value.name, change, tag);

interface AgentConflictProps extends OrgPageProps {
  name: string;
  form: WizardForm;
  pass: LeaveGuard["pass"];
  take: (theirs: Tagged<CloudAgent>) => void;
  close: () => void;
}

function AgentConflict({ org, name, form, pass, take, close }: AgentConflictProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  return (
    <ConflictDialog<CloudAgent>
      mine={stringify(inputOf(form), { lineWidth: 0 })}
      textOf={(theirs) => stringify(inputOf(formOf(theirs)), { lineWidth: 0 })}
      language="yaml"
      read={() => readEdited(cloud, org.slug, name)}
      keepMine={async (theirs) => {
        await storeChange(cloud, org.slug, theirs, changeOf(form));
        await queries.invalidateQueries({ queryKey: ["cloud", org.slug] });
        notify(texts.saved(name));
        await pass(async () => go(orgPaths(org.slug).agent(name)));
      }}
      takeTheirs={take}
      close={close}
    />
  );
}
