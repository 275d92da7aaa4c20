import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { saveFile } from "../../../api/save-file.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { StatementView } from "../../statement-view.tsx";
import { usePlatform } from "../../use-platform.ts";

/** A tenant's statement for a month, to read, print and download. */
export default function StatementPage() {
  const { id = "" } = useParams<{ id: string }>();
  const platform = usePlatform();
  const [month] = useMonth();
  const tenant = useQuery({
    queryKey: ["platform", "admin", "tenant", id, month],
    queryFn: () => platform.getTenant(id, month),
  });
  const query = useQuery({
    queryKey: ["platform", "statement", id, month],
    queryFn: () => platform.statement(id, month),
  });
  const name = tenant.data?.display_name;
  return (
    <>
      <PageHeader
        title={texts.statementTitle(month)}
        lead={name}
        up={{ href: `/platform/operator/tenants/${encodeURIComponent(id)}`, label: name ?? texts.tenant }}
        mark={query.data && !query.data.provisional && <StatusBadge tone="good">{texts.final}</StatusBadge>}
      >
        <MonthPicker />
        <Button
          component={Link}
          href={`/platform/operator/periods?tenant=${encodeURIComponent(id)}`}
          variant="default"
        >
          {texts.periods}
        </Button>
        <Button
          variant="default"
          onClick={async () => {
            const csv = await platform.statementCsv(id, month);
            saveFile(`statement-${tenant.data?.cr_name ?? id}-${month}.csv`, "text/csv", csv);
          }}
        >
          {texts.csv}
        </Button>
        <Button onClick={() => window.print()}>{texts.print}</Button>
      </PageHeader>
      <Loaded query={query}>{(statement) => <StatementView statement={statement} />}</Loaded>
    </>
  );
}
