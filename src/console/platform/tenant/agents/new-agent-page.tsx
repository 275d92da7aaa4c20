import { useQuery } from "@tanstack/react-query";
import { changeManifest } from "../../../builder/manifest/change-manifest.ts";
import { addCollectionTool } from "../../../builder/manifest/collection-tool.ts";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { useDaemon } from "../../../studio/use-daemon.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { agentTemplate, freeName, templateNames } from "./agent-templates.ts";
import { NewAgentDraft } from "./new-agent-draft.tsx";
import { catalogKey } from "./tool-catalog.tsx";

export default tenantPage(NewAgentPage, "agents");

/** Creates an agent: from a template, with a tool that searches a collection (`?collection=`), or as a copy of one of the Studio (`?studio=`). */
function NewAgentPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const daemon = useDaemon();
  const [{ template: asked, studio, collection }, ask] = useUrlFields(["template", "studio", "collection"]);
  const template = templateNames.find((name) => name === asked) ?? "plain";
  const query = useQuery({
    queryKey: ["platform", tenant.id, "agents", "to begin with", studio],
    async queryFn() {
      const copied = studio === "" ? undefined : (await daemon.readManifest(studio)).value;
      const { agents } = await platform.listAgents();
      const names = agents.map(({ name }) => name);
      if (copied !== undefined) return { names, copied };
      const newest = agents[0];
      const spec = newest && ((await platform.getAgent(newest.name)).spec as { spec?: { model?: unknown } });
      return { names, model: spec?.spec?.model };
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
      {({ names, model, copied }) => (
        <Loaded query={catalog}>
          {({ builtins }) => (
            <NewAgentDraft
              key={`${template} ${studio}`}
              tenantId={tenant.id}
              template={copied === undefined ? template : undefined}
              copied={copied === undefined ? undefined : studio}
              setTemplate={(name) => ask({ template: name, studio: "" })}
              initial={
                copied === undefined
                  ? withCollection(
                      agentTemplate({ template, name: freeName(names), model, tools: builtins }),
                      collection,
                    )
                  : changeManifest(copied, ["metadata", "name"], freeName(names, studio))
              }
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const withCollection = (text: string, collection: string): string =>
  collection === "" ? text : addCollectionTool(text, collection);
