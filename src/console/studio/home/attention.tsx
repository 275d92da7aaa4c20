import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { useIsInBanner } from "../../api/use-server.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { homeTexts as texts } from "../../texts/studio/home.ts";
import type { Finding } from "./findings.ts";

const shown = 7;

interface AttentionProps {
  findings: readonly Finding[];
  /** True while some data is still loading. */
  isLooking: boolean;
  /** Error of the data that could not be loaded. */
  failure: Error | null | undefined;
}

/** Items that need attention now, each with a link. */
export function Attention({ findings, isLooking, failure }: AttentionProps) {
  const isInBanner = useIsInBanner(failure);
  return (
    <Panel title={texts.attention}>
      {failure && <FailureView thrown={failure} title={texts.checksFailed} />}
      {findings.length === 0 && (!failure || isInBanner) && (
        <span className="ar-soft">{isLooking || isInBanner ? texts.checking : texts.noProblems}</span>
      )}
      {findings.length > 0 && (
        <ul className="ar-findings">
          {findings.slice(0, shown).map(({ tone, title, text, href }) => (
            <li key={`${href} ${title} ${text}`} data-tone={tone}>
              <Anchor component={Link} href={href} fw={560}>
                {title}
              </Anchor>
              <span className="ar-soft ar-home-finding">{text}</span>
            </li>
          ))}
        </ul>
      )}
      {findings.length > shown && (
        <p className="ar-soft ar-home-after">{texts.more(formatNumber(findings.length - shown))}</p>
      )}
    </Panel>
  );
}
