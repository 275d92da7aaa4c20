import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notify } from "../../parts/notices.tsx";
import { memoryTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { ForgetUserDialog } from "./forget-user-dialog.tsx";
import { memoryKeys } from "./memory-paths.ts";

interface ForgetMenuProps {
  agent: string;
  /** Memory section of the manifest; absent while it loads. */
  memory: Record<string, unknown> | undefined;
}

/** Actions that delete an agent's whole memory, or that of one user. */
export function ForgetMenu({ agent, memory }: ForgetMenuProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [asked, ask] = useState<"all" | "user">();
  const close = () => ask(undefined);
  if (memory === undefined) return null;
  const hasTexts = memory.semantic !== undefined;
  const hasEpisodes = memory.episodic !== undefined;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="down" size={14} />}>
            {texts.forget}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(hasTexts || hasEpisodes) && (
            <Menu.Item onClick={() => ask("user")}>{texts.forgetUser}…</Menu.Item>
          )}
          <Menu.Item className="ar-danger" onClick={() => ask("all")}>
            {texts.forgetAll}…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === "user" && (
        <ForgetUserDialog agent={agent} hasTexts={hasTexts} hasEpisodes={hasEpisodes} close={close} />
      )}
      <Confirm
        opened={asked === "all"}
        title={texts.forgetAllTitle(agent)}
        text={texts.forgetAllText}
        action={texts.forgetAll}
        typed={agent}
        onClose={close}
        onConfirm={async () => {
          await daemon.clearMemory(agent);
          if (hasTexts) await daemon.forgetMemory(agent, { all: true });
          if (hasEpisodes) await daemon.forgetEpisodes(agent, { all: true });
          await queries.invalidateQueries({ queryKey: memoryKeys.of(agent) });
          notify(texts.forgotAll(agent));
        }}
      />
    </>
  );
}
