import { Alert, Anchor, Button, Stack, Text } from "@mantine/core";
import { useMutation, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { parse } from "yaml";
import type { PlatformEvalRun } from "../../../../contracts/platform/evals.ts";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
import { evalRunTones, tenantEvalKeys } from "../evals/tenant-eval-keys.ts";
import { tenantPaths } from "../tenant-paths.ts";

interface GateNoticeProps {
  tenantId: string;
  /** Manifest that the gate refused. */
  text: string;
  /** Manifest in service; its requirements hold as well. */
  current?: unknown;
}

/** Runs the evals that a refused version needs, without leaving its draft. */
export function GateNotice({ tenantId, text, current }: GateNoticeProps) {
  const platform = usePlatform(tenantId);
  const [begun, setBegun] = useState<readonly PlatformEvalRun[]>([]);
  const asking = useMutation({
    mutationFn: async () => {
      const names = new Set([...requiredIn(parse(text)), ...requiredIn(current)]);
      const agent = nameIn(parse(text));
      const runs: PlatformEvalRun[] = [];
      for (const name of names) {
        runs.push(await platform.startEvalRun(name, { ...(agent !== undefined && { agent }), spec: text }));
        setBegun([...runs]);
      }
    },
  });
  const queries = useQueries({
    queries: begun.map((run) => ({
      queryKey: tenantEvalKeys(tenantId).run(run.id),
      queryFn: () => platform.getEvalRun(run.id),
      refetchInterval: ({ state }: { state: { data?: PlatformEvalRun | undefined } }) =>
        state.data?.ended_at === null ? everyMs : false,
      initialData: { ...run, summary: null },
    })),
  });
  return (
    <Alert color="brass" variant="light" mb="md" title={texts.gateTitle}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{texts.gateText}</Text>
        {queries.map(
          ({ data: run }) =>
            run !== undefined && (
              <div key={run.id}>
                <StatusBadge tone={evalRunTones[run.status]}>{texts.statuses[run.status]}</StatusBadge>{" "}
                {/* In another tab, because the draft is not stored. */}
                <Anchor href={tenantPaths(tenantId).evalRun(run.id)} target="_blank" className="ar-mono">
                  {run.eval}
                </Anchor>{" "}
                {texts.passedOf(formatNumber(run.passed), formatNumber(run.planned))}
              </div>
            ),
        )}
        {asking.error !== null && <FailureView thrown={asking.error} />}
        <Button
          size="xs"
          variant="default"
          loading={asking.isPending || queries.some(({ data }) => data?.ended_at === null)}
          onClick={() => asking.mutate()}
        >
          {texts.askGate}
        </Button>
      </Stack>
    </Alert>
  );
}

const everyMs = 1000;

/** Names of the evals that a manifest requires. */
function requiredIn(manifest: unknown): string[] {
  const { spec } = (manifest ?? {}) as { spec?: { release?: { requires?: { eval?: unknown }[] } } };
  const requires = spec?.release?.requires;
  if (!Array.isArray(requires)) return [];
  return requires.flatMap((required) => (typeof required?.eval === "string" ? [required.eval] : []));
}

function nameIn(manifest: unknown): string | undefined {
  const { metadata } = (manifest ?? {}) as { metadata?: { name?: unknown } };
  return typeof metadata?.name === "string" ? metadata.name : undefined;
}
