import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { saveFile } from "../../api/save-file.ts";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { memoryTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";

/** Downloads all conversations of an agent, or one, as a file of JSON lines. */
export function MemoryExport({ agent, session }: { agent: string; session?: string }) {
  const daemon = useDaemon();
  const exporting = useMutation({
    async mutationFn() {
      const lines: string[] = [];
      let turns: number | undefined;
      for await (const line of daemon.exportMemory(agent, session)) {
        lines.push(JSON.stringify(line));
        if (line.type === "end") turns = line.turns;
      }
      if (turns === undefined) throw new Error(texts.exportCut);
      saveFile(`${fileNameOf(agent, session)}.jsonl`, "application/jsonl", `${lines.join("\n")}\n`);
      notify(texts.exported(turns));
    },
  });
  return (
    <>
      <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
        {texts.exportAll}
      </Button>
      {exporting.isError && <FailureView thrown={exporting.error} />}
    </>
  );
}

/** Returns the name of a file about an agent's memory: `support-desk-1`, without characters that file systems refuse. */
const fileNameOf = (agent: string, session?: string): string =>
  [agent, session ?? "memory"].map((part) => part.replaceAll(/[^\w.-]+/g, "-").slice(0, 80)).join("-");
