import { ActionIcon, Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { CollectionView } from "../../../contracts/daemon/rag/rag.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notify } from "../../parts/notices.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { knowledgeTexts as texts } from "../../texts/studio/knowledge.ts";
import { useDaemon } from "../use-daemon.ts";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";

interface CollectionMenuProps {
  collection: CollectionView;
  /** True for a button with a label. */
  isLabelled?: boolean;
}

/** Actions on a whole collection. */
export function CollectionMenu({ collection: { name, documents }, isLabelled }: CollectionMenuProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [asked, ask] = useState<"reindex" | "delete">();
  const close = () => ask(undefined);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          {isLabelled ? (
            <Button variant="default" rightSection={<Icon name="down" size={14} />}>
              {texts.actions}
            </Button>
          ) : (
            <ActionIcon variant="subtle" color="gray" aria-label={texts.actionsOf(name)}>
              <Icon name="down" size={14} />
            </ActionIcon>
          )}
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => ask("reindex")}>{texts.reindex}…</Menu.Item>
          <Menu.Item className="ar-danger" onClick={() => ask("delete")}>
            {texts.delete}…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asked === "reindex"}
        title={texts.reindexTitle(name)}
        text={texts.reindexText}
        action={texts.reindex}
        onClose={close}
        onConfirm={async () => {
          await daemon.reindexCollection(name);
          notify(texts.reindexBegun(name));
          await queries.invalidateQueries({ queryKey: knowledgeKeys.all });
        }}
      />
      <Confirm
        opened={asked === "delete"}
        title={texts.deleteTitle(name)}
        text={texts.deleteText(formatNumber(documents))}
        action={texts.deleteCollection}
        typed={name}
        onClose={close}
        onConfirm={async () => {
          await daemon.deleteCollection(name);
          notify(texts.deleted(name));
          go(knowledgePaths.all);
          // Refetches only the list: the collection's content no longer exists.
          await queries.invalidateQueries({ queryKey: knowledgeKeys.collections, exact: true });
        }}
      />
    </>
  );
}
