import { Anchor, Button, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { Link } from "wouter";
import type { LogLine, LogLineLevel } from "../../../contracts/daemon/operations.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { escapeUnseen } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { traceHref } from "../../studio/traces/trace-query.ts";
import { logTexts as texts } from "../../texts/operations/operations.ts";
import { LineFields } from "./line-fields.tsx";
import { useLogLines } from "./use-log-lines.ts";

const levels: readonly LogLineLevel[] = ["debug", "info", "warning", "error"];
const settleMs = 300;

/** The newest lines of the log; new ones appear by themselves unless the page is paused. */
export default function LogsPage() {
  const [chosen, choose] = useUrlState("level");
  const [text, setText] = useUrlState("text");
  const [isPaused, setPaused] = useState(false);
  const [settled] = useDebouncedValue(text, settleMs);
  const level = levels.find((name) => name === chosen) ?? "debug";
  const { lines, failure } = useLogLines({ level, text: settled, isPaused });
  const newestFirst = lines.toReversed();
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? texts.resume : texts.pause}
        </Button>
      </PageHeader>
      <div className="ar-stack">
        <Group align="end">
          <Select
            label={texts.level}
            allowDeselect={false}
            value={level}
            data={levels.map((value) => ({ value, label: texts.levels[value] }))}
            onChange={(value) => choose(value === null || value === "debug" ? "" : value)}
          />
          <TextInput
            label={texts.text}
            placeholder={texts.textHint}
            maxLength={200}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Group>
        {failure !== undefined && <FailureView thrown={failure} />}
        <Panel
          title={texts.lines}
          flush={lines.length > 0}
          actions={<CopyButton label={texts.copy} value={lines.map(asJson).join("\n")} />}
        >
          <LineTable lines={newestFirst} isFiltered={settled !== "" || level !== "debug"} />
        </Panel>
      </div>
    </>
  );
}

const tones: Readonly<Record<LogLineLevel, Tone>> = {
  debug: "plain",
  info: "plain",
  warning: "warn",
  error: "bad",
};

const LineTable = ({ lines, isFiltered }: { lines: readonly LogLine[]; isFiltered: boolean }) => (
  <PlainTable
    label={texts.lines}
    rows={lines}
    keyOf={({ number }) => String(number)}
    empty={<EmptyState text={isFiltered ? texts.none : texts.noneKept} />}
    columns={[
      { id: "time", header: texts.time, from: "sm", cell: ({ time }) => <Instant iso={time} /> },
      {
        id: "level",
        header: texts.ownLevel,
        cell: ({ level }) => <StatusBadge tone={tones[level]}>{level}</StatusBadge>,
      },
      {
        id: "event",
        header: texts.event,
        className: "ar-break",
        cell: ({ event, fields }) => (
          <>
            <span className="ar-mono">{escapeUnseen(event)}</span>
            <LineFields fields={fields} />
            {typeof fields.trace_id === "string" && fields.trace_id.isWellFormed() && (
              <Anchor
                component={Link}
                href={traceHref(fields.trace_id, typeof fields.tenant === "string" ? fields.tenant : "")}
              >
                {texts.trace}
              </Anchor>
            )}
          </>
        ),
      },
    ]}
  />
);

/** Pasted into a terminal, the line controls nothing. */
const asJson = ({ level, time, event, fields }: LogLine) =>
  escapeUnseen(JSON.stringify({ level, time, event, ...fields }));
