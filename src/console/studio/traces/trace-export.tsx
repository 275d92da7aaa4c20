import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { TraceListQuery } from "../../../contracts/daemon/runs/traces.ts";
import { saveFile } from "../../api/save-file.ts";
import { notify } from "../../parts/notices.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";

/** Traces of one file. */
const tracesMax = 5_000;

/** Saves the listed traces with their spans, in the order of the list, one JSON object a line. */
export function TraceExport({ filter }: { filter: () => TraceListQuery }) {
  const daemon = useDaemon();
  const saving = useMutation({
    async mutationFn() {
      const lines: string[] = [];
      const query = filter();
      for (let cursor: string | undefined; ; ) {
        const page = await daemon.listTraces({
          ...query,
          limit: 100,
          ...(cursor === undefined ? {} : { cursor }),
        });
        lines.push(...page.traces.map((trace) => JSON.stringify(trace)));
        cursor = page.next_cursor;
        if (cursor === undefined || lines.length >= tracesMax) return { lines, isCut: cursor !== undefined };
      }
    },
    onSuccess({ lines, isCut }) {
      saveFile("traces.jsonl", "application/jsonl", lines.map((line) => `${line}\n`).join(""));
      notify(isCut ? texts.exportedSome(lines.length) : texts.exported(lines.length));
    },
    onError: () => notify(texts.notExported),
  });
  return (
    <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
      {texts.export}
    </Button>
  );
}
