import { useQuery } from "@tanstack/react-query";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { agentTemplate, freeName, templateNames } from "./agent-templates.ts";
import { NewAgentDraft } from "./new-agent-draft.tsx";
import { catalogKey } from "./tool-catalog.tsx";

export default tenantPage(NewAgentPage, "agents");

function NewAgentPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const [asked, ask] = useUrlState("template");
  const template = templateNames.find((name) => name === asked) ?? "plain";
  const query = useQuery({
    queryKey: ["platform", tenant.id, "agents", "to begin with"],
    async queryFn() {
      const { agents } = await platform.listAgents();
      const newest = agents[0];
      const spec = newest && ((await platform.getAgent(newest.name)).spec as { spec?: { model?: unknown } });
      return { names: agents.map(({ name }) => name), model: spec?.spec?.model };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const catalog = useQuery({
    queryKey: catalogKey(tenant.id),
    queryFn: platform.catalog,
    staleTime: 300_000,
  });
  return (
    <Loaded query={query}>
      {({ names, model }) => (
        <Loaded query={catalog}>
          {({ builtins }) => (
            <NewAgentDraft
              key={template}
              tenantId={tenant.id}
              template={template}
              setTemplate={ask}
              initial={agentTemplate({ template, name: freeName(names), model, tools: builtins })}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
