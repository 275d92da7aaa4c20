import { Switch, Tabs, Title } from "@mantine/core";
import { useState } from "react";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { useUrlValues } from "../../parts/address/use-url-state.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { Markdown } from "../../parts/text/markdown.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";
import { numberEntries } from "./entries.ts";
import { EntryView } from "./entry-view.tsx";
import { ForkView } from "./fork-view.tsx";
import { outcomeText } from "./outcome.ts";
import { ReplayView } from "./replay-view.tsx";

const tabs = ["calls", "replay", "fork"] as const;
type Tab = (typeof tabs)[number];

/** A recording: its content, its replay and its forks. */
export function RecordingView({ id, cassette }: { id: string; cassette: Cassette }) {
  const [read, write] = useUrlValues();
  const tab: Tab = tabs.find((name) => name === read("tab")) ?? "calls";
  const { summary } = cassette;
  const labels: Readonly<Record<Tab, string>> = {
    calls: texts.calls,
    replay: texts.replay,
    fork: texts.fork,
  };
  return (
    <>
      <Figures
        figures={[
          { label: texts.modelCalls, value: formatNumber(summary.model_calls) },
          { label: texts.toolCalls, value: formatNumber(summary.tool_calls) },
          { label: texts.events, value: formatNumber(summary.events) },
          { label: texts.redactions, value: formatNumber(summary.redactions), note: texts.redactionsNote },
        ]}
      />
      <Tabs
        value={tab}
        onChange={(value) => write({ tab: value === "calls" ? "" : (value ?? "") })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {labels[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="calls">
          <div className="ar-stack">
            <RecordedAnswerView cassette={cassette} />
            <CallList cassette={cassette} forkAfter={(call) => write({ tab: "fork", from: String(call) })} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="replay">
          <ReplayView id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="fork">
          <ForkView id={id} cassette={cassette} from={read("from")} setFrom={(from) => write({ from })} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

interface CallListProps {
  cassette: Cassette;
  /** Starts a fork that continues live after this model call. */
  forkAfter: (call: number) => void;
}

/** The calls of a recording in order. */
function CallList({ cassette, forkAfter }: CallListProps) {
  const [withAll, setAll] = useState(false);
  return (
    <Panel title={texts.callsTitle}>
      <Switch
        size="xs"
        label={texts.showAll}
        checked={withAll}
        onChange={(event) => setAll(event.currentTarget.checked)}
        mb="sm"
      />
      <ol className="ar-entries">
        {numberEntries(cassette.entries, withAll).map(({ entry, number }) => (
          <li key={entry.seq}>
            <EntryView entry={entry} number={number} forkAfter={forkAfter} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** The question and the outcome of a recording. */
function RecordedAnswerView({ cassette: { request, outcome } }: { cassette: Cassette }) {
  return (
    <div className="ar-columns">
      <section className="ar-panel ar-panel-body">
        <Title order={2} size="h4" mb={4}>
          {texts.question}
        </Title>
        <div className="ar-break">{request.query}</div>
        {request.override !== undefined && (
          <details className="ar-step ar-recorded-override">
            <summary>{texts.override}</summary>
            <JsonView value={request.override} label={texts.override} maxHeight={200} />
          </details>
        )}
      </section>
      <section className="ar-panel ar-panel-body">
        <Title order={2} size="h4" mb={4}>
          {texts.answer}
        </Title>
        <Markdown text={outcomeText(outcome)} />
      </section>
    </div>
  );
}
