import { Alert } from "@mantine/core";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { agentTexts, wizardTexts as texts } from "../../texts/cloud/agents.ts";
import { orgPaths } from "../cloud-paths.ts";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { AgentLoaded } from "./agent-loaded.tsx";
import { Wizard } from "./wizard/wizard.tsx";
import { changeOf, formOf } from "./wizard/wizard-form.ts";

export default orgPage(EditAgentPage);

function EditAgentPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  return (
    <AgentLoaded org={org}>
      {(agent) => (
        <>
          <PageHeader
            title={texts.editTitle(agent.display_name)}
            lead={texts.editLead}
            up={{ href: orgPaths(org.slug).agent(agent.name), label: agent.display_name }}
          />
          {agent.status === "deployed" && (
            <Alert mb="md" variant="outline" className="ar-warning" icon={<Icon name="warn" />}>
              {agentTexts.editPaused}
            </Alert>
          )}
          <Wizard
            key={agent.updated_at}
            org={org}
            initial={formOf(agent)}
            isStored
            store={(form) => cloud.updateAgent(org.slug, agent.name, changeOf(form))}
          />
        </>
      )}
    </AgentLoaded>
  );
}
