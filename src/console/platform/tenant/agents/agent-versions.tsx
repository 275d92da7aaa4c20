import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import { evalKeys } from "../../../hosted-evals/eval-host.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { scoresByVersion } from "../../../parts/eval-scores.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { versionTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { useRights } from "../rights.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { comparedVersions } from "./compared-versions.ts";
import { VersionDiff } from "./version-diff.tsx";
import { VersionTable } from "./version-table.tsx";

/** All versions of an agent. Any two can be compared, and any one restored. */
export function AgentVersions({ tenantId, agent }: { tenantId: string; agent: PlatformAgentDetail }) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const [fromText, setFrom] = useUrlState("from");
  const [toText, setTo] = useUrlState("to");
  const [restored, restore] = useState<number>();
  const may = useRights();
  const { name, current_version: current } = agent;
  const query = useQuery({
    queryKey: ["platform", tenantId, "agents", name, "versions"],
    queryFn: () => platform.listVersions(name),
  });
  const { data: runs } = useQuery({
    queryKey: [...evalKeys("platform", tenantId).all, "of agent", name],
    queryFn: () => platform.listEvalRuns({ agent: name, limit: 100 }),
  });
  const scores = scoresByVersion(runs?.runs ?? [], ({ checksum }) => checksum, tenantPaths(tenantId).evalRun);
  const { from, to } = comparedVersions({ from: fromText, to: toText, current });
  return (
    <div className="ar-stack">
      <Panel title={texts.title} flush>
        <Loaded query={query} rows={3}>
          {({ versions }) => (
            <VersionTable
              versions={versions}
              current={current}
              from={from}
              to={to}
              scores={scores}
              setFrom={(version) => setFrom(String(version))}
              setTo={(version) => setTo(String(version))}
              {...(may("agents") && { restore })}
            />
          )}
        </Loaded>
      </Panel>
      {current > 1 && <VersionDiff tenantId={tenantId} name={name} from={from} to={to} />}
      {restored !== undefined && (
        <Confirm
          opened
          title={texts.restoreTitle(restored)}
          text={texts.restoreText(restored, current + 1)}
          action={texts.restoreAction}
          onClose={() => restore(undefined)}
          onConfirm={async () => {
            const saved = await platform.restoreVersion(name, restored);
            await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
            notify(texts.restored(restored, saved.current_version));
          }}
        />
      )}
    </div>
  );
}
