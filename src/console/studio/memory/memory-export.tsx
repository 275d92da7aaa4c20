import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { saveFile } from "../../api/save-file.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { say } from "../../parts/say.ts";
import { memoryTexts as texts } from "../../texts/studio-parts.ts";
import { fileNameOf } from "./file-name-of.ts";

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
      say(texts.exported(turns));
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
