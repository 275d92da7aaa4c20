import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { JudgedTrace } from "../../../../contracts/daemon/runs/traces.ts";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatDuration, formatInstant, formatNumber } from "../../../parts/text/format.ts";
import { rowUsd, traceCost } from "../../../parts/text/money.ts";
import { studioTexts } from "../../../texts/studio/navigation.ts";
import { traceTexts } from "../../../texts/studio/runs.ts";
import { compareTexts as texts } from "../../../texts/studio/trace-list.ts";
import { useDaemon } from "../../use-daemon.ts";
import { exchangeOf } from "../run-content.tsx";
import { spanTotals } from "../span-totals.ts";
import { traceHref, tracesHref } from "../trace-query.ts";
import { StepsCompared } from "./steps-compared.tsx";
import { TextsCompared } from "./texts-compared.tsx";

/** Two runs side by side: their figures, texts and steps. */
export default function ComparePage() {
  const [{ a, b, tenant }, write] = useUrlFields(["a", "b", "tenant"]);
  const up = { href: tracesHref({ tenant }), label: studioTexts.traces };
  const first = useTrace(a, tenant);
  const second = useTrace(b, tenant);
  const isChosen = a !== "" && b !== "";
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} up={up}>
        {isChosen && (
          <Button variant="default" onClick={() => write({ a: b, b: a })}>
            {texts.swap}
          </Button>
        )}
      </PageHeader>
      {isChosen ? (
        <Loaded query={first}>
          {(one) => (
            <Loaded query={second}>{(other) => <Compared a={one} b={other} tenant={tenant} />}</Loaded>
          )}
        </Loaded>
      ) : (
        <EmptyState text={texts.none}>
          <Button component={Link} href="/studio/traces">
            {texts.choose}
          </Button>
        </EmptyState>
      )}
    </>
  );
}

function useTrace(id: string, tenant: string) {
  const daemon = useDaemon();
  return useQuery({
    queryKey: ["daemon", "traces", "one", id, tenant],
    queryFn: () => daemon.getTrace(id, tenant === "" ? {} : { tenant }),
    enabled: id !== "",
  });
}

interface ComparedProps {
  a: JudgedTrace;
  b: JudgedTrace;
  tenant: string;
}

function Compared({ a, b, tenant }: ComparedProps) {
  const [ofA, ofB] = [exchangeOf(a, undefined), exchangeOf(b, undefined)];
  return (
    <div className="ar-stack ar-compared">
      <Measures a={a} b={b} tenant={tenant} />
      <TextsCompared title={traceTexts.question} a={ofA?.question} b={ofB?.question} />
      <TextsCompared title={traceTexts.answer} a={ofA?.answer} b={ofB?.answer} />
      <StepsCompared a={a} b={b} />
    </div>
  );
}

interface Measure {
  name: string;
  a: string;
  b: string;
  difference?: string;
}

function Measures({ a, b, tenant }: ComparedProps) {
  const rows: Measure[] = [
    { name: traceTexts.agent, a: a.agent, b: b.agent },
    { name: traceTexts.model, a: modelsOf(a), b: modelsOf(b) },
    { name: traceTexts.status, a: statusOf(a), b: statusOf(b) },
    { name: traceTexts.began, a: formatInstant(a.start_time), b: formatInstant(b.start_time) },
    { name: traceTexts.session, a: a.session_id, b: b.session_id },
    measured(traceTexts.duration, a.duration_ms, b.duration_ms, formatDuration),
    ...totals(a, b),
  ];
  return (
    <Panel title={texts.figures} flush>
      <PlainTable
        label={texts.figures}
        columns={[
          { id: "name", header: texts.measure, className: "ar-soft", cell: ({ name }) => name },
          {
            id: "a",
            header: texts.first,
            className: "ar-break",
            cell: (row) => <Run trace={a} row={row} side="a" tenant={tenant} />,
          },
          {
            id: "b",
            header: texts.second,
            className: "ar-break",
            cell: (row) => <Run trace={b} row={row} side="b" tenant={tenant} />,
          },
          {
            id: "difference",
            header: texts.difference,
            align: "end",
            from: "sm",
            cell: ({ difference }) => difference,
          },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

interface RunProps {
  trace: JudgedTrace;
  row: Measure;
  side: "a" | "b";
  tenant: string;
}

/** One value; the agent's is the link to the run. */
function Run({ trace, row, side, tenant }: RunProps) {
  if (row.name !== traceTexts.agent) return row[side];
  return (
    <Anchor component={Link} href={traceHref(trace.trace_id, tenant)}>
      {row[side]}
    </Anchor>
  );
}

function totals(a: JudgedTrace, b: JudgedTrace): Measure[] {
  const [ofA, ofB] = [spanTotals(a.spans), spanTotals(b.spans)];
  return [
    measured(texts.inputTokens, ofA.inputTokens, ofB.inputTokens, formatNumber),
    measured(texts.outputTokens, ofA.outputTokens, ofB.outputTokens, formatNumber),
    {
      ...measured(traceTexts.cost, ofA.cost.cost_usd, ofB.cost.cost_usd, rowUsd),
      a: traceCost(ofA.cost),
      b: traceCost(ofB.cost),
    },
    measured(traceTexts.modelCalls, ofA.modelCalls, ofB.modelCalls, formatNumber),
    measured(traceTexts.toolCalls, ofA.toolCalls, ofB.toolCalls, formatNumber),
  ];
}

/** A number of both runs, and how much more the second has. */
function measured(
  name: string,
  a: number | undefined,
  b: number | undefined,
  format: (value: number) => string,
): Measure {
  const shown = { name, a: a === undefined ? "–" : format(a), b: b === undefined ? "–" : format(b) };
  if (a === undefined || b === undefined) return shown;
  const difference = a === b ? "=" : `${b > a ? "+" : "−"}${format(Math.abs(b - a))}`;
  return { ...shown, difference };
}

function modelsOf({ spans }: JudgedTrace): string {
  const models = spans.flatMap(({ name, attributes: { model } }) =>
    name === "llm.complete" && typeof model === "string" ? [model] : [],
  );
  return models.length === 0 ? "–" : [...new Set(models)].join(", ");
}

function statusOf({ status, spans }: JudgedTrace): string {
  const error = spans[0]?.attributes.error;
  if (status === "OK") return traceTexts.ok;
  return typeof error === "string" ? `${traceTexts.error}: ${error}` : traceTexts.error;
}
