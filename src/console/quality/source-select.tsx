import { Select } from "@mantine/core";
import { type SourceFilter, sourceFilters } from "../../contracts/daemon/runs/run-source.ts";
import { sourceTexts as texts } from "../texts/quality.ts";

/** A value of the address as a filter of runs by their source; any other value is the usual one. */
export const sourceFilterOf = (value: string, usual: "traffic" | "all"): SourceFilter =>
  sourceFilters.find((filter) => filter === value) ?? usual;

interface SourceSelectProps {
  value: string;
  usual: "traffic" | "all";
  /** Takes "" for the usual choice. */
  change: (value: string) => void;
}

/** Chooses which runs count: traffic, or also trials and evals. */
export const SourceSelect = ({ value, usual, change }: SourceSelectProps) => (
  <Select
    label={texts.source}
    w={190}
    value={sourceFilterOf(value, usual)}
    data={sourceFilters.map((filter) => ({ value: filter, label: texts.filters[filter] }))}
    onChange={(chosen) => change(chosen === null || chosen === usual ? "" : chosen)}
    allowDeselect={false}
  />
);
