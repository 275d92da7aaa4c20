import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Loaded } from "../../parts/states/loaded.tsx";
import { orgBuilderTexts as texts } from "../../texts/cloud/agents.ts";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { OrgBuilder } from "./org-builder.tsx";
import { type OrgOffer, useOrgOffer } from "./org-host.tsx";
import { orgTemplate, orgTemplateNames } from "./org-templates.ts";

export default orgPage(NewAgentPage);

function NewAgentPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const offer = useOrgOffer({ org });
  const agents = useQuery({
    queryKey: ["cloud", org.slug, "agents"],
    queryFn: () => cloud.agents(org.slug),
  });
  return (
    <Loaded query={offer}>
      {(offered) => (
        <Loaded query={agents}>
          {({ agents: present }) => (
            <NewAgent org={org} offer={offered} taken={present.map(({ name }) => name)} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function NewAgent({ org, offer, taken }: OrgPageProps & { offer: OrgOffer; taken: readonly string[] }) {
  const [asked, ask] = useUrlState("template");
  const template = orgTemplateNames.find((name) => name === asked) ?? "plain";
  const { catalog } = offer;
  // The initial text stays the same, even if agents are added meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the first moment count
  const initial = useMemo(
    () =>
      orgTemplate(template, taken, {
        tools: catalog.tools.map(({ name }) => name),
        guardrails: catalog.input_guardrails.map(({ name }) => name),
      }),
    [template, catalog],
  );
  return (
    <OrgBuilder
      key={template}
      org={org}
      offer={offer}
      initial={initial}
      beginning={template}
      taken={taken}
      top={
        <Select
          label={texts.template}
          className="ar-edit-template"
          allowDeselect={false}
          value={template}
          data={orgTemplateNames.map((value) => ({ value, label: texts.templates[value] }))}
          onChange={(next) => ask(next === "plain" || next === null ? "" : next)}
        />
      }
    />
  );
}
