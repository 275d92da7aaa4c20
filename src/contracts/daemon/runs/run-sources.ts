// Without schemas, whose library is more than the rest of a console page.

/** Why a run was started. `trigger`: a trigger of the workspace fired. */
export const runSources = ["production", "trigger", "playground", "eval"] as const;
export type RunSource = (typeof runSources)[number];

/** One source, `traffic` for all runs but trials and tests, or `all`. */
export const sourceFilters = ["traffic", "all", ...runSources] as const;
export type SourceFilter = (typeof sourceFilters)[number];

/** The sources that a filter includes; undefined if it includes all. */
export function sourcesOf(filter: SourceFilter): readonly RunSource[] | undefined {
  if (filter === "all") return undefined;
  return filter === "traffic" ? ["production", "trigger"] : [filter];
}

/** Source of a run whose request names none, or only a trigger. */
export const usualSource = "production" satisfies RunSource;
