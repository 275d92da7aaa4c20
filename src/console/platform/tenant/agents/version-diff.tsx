import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { SpecChange } from "../../../../contracts/platform/agents.ts";
import { ManifestDiff } from "../../../builder/manifest-diff.tsx";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { StatusBadge, type Tone } from "../../../parts/text/status-badge.tsx";
import { versionTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { manifestText } from "./manifest-text.ts";

interface VersionDiffProps {
  tenantId: string;
  name: string;
  from: number;
  to: number;
}

const tones: Readonly<Record<SpecChange["change"], Tone>> = {
  added: "good",
  removed: "bad",
  changed: "warn",
};

/** Differences between two versions: as texts, and field by field. */
export function VersionDiff({ tenantId, name, from, to }: VersionDiffProps) {
  const platform = usePlatform(tenantId);
  const [view, setView] = useUrlState("diff");
  const query = useQuery({
    queryKey: ["platform", tenantId, "agents", name, "diff", from, to],
    async queryFn() {
      const [diff, before, after] = await Promise.all([
        platform.diffVersions(name, from, to),
        platform.getVersion(name, from),
        platform.getVersion(name, to),
      ]);
      return { changes: diff.changes, before: manifestText(before.spec), after: manifestText(after.spec) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel
      title={texts.diffTitle(from, to)}
      flush
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.diffView}
          value={view === "fields" ? view : "text"}
          data={[
            { value: "text", label: texts.asText },
            { value: "fields", label: texts.asFields },
          ]}
          onChange={(value) => setView(value === "text" ? "" : value)}
        />
      }
    >
      <Loaded query={query}>
        {({ changes, before, after }) => {
          if (changes.length === 0) return <div className="ar-panel-body ar-soft">{texts.same}</div>;
          return view === "fields" ? (
            <PlainTable
              label={texts.diffTitle(from, to)}
              columns={columns}
              rows={changes}
              keyOf={({ path }) => path}
            />
          ) : (
            <div className="ar-panel-body">
              <ManifestDiff before={before} after={after} label={texts.diffTitle(from, to)} />
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const columns: readonly PlainColumn<SpecChange>[] = [
  { id: "path", header: texts.field, className: "ar-mono ar-break", cell: ({ path }) => path },
  {
    id: "change",
    header: texts.change,
    cell: ({ change }) => <StatusBadge tone={tones[change]}>{texts.changes[change]}</StatusBadge>,
  },
  {
    id: "before",
    header: texts.before,
    className: "ar-mono ar-break",
    cell: ({ before }) => shown(before),
  },
  { id: "after", header: texts.after, className: "ar-mono ar-break", cell: ({ after }) => shown(after) },
];

function shown(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
