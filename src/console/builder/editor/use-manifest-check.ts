import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import type { YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import type { BuilderHost } from "../host.ts";
import { type NameRule, problemsAtOnce } from "../manifest/manifest-checks.ts";

/** The state of a manifest in the editor. */
export interface ManifestVerdict {
  state: "valid" | "checking" | "faulty" | "unchecked";
  problems: readonly ProblemBody[];
  /** What is missing before a valid manifest can answer calls. */
  missing: readonly ProblemBody[];
}

const pauseMs = 300;
const none: readonly ProblemBody[] = [];

/**
 * Returns the page's own checks at once, and the host's check of the text after a short pause in typing. A check is aborted when the text
 * changes again.
 */
export function useManifestCheck(
  { check, checkKey }: BuilderHost,
  text: string,
  reading: YamlReading,
  rule: NameRule,
): ManifestVerdict {
  const own = useMemo(() => problemsAtOnce(reading, rule), [reading, rule]);
  const [settled] = useDebouncedValue(text, pauseMs);
  const isYaml = !("problem" in reading);
  const found = useQuery({
    queryKey: [...checkKey, settled],
    queryFn: ({ signal }) => check(settled, reading, signal),
    enabled: isYaml && settled === text,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const { problems = none, missing = none } = found.data ?? {};
  const isCurrent = settled === text && !found.isPlaceholderData && found.data !== undefined;
  return useMemo<ManifestVerdict>(() => {
    if (own.length > 0) {
      const beside = isYaml && isCurrent ? problems.filter(({ path }) => path !== "metadata.name") : none;
      return { state: "faulty", problems: [...own, ...beside], missing: none };
    }
    if (!isCurrent) return { state: found.isError ? "unchecked" : "checking", problems, missing };
    return { state: problems.length === 0 ? "valid" : "faulty", problems, missing };
  }, [own, isYaml, isCurrent, problems, missing, found.isError]);
}
