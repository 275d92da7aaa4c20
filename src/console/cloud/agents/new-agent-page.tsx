import { PageHeader } from "../../parts/layout/page-header.tsx";
import { agentTexts, wizardTexts as texts } from "../../texts/cloud/agents.ts";
import { orgPaths } from "../cloud-paths.ts";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { Wizard } from "./wizard/wizard.tsx";
import { emptyForm, inputOf } from "./wizard/wizard-form.ts";

export default orgPage(NewAgentPage);

function NewAgentPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  return (
    <>
      <PageHeader
        title={texts.newTitle}
        lead={texts.newLead}
        up={{ href: orgPaths(org.slug).agents, label: agentTexts.title }}
      />
      <Wizard
        org={org}
        initial={emptyForm}
        isStored={false}
        store={(form) => cloud.createAgent(org.slug, inputOf(form))}
      />
    </>
  );
}
