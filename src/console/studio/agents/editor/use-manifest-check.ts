import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ProblemBody } from "../../../../contracts/error-body.ts";
import type { YamlReading } from "../../../../manifest/read-yaml.ts";
import { useDaemon } from "../../../api/use-server.tsx";
import { type NameRule, problemsAtOnce } from "../manifest/manifest-checks.ts";

/** What is known of a manifest that is being written. */
export interface ManifestVerdict {
  state: "valid" | "checking" | "faulty" | "unchecked";
  problems: readonly ProblemBody[];
}

const pauseMs = 300;
const none: readonly ProblemBody[] = [];

/**
 * What the page sees by itself at once, and what the daemon says of the text once nobody has typed for a moment; a check
 * that is overtaken is given up.
 */
export function useManifestCheck(text: string, reading: YamlReading, rule: NameRule): ManifestVerdict {
  const daemon = useDaemon();
  const own = useMemo(() => problemsAtOnce(reading, rule), [reading, rule]);
  const [settled] = useDebouncedValue(text, pauseMs);
  const isYaml = !("problem" in reading);
  const check = useQuery({
    queryKey: ["daemon", "manifest-check", settled],
    queryFn: ({ signal }) => daemon.validateAgent(settled, signal),
    enabled: isYaml && settled === text,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const found = check.data?.problems ?? none;
  const isCurrent = settled === text && !check.isPlaceholderData && check.data !== undefined;
  return useMemo<ManifestVerdict>(() => {
    if (own.length > 0) {
      const beside = isYaml && isCurrent ? found.filter(({ path }) => path !== "metadata.name") : none;
      return { state: "faulty", problems: [...own, ...beside] };
    }
    if (!isCurrent) return { state: check.isError ? "unchecked" : "checking", problems: found };
    return { state: found.length === 0 ? "valid" : "faulty", problems: found };
  }, [own, isYaml, isCurrent, found, check.isError]);
}
