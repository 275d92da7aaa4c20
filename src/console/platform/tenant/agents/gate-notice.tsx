import { Alert, Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { parse } from "yaml";
import type { PlatformEvalRun } from "../../../../contracts/platform/evals.ts";
import { BegunRuns } from "../../../hosted-evals/begun-runs.tsx";
import { evalKeys } from "../../../hosted-evals/eval-host.ts";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
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
  return (
    <Alert color="brass" variant="light" mb="md" title={texts.gateTitle}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{texts.gateText}</Text>
        <BegunRuns
          runs={begun}
          keys={evalKeys("platform", tenantId)}
          read={platform.getEvalRun}
          pathOf={tenantPaths(tenantId).evalRun}
        />
        {asking.error !== null && <FailureView thrown={asking.error} />}
        <Button size="xs" variant="default" loading={asking.isPending} onClick={() => asking.mutate()}>
          {texts.askGate}
        </Button>
      </Stack>
    </Alert>
  );
}

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
