import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EvalCaseEntry, EvalDetail } from "../../../contracts/daemon/evals/evals.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { OffsetTable } from "../../parts/tables/offset-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { CaseDialog } from "./case-dialog.tsx";
import { CaseHistory } from "./case-history.tsx";
import { evalKeys } from "./eval-keys.ts";
import { ImportDialog } from "./import-dialog.tsx";

type Open =
  | { what: "add" | "import" }
  | { what: "history"; entry: EvalCaseEntry }
  | { what: "edit" | "remove"; entry: EvalCaseEntry; etag: string };

/** The cases of an eval, to read and to change. */
export function CaseList({ detail: { name, editable, cases_file: file } }: { detail: EvalDetail }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [search, setSearch] = useUrlState("search");
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const columns: Column<EvalCaseEntry & { etag: string }>[] = [
    { id: "id", header: texts.caseId, width: "minmax(90px, 1fr)", cell: ({ id }) => id },
    {
      id: "query",
      header: texts.question,
      width: "minmax(100px, 2.4fr)",
      from: "sm",
      cell: (entry) => questionOf(entry),
    },
    {
      id: "tags",
      header: texts.tags,
      width: "minmax(70px, 0.8fr)",
      from: "md",
      cell: ({ case: { tags } }) => (Array.isArray(tags) ? tags.join(", ") : ""),
    },
    {
      id: "actions",
      header: texts.actions,
      hidesHeader: true,
      width: "196px",
      align: "end",
      cell: ({ etag, ...entry }) => (
        <>
          <RowButton
            label={texts.history}
            title={texts.historyOf(entry.id)}
            onClick={() => setOpen({ what: "history", entry })}
          />
          {editable && (
            <>
              <RowButton
                label={texts.edit}
                title={texts.editOf(entry.id)}
                onClick={() => setOpen({ what: "edit", entry, etag })}
              />
              <RowButton
                label={texts.remove}
                title={texts.removeOf(entry.id)}
                isDanger
                onClick={() => setOpen({ what: "remove", entry, etag })}
              />
            </>
          )}
        </>
      ),
    },
  ];
  return (
    <Panel
      title={texts.cases}
      actions={
        editable && (
          <>
            <Button variant="default" onClick={() => setOpen({ what: "import" })}>
              {texts.importCases}
            </Button>
            <Button variant="default" onClick={() => setOpen({ what: "add" })}>
              {texts.addCase}
            </Button>
          </>
        )
      }
    >
      {!editable && file !== undefined && <p className="ar-soft ar-flat">{texts.casesElsewhere(file)}</p>}
      <div className="ar-eval-filters">
        <TextInput
          label={texts.search}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
        />
      </div>
      <OffsetTable
        label={texts.cases}
        columns={columns}
        keyOf={({ id }) => id}
        queryKey={[...evalKeys.cases(name), search]}
        read={async (page) => ({
          ...page,
          ...(await daemon.listEvalCases(name, { ...page, ...(search !== "" && { search }) })),
        })}
        rowsOf={({ cases, etag }) => cases.map((entry) => ({ ...entry, etag }))}
        empty={<EmptyState text={texts.noCases} />}
      />
      {open?.what === "history" && <CaseHistory name={name} id={open.entry.id} close={close} />}
      {open?.what === "add" && <CaseDialog name={name} close={close} />}
      {open?.what === "import" && <ImportDialog name={name} close={close} />}
      {open?.what === "edit" && <CaseDialog name={name} edited={open} close={close} />}
      {open?.what === "remove" && (
        <Confirm
          opened
          title={texts.removeTitle}
          text={texts.removeText(open.entry.id)}
          action={texts.removeAction}
          onClose={close}
          onConfirm={async () => {
            await daemon.deleteEvalCase(name, open.entry.id, open.etag);
            notify(texts.removed);
            await queries.invalidateQueries({ queryKey: evalKeys.all });
          }}
        />
      )}
    </Panel>
  );
}

function questionOf({ case: { query, turns } }: EvalCaseEntry): string {
  if (typeof query === "string") return query;
  const first = Array.isArray(turns) ? (turns[0] as { query?: unknown } | undefined) : undefined;
  return typeof first?.query === "string" ? `${first.query} …` : "";
}
