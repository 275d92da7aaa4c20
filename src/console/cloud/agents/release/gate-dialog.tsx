import { ActionIcon, Anchor, Button, Checkbox, Group, Select, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { CloudAgent } from "../../../../contracts/cloud/agents.ts";
import type { OrgReleaseGate } from "../../../../contracts/cloud/release.ts";
import { evalKeys } from "../../../hosted-evals/eval-host.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { Icon } from "../../../parts/icon.tsx";
import type { NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { orgEvalTexts as texts } from "../../../texts/cloud/evals.ts";
import { orgPaths } from "../../cloud-paths.ts";
import type { OrgPageProps } from "../../org-page.tsx";
import { useCloud } from "../../use-cloud.ts";

interface GateDialogProps extends OrgPageProps {
  agent: CloudAgent;
  gate: OrgReleaseGate;
  close: () => void;
}

interface Row {
  id: number;
  eval: string | null;
  percent: NumberEntry;
  regressions: boolean;
}

/** Sets the evals that an agent requires. */
export function GateDialog({ org, agent, gate, close }: GateDialogProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [rows, setRows] = useState<readonly Row[]>(() =>
    gate.requires.map(({ eval: name, min_score, no_regressions }, id) => ({
      id,
      eval: name,
      percent: Math.round(min_score * 1e6) / 1e4,
      regressions: no_regressions,
    })),
  );
  const evals = useQuery({
    queryKey: evalKeys("cloud", org.slug).list,
    queryFn: cloud.evals(org.slug).listEvals,
  });
  const put = (id: number, change: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  const add = () => {
    const id = 1 + Math.max(-1, ...rows.map((row) => row.id));
    setRows([...rows, { id, eval: null, percent: 100, regressions: false }]);
  };
  return (
    <FormDialog
      size="lg"
      title={texts.gateTitle(agent.display_name)}
      action={texts.saveGate}
      isComplete={rows.every((row) => row.eval !== null && typeof row.percent === "number")}
      close={close}
      send={async () => {
        await cloud.setReleaseRules(org.slug, agent.name, { requires: rows.map(rule) });
        notify(texts.gateSaved);
        await queries.invalidateQueries({ queryKey: ["cloud", org.slug] });
      }}
    >
      <Text size="sm" className="ar-soft">
        {texts.gateHint}
      </Text>
      <Loaded query={evals} rows={2}>
        {({ evals: stored }) =>
          stored.length === 0 && rows.length === 0 ? (
            <Text>
              {texts.noEvals}{" "}
              <Anchor component={Link} href={orgPaths(org.slug).evals}>
                {texts.toEvals}
              </Anchor>
            </Text>
          ) : (
            <>
              {rows.map((row) => (
                <RowFields
                  key={row.id}
                  row={row}
                  names={namesFor(
                    row,
                    rows,
                    stored.map(({ name }) => name),
                  )}
                  put={(change) => put(row.id, change)}
                  drop={() => setRows(rows.filter(({ id }) => id !== row.id))}
                />
              ))}
              <Button variant="default" disabled={rows.length >= 16} onClick={add}>
                {texts.add}
              </Button>
            </>
          )
        }
      </Loaded>
    </FormDialog>
  );
}

const rule = (row: Row): { eval: string; min_score: number; no_regressions: boolean } => ({
  eval: row.eval ?? "",
  min_score: typeof row.percent === "number" ? row.percent / 100 : 1,
  no_regressions: row.regressions,
});

/** Names that a row may have: those of no other row, and its own, also if that eval was deleted. */
function namesFor(row: Row, rows: readonly Row[], stored: readonly string[]): string[] {
  const others = new Set(rows.filter(({ id }) => id !== row.id).map((one) => one.eval));
  const all = row.eval === null || stored.includes(row.eval) ? stored : [row.eval, ...stored];
  return all.filter((name) => !others.has(name));
}

interface RowFieldsProps {
  row: Row;
  names: string[];
  put: (change: Partial<Row>) => void;
  drop: () => void;
}

function RowFields({ row, names, put, drop }: RowFieldsProps) {
  return (
    <div className="ar-cl-rule">
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Select
          label={texts.eval}
          required
          searchable
          style={{ flex: "1 1 auto" }}
          data={names}
          value={row.eval}
          onChange={(name) => put({ eval: name })}
        />
        <ActionIcon
          variant="subtle"
          size="lg"
          aria-label={texts.drop(row.eval ?? "")}
          title={texts.drop(row.eval ?? "")}
          onClick={drop}
        >
          <Icon name="close" />
        </ActionIcon>
      </Group>
      <NumberField
        label={texts.score}
        description={texts.scoreHint}
        required
        rules={{ decimals: 2, min: 0, max: 100 }}
        step={5}
        value={row.percent}
        onChange={(percent) => put({ percent })}
      />
      <Checkbox
        label={texts.regressions}
        description={texts.regressionsHint}
        checked={row.regressions}
        onChange={(event) => put({ regressions: event.currentTarget.checked })}
      />
    </div>
  );
}
