import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import type { Tagged } from "../../../../contracts/tagged.ts";
import { Builder, type SaveAction } from "../../../builder/builder.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { tenantBuilderTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { GateNotice } from "./gate-notice.tsx";
import { manifestText } from "./manifest-text.ts";
import { isGated, type TenantBuilderOffer, useTenantHost, useTenantOffer } from "./tenant-host.tsx";

export default tenantPage(EditAgentPage, "agents");

function EditAgentPage({ tenant }: TenantPageProps) {
  const { name = "" } = useParams<{ name: string }>();
  const platform = usePlatform(tenant.id);
  const offer = useTenantOffer(tenant.id);
  const query = useQuery({
    queryKey: ["platform", tenant.id, "agents", name, "to edit"],
    queryFn: () => platform.readAgent(name),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query}>
      {(agent) => (
        <Loaded query={offer}>
          {(offered) => (
            <EditedAgent key={agent.value.id} tenantId={tenant.id} offer={offered} read={agent} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface EditedAgentProps {
  tenantId: string;
  offer: TenantBuilderOffer;
  read: Tagged<PlatformAgentDetail>;
}

function EditedAgent({ tenantId, offer, read }: EditedAgentProps) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const [, go] = useLocation();
  const host = useTenantHost(tenantId, offer);
  const [base, setBase] = useState(read);
  const { name, id, spec } = base.value;
  const path = tenantPaths(tenantId).agent(name);
  const save: SaveAction = {
    label: texts.save,
    title: texts.save,
    review: "noted",
    isReady: ({ state }, isDirty) => state === "valid" && isDirty,
    async send(text, { tag }, { note }) {
      const saved = await platform.updateAgent(name, text, { match: tag, note });
      await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
      notify(texts.saved(saved.current_version));
      go(path);
    },
  };
  return (
    <Builder
      host={host}
      name={name}
      draftName={`platform ${tenantId} ${id}`}
      header={{ title: texts.title(name), lead: texts.lead, up: { href: path, label: name } }}
      initial={asText(base)}
      taken={[]}
      save={save}
      others={{
        read: async () => asText(await platform.readAgent(name)),
        take: () => void platform.readAgent(name).then(setBase),
        canRecreate: false,
      }}
      refused={(thrown, text) =>
        isGated(thrown) ? <GateNotice tenantId={tenantId} text={text} current={spec} /> : undefined
      }
    />
  );
}

const asText = ({ value, tag }: Tagged<PlatformAgentDetail>): Tagged<string> => ({
  value: manifestText(value.spec),
  tag,
});
