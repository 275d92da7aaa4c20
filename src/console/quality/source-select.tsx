import { Select } from "@mantine/core";
import { type RunSource, type SourceFilter, sourceFilters } from "../../contracts/daemon/runs/run-sources.ts";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { sourceTexts as texts } from "../texts/quality.ts";

/** A value of the address as a filter of runs by their source; any other value is the usual one. */
export const sourceFilterOf = (value: string, usual: "traffic" | "all"): SourceFilter =>
  sourceFilters.find((filter) => filter === value) ?? usual;

/** The source of a run that is not of production. */
export const SourceBadge = ({ source }: { source: RunSource }) =>
  source === "production" ? null : <StatusBadge tone="accent">{texts.filters[source]}</StatusBadge>;

interface SourceSelectProps {
  value: string;
  usual: "traffic" | "all";
  /** Takes "" for the usual choice. */
  change: (value: string) => void;
  /** Without a visible label, beside selects that have none. */
  isBare?: boolean;
}

/** Chooses which runs count: traffic, or also trials and evals. */
export const SourceSelect = ({ value, usual, change, isBare = false }: SourceSelectProps) => (
  <Select
    {...(isBare ? { "aria-label": texts.source } : { label: texts.source })}
    w={190}
    value={sourceFilterOf(value, usual)}
    data={sourceFilters.map((filter) => ({ value: filter, label: texts.filters[filter] }))}
    onChange={(chosen) => change(chosen === null || chosen === usual ? "" : chosen)}
    allowDeselect={false}
  />
);
