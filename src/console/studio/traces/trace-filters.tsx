import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { formatInstant } from "../../parts/text/format.ts";
import { TenantSelect } from "../../platform/operator/tenant-select.tsx";
import { SourceSelect } from "../../quality/source-select.tsx";
import { useSession } from "../../session/session.tsx";
import { useKnowsTenants } from "../../tenants/use-tenant-names.ts";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { traceListTexts } from "../../texts/studio/trace-list.ts";
import { useDaemon } from "../use-daemon.ts";
import { rangeNames } from "./time-range.ts";
import { sortNames, type TraceFilterValues } from "./trace-query.ts";

interface TraceFiltersProps {
  values: TraceFilterValues;
  change: (values: Partial<TraceFilterValues>) => void;
}

/** The search, the filters and the order of the list of traces. */
export function TraceFilters({ values, change }: TraceFiltersProps) {
  const daemon = useDaemon();
  const { signedIn } = useSession();
  const knowsTenants = useKnowsTenants();
  const mayChooseTenant = signedIn.local && knowsTenants;
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  // Traces of a deleted agent may still exist.
  const names = new Set([...(agents.data?.agents ?? []).map(({ name }) => name), values.agent]);
  const sinces = new Set([...rangeNames, values.since]);
  const choice = (name: keyof TraceFilterValues, any: string) => ({
    placeholder: any,
    value: values[name] === "" ? null : values[name],
    onChange: (value: string | null) => change({ [name]: value ?? "" }),
    clearable: true,
    clearButtonProps: { "aria-label": any },
  });
  const entry = (name: keyof TraceFilterValues, label: string, placeholder: string) => (
    <TextFilter
      label={label}
      placeholder={placeholder}
      value={values[name]}
      change={(value) => change({ [name]: value })}
    />
  );
  return (
    <search className="ar-trace-filters" aria-label={texts.title}>
      <div className="ar-trace-search">
        {entry("search", traceListTexts.search, traceListTexts.searchHint)}
      </div>
      <Select
        label={traceListTexts.sort}
        data={sortNames.map((value) => ({ value, label: traceListTexts.sorts[value] ?? value }))}
        value={sortNames.includes(values.sort) ? values.sort : "newest"}
        onChange={(sort) => change({ sort: sort === null || sort === "newest" ? "" : sort })}
        allowDeselect={false}
      />
      <Select
        label={texts.agent}
        data={[...names].filter((name) => name !== "")}
        searchable
        {...choice("agent", texts.anyAgent)}
      />
      {entry("model", texts.model, traceListTexts.anyModel)}
      <Select
        label={texts.status}
        data={[
          { value: "OK", label: texts.ok },
          { value: "ERROR", label: texts.error },
        ]}
        {...choice("status", texts.anyStatus)}
      />
      <SourceSelect value={values.source} usual="all" change={(source) => change({ source })} />
      {entry("session", texts.session, texts.anySession)}
      <Select
        label={texts.since}
        data={[...sinces]
          .filter((name) => name !== "")
          .map((value) => ({ value, label: texts.ranges[value] ?? instantText(value) }))}
        {...choice("since", texts.anyTime)}
      />
      {values.until !== "" && (
        <Select
          label={traceListTexts.until}
          data={[{ value: values.until, label: instantText(values.until) }]}
          {...choice("until", texts.anyTime)}
        />
      )}
      {mayChooseTenant && (
        <TenantSelect
          label={traceListTexts.tenant}
          any={traceListTexts.ownTenant}
          value={values.tenant}
          choose={(tenant) => change({ tenant })}
        />
      )}
      <Select
        label={texts.feedback}
        data={Object.entries(texts.judged).map(([value, label]) => ({ value, label }))}
        {...choice("feedback", texts.anyFeedback)}
      />
      {(values.feedback !== "" || values.feedback_source !== "") && (
        <Select
          label={texts.feedbackSource}
          data={Object.entries(texts.sources).map(([value, label]) => ({ value, label }))}
          {...choice("feedback_source", texts.anySource)}
        />
      )}
    </search>
  );
}

const instantText = (text: string): string => (Number.isNaN(Date.parse(text)) ? text : formatInstant(text));

/** Typing that pauses for this long is taken as the filter. */
const settleMs = 400;

interface TextFilterProps {
  label: string;
  placeholder: string;
  value: string;
  change: (value: string) => void;
}

/** A filter that applies while it is typed, at once on Enter. */
function TextFilter({ label, placeholder, value, change }: TextFilterProps) {
  const [written, setWritten] = useState(value);
  // A value from elsewhere, such as a saved view; while a text is typed, its own value comes back without the blanks at its end.
  useEffect(() => setWritten((now) => (now.trim() === value ? now : value)), [value]);
  const take = () => {
    if (written.trim() !== value) change(written.trim());
  };
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (written.trim() === value) return;
    const timer = setTimeout(() => latest.current(), settleMs);
    return () => clearTimeout(timer);
  }, [written, value]);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={written}
      maxLength={200}
      onChange={(event) => setWritten(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
      autoComplete="off"
    />
  );
}
