import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { Builder, type SaveAction } from "../../../builder/builder.tsx";
import { changeManifest } from "../../../builder/manifest/change-manifest.ts";
import { addCollectionTool } from "../../../builder/manifest/collection-tool.ts";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { useDaemon } from "../../../studio/use-daemon.ts";
import { tenantBuilderTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { agentTemplate, freeName, type TemplateName, templateNames } from "./agent-templates.ts";
import { GateNotice } from "./gate-notice.tsx";
import { isGated, type TenantBuilderOffer, useTenantHost, useTenantOffer } from "./tenant-host.tsx";

export default tenantPage(NewAgentPage, "agents");

/** Creates an agent: from a template, with a tool that searches a collection (`?collection=`), or as a copy of one of the Studio (`?studio=`). */
function NewAgentPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const daemon = useDaemon();
  const [{ template: asked, studio, collection }, ask] = useUrlFields(["template", "studio", "collection"]);
  const template = templateNames.find((name) => name === asked) ?? "plain";
  const offer = useTenantOffer(tenant.id);
  const query = useQuery({
    queryKey: ["platform", tenant.id, "agents", "to begin with", studio],
    async queryFn(): Promise<Beginning> {
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
  return (
    <Loaded query={query}>
      {(beginning) => (
        <Loaded query={offer}>
          {(offered) => (
            <NewAgent
              key={`${template} ${studio}`}
              tenantId={tenant.id}
              offer={offered}
              beginning={beginning}
              template={template}
              studio={studio}
              collection={collection}
              choose={(name) => ask({ template: name, studio: "" })}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

/** What a new agent may begin with. */
interface Beginning {
  names: readonly string[];
  /** The manifest of an agent of the Studio. */
  copied?: string;
  /** Model of another agent of the tenant, which is known to work here. */
  model?: unknown;
}

interface NewAgentProps {
  tenantId: string;
  offer: TenantBuilderOffer;
  beginning: Beginning;
  template: TemplateName;
  studio: string;
  collection: string;
  choose: (template: string) => void;
}

function NewAgent(props: NewAgentProps) {
  const { tenantId, offer, beginning, template, studio, collection, choose } = props;
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const [, go] = useLocation();
  const host = useTenantHost(tenantId, offer);
  const paths = tenantPaths(tenantId);
  const { names, copied, model } = beginning;
  const initial = useMemo(() => {
    if (copied !== undefined) return changeManifest(copied, ["metadata", "name"], freeName(names, studio));
    const { builtins: tools } = offer.catalog;
    const text = agentTemplate({ template, name: freeName(names), model, tools });
    return collection === "" ? text : addCollectionTool(text, collection);
  }, [copied, names, studio, offer, template, model, collection]);
  const create: SaveAction = {
    label: texts.create,
    title: texts.create,
    isReady: ({ state }, isDirty) => state === "valid" && isDirty,
    async send(text) {
      const { name } = await platform.createAgent(text);
      await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
      notify(texts.created(name));
      go(paths.agent(name));
    },
  };
  return (
    <Builder
      host={host}
      draftName={`platform ${tenantId} new ${copied === undefined ? `${template} ${collection}` : studio}`}
      header={{ title: texts.newTitle, lead: texts.newLead, up: { href: paths.agents, label: texts.up } }}
      initial={{ value: initial, tag: undefined }}
      taken={names}
      save={create}
      refused={(thrown, text) =>
        isGated(thrown) ? <GateNotice tenantId={tenantId} text={text} /> : undefined
      }
      top={
        <Select
          label={texts.template}
          className="ar-edit-template"
          allowDeselect={false}
          value={copied === undefined ? template : ""}
          data={[
            ...(copied === undefined ? [] : [{ value: "", label: texts.copyOf(studio) }]),
            ...templateNames.map((value) => ({ value, label: texts.templates[value] })),
          ]}
          onChange={(name) => name !== null && name !== "" && choose(name)}
        />
      }
    />
  );
}
