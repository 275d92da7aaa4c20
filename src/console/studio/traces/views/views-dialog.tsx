import { Anchor, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { Dialog } from "../../../parts/dialogs/dialog.tsx";
import { PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { viewTexts as texts } from "../../../texts/studio/trace-list.ts";
import { traceColumns } from "../trace-columns.tsx";
import {
  changeViews,
  isViewsEvent,
  readViews,
  renamed,
  type SavedView,
  viewNameMax,
  viewQuery,
  viewsMax,
  withView,
} from "./saved-views.ts";

interface ViewsDialogProps {
  /** Ids of the columns that are not shown. */
  hidden: readonly string[];
  hide: (columns: readonly string[]) => void;
  close: () => void;
}

/** The columns of the list, and the views that this browser keeps: to open, rename and delete. */
export function ViewsDialog({ hidden, hide, close }: ViewsDialogProps) {
  const [parameters] = useSearchParams();
  const [views, setViews] = useState<readonly SavedView[]>(() => readViews(localStorage));
  const [failure, setFailure] = useState<string>();
  /** Name of the view that is renamed. */
  const [renaming, setRenaming] = useState<string>();
  useEffect(() => {
    const changed = (event: StorageEvent) => {
      if (isViewsEvent(event)) setViews(readViews(localStorage));
    };
    window.addEventListener("storage", changed);
    return () => window.removeEventListener("storage", changed);
  }, []);
  /** `refused`: the message if `update` returns no views, or too many. */
  const change = (
    update: (now: readonly SavedView[]) => readonly SavedView[] | undefined,
    refused: string,
  ) => {
    try {
      const next = changeViews(localStorage, update);
      setViews(next ?? readViews(localStorage));
      setFailure(next === undefined ? refused : undefined);
    } catch {
      setFailure(texts.notStored);
    }
  };
  const choosable = traceColumns().filter(({ id }) => id !== "agent");
  return (
    <Dialog opened onClose={close} title={texts.title} size="lg">
      <Stack>
        <Checkbox.Group
          label={texts.columns}
          value={choosable.flatMap(({ id }) => (hidden.includes(id) ? [] : [id]))}
          onChange={(shown) => hide(choosable.flatMap(({ id }) => (shown.includes(id) ? [] : [id])))}
        >
          <Group gap="sm" mt={6}>
            {choosable.map(({ id, header }) => (
              <Checkbox key={id} value={id} label={header} />
            ))}
          </Group>
        </Checkbox.Group>
        <SaveForm
          isFull={views.length >= viewsMax}
          save={(name) =>
            change(
              (now) => withView(now, { name, query: viewQuery(parameters.toString()) }),
              texts.full(viewsMax),
            )
          }
        />
        {failure !== undefined && <p role="alert">{failure}</p>}
        <PlainTable
          label={texts.saved}
          columns={[
            {
              id: "name",
              header: texts.saved,
              className: "ar-break",
              cell: (view) => (
                <ViewName
                  key={String(renaming === view.name)}
                  view={view}
                  close={close}
                  isRenaming={renaming === view.name}
                  rename={(to) => {
                    setRenaming(undefined);
                    change((now) => renamed(now, view.name, to), texts.taken(to));
                  }}
                />
              ),
            },
            {
              id: "actions",
              header: texts.actions,
              hidesHeader: true,
              align: "end",
              cell: (view) => (
                <Group gap={4} justify="flex-end">
                  {renaming !== view.name && (
                    <RowButton
                      label={texts.rename}
                      title={texts.renameOf(view.name)}
                      onClick={() => setRenaming(view.name)}
                    />
                  )}
                  <RowButton
                    label={texts.delete}
                    title={texts.deleteOf(view.name)}
                    isDanger
                    onClick={() =>
                      change((now) => now.filter(({ name }) => name !== view.name), texts.notStored)
                    }
                  />
                </Group>
              ),
            },
          ]}
          rows={views}
          keyOf={({ name }) => name}
          empty={<p className="ar-soft ar-flat">{texts.none}</p>}
        />
      </Stack>
    </Dialog>
  );
}

function SaveForm({ isFull, save }: { isFull: boolean; save: (name: string) => void }) {
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "" || isFull) return;
    save(name);
    setName("");
  };
  return (
    <form onSubmit={submit}>
      <Group align="end">
        <TextInput
          label={texts.name}
          description={isFull ? texts.full(viewsMax) : texts.nameHint}
          value={name}
          maxLength={viewNameMax}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
        />
        <Button type="submit" disabled={name.trim() === "" || isFull}>
          {texts.save}
        </Button>
      </Group>
    </form>
  );
}

interface ViewNameProps {
  view: SavedView;
  isRenaming: boolean;
  rename: (to: string) => void;
  close: () => void;
}

/** The name of a view: a link, or a field while it is renamed. */
function ViewName({ view: { name, query }, isRenaming, rename, close }: ViewNameProps) {
  const [written, setWritten] = useState(name);
  if (!isRenaming) {
    return (
      <Anchor component={Link} href={`/studio/traces?${query}`} onClick={close}>
        {name}
      </Anchor>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (written.trim() !== "") rename(written);
      }}
    >
      <Group gap="xs">
        <TextInput
          aria-label={texts.newName(name)}
          value={written}
          maxLength={viewNameMax}
          onChange={(event) => setWritten(event.currentTarget.value)}
          autoComplete="off"
          autoFocus
        />
        <Button type="submit" size="compact-sm" disabled={written.trim() === ""}>
          {texts.rename}
        </Button>
      </Group>
    </form>
  );
}
