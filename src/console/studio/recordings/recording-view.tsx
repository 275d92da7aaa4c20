import { Tabs } from "@mantine/core";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { Figures } from "../../parts/figures.tsx";
import { formatNumber } from "../../parts/format.ts";
import { useUrlValues } from "../../parts/use-url-values.ts";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";
import { CallList } from "./call-list.tsx";
import { ForkView } from "./fork-view.tsx";
import { RecordedAnswerView } from "./recorded-answer-view.tsx";
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
