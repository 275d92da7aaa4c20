import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { PlatformClient } from "../../../../contracts/platform/clients/client.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { together } from "../../../parts/states/together.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";

/** An agent with at least `runsMin` runs and a higher error rate than this needs attention. */
const errorRateMax = 0.2;
const runsMin = 5;

/** Items that need the operator's attention, with links. */
export function AttentionPanel({ unpriced, month }: { unpriced: number; month: string }) {
  const platform = usePlatform();
  const overdue = useQuery({
    queryKey: ["platform", "periods", "overdue"],
    queryFn: () => platform.overduePeriods({ limit: 200 }),
  });
  const closed = useQuery({
    queryKey: ["platform", "periods", "uninvoiced"],
    queryFn: () => platform.listPeriods({ status: "closed", limit: 200 }),
  });
  const agents = useQuery({
    queryKey: ["platform", "admin", "agents", month, "first"],
    queryFn: () => platform.listAllAgents({ period: month, limit: 100 }),
  });
  return (
    <Panel title={texts.attention}>
      <Loaded query={together({ overdue, closed, agents })} rows={2}>
        {(read) => <Items items={itemsOf({ ...read, unpriced })} />}
      </Loaded>
    </Panel>
  );
}

interface Read {
  overdue: Awaited<ReturnType<PlatformClient["overduePeriods"]>>;
  closed: Awaited<ReturnType<PlatformClient["listPeriods"]>>;
  agents: Awaited<ReturnType<PlatformClient["listAllAgents"]>>;
  /** Models without a price. */
  unpriced: number;
}

interface Item {
  count: number;
  text: string;
  href: string;
}

function itemsOf({ overdue, closed, agents, unpriced }: Read): Item[] {
  const late = overdue.periods.length;
  const uninvoiced = closed.periods.filter(({ amount_micros }) => (amount_micros ?? 0) > 0).length;
  const failing = agents.agents.filter(
    ({ error_rate, invocations }) => invocations >= runsMin && (error_rate ?? 0) > errorRateMax,
  ).length;
  return [
    {
      count: late,
      text: texts.overdue(late, overdue.next_cursor !== undefined),
      href: "/platform/operator/periods",
    },
    {
      count: uninvoiced,
      text: texts.uninvoiced(uninvoiced, closed.next_cursor !== undefined),
      href: "/platform/operator/periods?status=closed",
    },
    { count: unpriced, text: texts.unpriced(unpriced), href: "/platform/operator/tariffs" },
    { count: failing, text: texts.failing(failing), href: "/platform/operator/agents" },
  ].filter(({ count }) => count > 0);
}

function Items({ items }: { items: readonly Item[] }) {
  if (items.length === 0) return <span className="ar-soft">{texts.noAttention}</span>;
  return (
    <ul className="ar-plain-list">
      {items.map(({ text, href }) => (
        <li key={href}>
          <Anchor component={Link} href={href}>
            {text}
          </Anchor>
        </li>
      ))}
    </ul>
  );
}
