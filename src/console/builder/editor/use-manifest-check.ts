import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import type { YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import { useDaemon } from "../../studio/use-daemon.ts";
import { type NameRule, problemsAtOnce } from "../manifest/manifest-checks.ts";

/** The state of a manifest in the editor. */
export interface ManifestVerdict {
  state: "valid" | "checking" | "faulty" | "unchecked";
  problems: readonly ProblemBody[];
}

const pauseMs = 300;
const none: readonly ProblemBody[] = [];

/**
 * Returns the page's own checks at once, and the daemon's check of the text after a short pause in typing. A check is aborted when the text
 * changes again.
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
