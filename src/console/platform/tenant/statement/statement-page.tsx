import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { saveFile } from "../../../api/save-file.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { StatementView } from "../../statement-view.tsx";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";

export default tenantPage(OwnStatementPage);

/** The tenant's own statement for a month: charges, prices and included credits. */
function OwnStatementPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const [month] = useMonth();
  const query = useQuery({
    queryKey: ["platform", tenant.id, "statement", month],
    queryFn: () => platform.ownStatement(month),
  });
  return (
    <>
      <PageHeader
        title={texts.statementTitle(month)}
        lead={tenant.displayName}
        mark={query.data && !query.data.provisional && <StatusBadge tone="good">{texts.final}</StatusBadge>}
      >
        <MonthPicker />
        <Button
          variant="default"
          onClick={async () => {
            const csv = await platform.ownStatementCsv(month);
            saveFile(`statement-${tenant.id}-${month}.csv`, "text/csv", csv);
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
