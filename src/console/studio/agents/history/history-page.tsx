import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import type { ManifestVersion } from "../../../../contracts/daemon/agent-versions.ts";
import { DiffView } from "../../../editor/diff-view.tsx";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { scoresByVersion } from "../../../parts/eval-scores.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { historyTexts as texts } from "../../../texts/studio/history.ts";
import { evalKeys, evalRunPath } from "../../evals/eval-keys.ts";
import { useDaemon } from "../../use-daemon.ts";
import { agentPaths } from "../agent-paths.ts";
import { historyKey, RestoreDialog } from "./restore-dialog.tsx";
import { VersionTable } from "./version-table.tsx";

/** Versions of an agent's manifest. Any two can be compared, and any one restored. */
export default function HistoryPage() {
  const { name = "" } = useParams<{ name: string }>();
  const daemon = useDaemon();
  const query = useQuery({ queryKey: historyKey(name), queryFn: () => daemon.listManifestVersions(name) });
  return (
    <>
      <PageHeader
        title={texts.title(name)}
        lead={texts.lead}
        up={{ href: agentPaths.of(name), label: name }}
      />
      <Loaded query={query}>
        {({ versions }) =>
          versions.length === 0 ? (
            <EmptyState title={texts.emptyTitle} text={texts.empty} />
          ) : (
            <History name={name} versions={versions} />
          )
        }
      </Loaded>
    </>
  );
}

interface HistoryProps {
  name: string;
  versions: readonly ManifestVersion[];
}

function History({ name, versions }: HistoryProps) {
  const [fromText, setFrom] = useUrlState("from");
  const [toText, setTo] = useUrlState("to");
  const [restored, restore] = useState<ManifestVersion>();
  const numbered = (text: string) => versions.find(({ number }) => String(number) === text);
  const to = numbered(toText) ?? versions[0];
  const from =
    numbered(fromText) ?? versions[versions.findIndex(({ number }) => number === to?.number) + 1] ?? to;
  const scores = useScores(name);
  if (from === undefined || to === undefined) return null;
  return (
    <div className="ar-stack">
      <Panel title={texts.versions} flush>
        <VersionTable
          versions={versions}
          from={from.number}
          to={to.number}
          scores={scores}
          setFrom={(number) => setFrom(String(number))}
          setTo={(number) => setTo(String(number))}
          restore={restore}
        />
      </Panel>
      <Panel title={texts.diffTitle(from.number, to.number)} flush>
        {versions.length === 1 ? (
          <div className="ar-panel-body ar-soft">{texts.only}</div>
        ) : from.checksum === to.checksum ? (
          <div className="ar-panel-body ar-soft">{texts.same}</div>
        ) : (
          <VersionDiff name={name} from={from.number} to={to.number} />
        )}
      </Panel>
      {restored !== undefined && (
        <RestoreDialog name={name} version={restored} close={() => restore(undefined)} />
      )}
    </div>
  );
}

/** Runs of evals that are looked through for the scores of versions. */
const runsMax = 100;

/** Scores of the agent's versions in recent runs of evals. Without them, the history is shown all the same. */
function useScores(name: string) {
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: [...evalKeys.all, "recent"],
    queryFn: () => daemon.listEvalRuns({ limit: runsMax }),
  });
  const ofAgent = (data?.runs ?? []).filter(({ agent }) => agent === name);
  return scoresByVersion(ofAgent, ({ agent_manifest: manifest }) => manifest, evalRunPath);
}

/** Differences between two versions. */
function VersionDiff({ name, from, to }: { name: string; from: number; to: number }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: [...historyKey(name), from, to],
    async queryFn() {
      const [before, after] = await Promise.all([
        daemon.getManifestVersion(name, from),
        daemon.getManifestVersion(name, to),
      ]);
      return { before: before.manifest, after: after.manifest };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query}>
      {(both) => <DiffView {...both} language="yaml" label={texts.diffTitle(from, to)} />}
    </Loaded>
  );
}
