import { useQuery } from "@tanstack/react-query";
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
      {({ agent_id: id, name }) => <EditedAgent key={id} org={org} name={name} />}
    </AgentLoaded>
  );
}

/** The editor over the version that was read when it opened. A newer version never replaces what the user typed. */
function EditedAgent({ org, name }: OrgPageProps & { name: string }) {
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
        <Loaded query={query}>{(read) => <OrgBuilder org={org} offer={offered} stored={read} />}</Loaded>
      )}
    </Loaded>
  );
}
