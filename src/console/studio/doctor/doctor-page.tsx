import { Button, Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Figures } from "../../parts/figures.tsx";
import { formatNumber } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { StatusBadge, type Tone } from "../../parts/status-badge.tsx";
import { doctorTexts as texts } from "../../texts/studio-watch.ts";

const tones: Readonly<Record<DoctorCheck["status"], Tone>> = {
  healthy: "good",
  degraded: "warn",
  failing: "bad",
};
const worstFirst: readonly DoctorCheck["status"][] = ["failing", "degraded", "healthy"];

export default function DoctorPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "doctor"], queryFn: daemon.doctor, staleTime: 60_000 });
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.again}
        </Button>
      </PageHead>
      <Loaded query={query}>
        {({ checks, summary }) => (
          <>
            <Figures
              figures={worstFirst.map((status) => ({
                label: texts[status],
                value: formatNumber(summary[status]),
              }))}
            />
            <ul className="ar-checks">
              {worstFirst
                .flatMap((status) => checks.filter((check) => check.status === status))
                .map((check) => (
                  <CheckView key={check.name} check={check} />
                ))}
            </ul>
          </>
        )}
      </Loaded>
    </>
  );
}

function CheckView({ check: { name, status, message, mend } }: { check: DoctorCheck }) {
  return (
    <li className="ar-check">
      <StatusBadge tone={tones[status]}>{texts[status]}</StatusBadge>
      <div>
        <strong>{name}</strong>
        <div className="ar-break ar-soft">{message}</div>
        {mend !== undefined && <Mending mend={mend} />}
      </div>
    </li>
  );
}

/** Advice: a command to copy, or a sentence. */
function Mending({ mend }: { mend: string }) {
  const isCommand = /^argosy [^,;`]+$/.test(mend);
  return (
    <div className="ar-check-mend">
      <span>{texts.mend}</span>
      {isCommand ? <Code className="ar-break">{mend}</Code> : <span className="ar-break">{mend}</span>}
      {isCommand && <CopyButton value={mend} label={texts.copy} />}
    </div>
  );
}
