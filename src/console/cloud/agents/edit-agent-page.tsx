import { useQuery } from "@tanstack/react-query";
import type { CloudAgent } from "../../../contracts/cloud/agents.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { AgentLoaded } from "./agent-loaded.tsx";
import { editedKey, OrgBuilder, readEdited } from "./org-builder.tsx";
import { useOrgOffer } from "./org-host.tsx";

export default orgPage(EditAgentPage);

function EditAgentPage({ org }: OrgPageProps) {
  return (
    <AgentLoaded org={org}>
      {(agent) => <EditedAgent key={agent.agent_id} org={org} agent={agent} />}
    </AgentLoaded>
  );
}

/** The editor over the version that was read when it opened. A newer version never replaces what the user typed. */
function EditedAgent({ org, agent: { name, ...agent } }: OrgPageProps & { agent: CloudAgent }) {
  const cloud = useCloud();
  const offer = useOrgOffer({ org });
  const query = useQuery({
    queryKey: editedKey(org.slug, name),
    queryFn: () => readEdited(cloud, org.slug, name),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={offer}>
      {(offered) => (
        <Loaded query={query}>
          {(read) => (
            <OrgBuilder
              org={org}
              offer={offered}
              stored={read}
              published={agent.status === "draft" ? undefined : { name, ...agent }}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
