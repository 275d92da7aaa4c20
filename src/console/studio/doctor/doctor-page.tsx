import { Button, Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { doctorTexts as texts } from "../../texts/studio/monitoring.ts";
import { useDaemon } from "../use-daemon.ts";

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
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.again}
        </Button>
      </PageHeader>
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

function CheckView({ check: { name, status, message, mend, findings = [] } }: { check: DoctorCheck }) {
  return (
    <li className="ar-check">
      <StatusBadge tone={tones[status]}>{texts[status]}</StatusBadge>
      <div>
        <strong>{name}</strong>
        {findings.length === 0 ? (
          <>
            <div className="ar-break ar-soft">{message}</div>
            {mend !== undefined && <Mending mend={mend} />}
          </>
        ) : (
          findings.map((finding) => (
            <div key={`${finding.subject} ${finding.message}`} className="ar-check-finding">
              <div className="ar-break ar-soft">
                <strong>{finding.subject}</strong> {finding.message}
              </div>
              {finding.mend !== undefined && <Mending mend={finding.mend} />}
            </div>
          ))
        )}
      </div>
    </li>
  );
}

/** Advice: a command to copy, or a sentence. */
function Mending({ mend }: { mend: string }) {
  const isCommand = /^argosy [^,;`]+$/.test(mend);
  return (
    <div className="ar-check-mend">
      <span>{texts.fix}</span>
      {isCommand ? <Code className="ar-break">{mend}</Code> : <span className="ar-break">{mend}</span>}
      {isCommand && <CopyButton value={mend} label={texts.copy} />}
    </div>
  );
}
