import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { rangeNames } from "./time-range.ts";

/** Values from the address; "" means all. */
export type TraceFilterValues = Record<"agent" | "status" | "session" | "since" | "feedback", string>;

interface TraceFiltersProps {
  values: TraceFilterValues;
  change: (values: Partial<TraceFilterValues>) => void;
}

/** The filters of the list of traces. */
export function TraceFilters({ values, change }: TraceFiltersProps) {
  const daemon = useDaemon();
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  // Traces of a deleted agent may still exist.
  const names = new Set([...(agents.data?.agents ?? []).map(({ name }) => name), values.agent]);
  const sinces = new Set([...rangeNames, values.since]);
  return (
    <search className="ar-trace-filters" aria-label={texts.title}>
      <Select
        label={texts.agent}
        placeholder={texts.anyAgent}
        data={[...names].filter((name) => name !== "")}
        value={values.agent === "" ? null : values.agent}
        onChange={(agent) => change({ agent: agent ?? "" })}
        clearable
        searchable
        clearButtonProps={{ "aria-label": texts.anyAgent }}
      />
      <Select
        label={texts.status}
        placeholder={texts.anyStatus}
        data={[
          { value: "OK", label: texts.ok },
          { value: "ERROR", label: texts.error },
        ]}
        value={values.status === "" ? null : values.status}
        onChange={(status) => change({ status: status ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": texts.anyStatus }}
      />
      <SessionFilter session={values.session} change={(session) => change({ session })} />
      <Select
        label={texts.since}
        placeholder={texts.anyTime}
        data={[...sinces]
          .filter((name) => name !== "")
          .map((value) => ({ value, label: texts.ranges[value] ?? value }))}
        value={values.since === "" ? null : values.since}
        onChange={(since) => change({ since: since ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": texts.anyTime }}
      />
      <Select
        label={texts.feedback}
        placeholder={texts.anyFeedback}
        data={Object.entries(texts.judged).map(([value, label]) => ({ value, label }))}
        value={values.feedback === "" ? null : values.feedback}
        onChange={(feedback) => change({ feedback: feedback ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": texts.anyFeedback }}
      />
    </search>
  );
}

/** A filter that applies on Enter, or when the field loses the focus. */
function SessionFilter({ session, change }: { session: string; change: (session: string) => void }) {
  const [written, setWritten] = useState(session);
  useEffect(() => setWritten(session), [session]);
  const take = () => {
    if (written.trim() !== session) change(written.trim());
  };
  return (
    <TextInput
      label={texts.session}
      placeholder={texts.anySession}
      value={written}
      onChange={(event) => setWritten(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
      autoComplete="off"
    />
  );
}
